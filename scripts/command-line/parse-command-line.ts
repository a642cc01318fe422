import { parseArgs } from 'node:util';
import { errorText } from '../../shared/platform/errors.ts';
import { nearestName } from '../../shared/platform/nearest-name.ts';

/** A wrong command line. The message says what is wrong or what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Sent = string | boolean | readonly (string | boolean)[] | undefined;

export interface CommandOption<Value> {
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  /** Returns the value. If it is invalid, calls `fault` with what it must be, such as `point or comma`. */
  readonly read: (sent: Sent, fault: (must: string) => void) => Value;
}

export function flag(): CommandOption<boolean> {
  return { type: 'boolean', read: (sent) => sent === true };
}

export function optionalText(): CommandOption<string | undefined> {
  return { type: 'string', read: (sent) => (typeof sent === 'string' ? sent : undefined) };
}

export function textList(): CommandOption<readonly string[]> {
  return { type: 'string', multiple: true, read: (sent = []) => sent as readonly string[] };
}

/** `parse` returns undefined for an invalid value. The fault is then `--NAME must be`, followed by the text `must`. */
export function parsed<Value>(
  parse: (text: string) => Value | undefined,
  must: string,
): CommandOption<Value | undefined> {
  return {
    type: 'string',
    read: (sent, fault) => {
      if (typeof sent !== 'string') return undefined;
      const value = parse(sent);
      if (value === undefined) fault(must);
      return value;
    },
  };
}

export function wholeNumber(min: number, max: number): CommandOption<number | undefined> {
  return parsed((sent) => {
    const number = /^\d{1,10}$/.test(sent) ? Number(sent) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  }, `a whole number from ${min} to ${max}`);
}

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
): CommandOption<Choice | undefined> {
  return parsed((sent) => choices.find((known) => known === sent), `one of ${choices.join(', ')}`);
}

type CommandOptions = Readonly<Record<string, CommandOption<unknown>>>;

export type OptionValues<Options extends CommandOptions> = {
  readonly [Name in keyof Options]: Options[Name] extends CommandOption<infer Value> ? Value : never;
};

export interface CommandLine<Options extends CommandOptions> {
  readonly values: OptionValues<Options>;
  readonly positionals: readonly string[];
  /** Names of the given options in order, including repeated ones. */
  readonly given: readonly string[];
  readonly faults: readonly string[];
}

/** Returns undefined for --help. Throws UsageError for an unknown option or a missing value; `faults` has the rest. */
export function parseCommandLine<Options extends CommandOptions>(
  args: readonly string[],
  options: Options,
): CommandLine<Options> | undefined {
  const { values, positionals, tokens } = parseStrictly(args, options);
  if (values.help === true) return undefined;
  const sent: Readonly<Record<string, Sent>> = values;
  const faults: string[] = [];
  const read = Object.entries(options).map(([name, option]) => [
    name,
    option.read(sent[name], (must) => faults.push(`--${name} must be ${must}`)),
  ]);
  return {
    values: Object.fromEntries(read) as OptionValues<Options>,
    positionals,
    given: tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])),
    faults,
  };
}

/** Takes pairs of a condition and a fault, and returns the faults whose condition is true. */
export function faultsOf(rules: readonly (readonly [boolean, string])[]): readonly string[] {
  return rules.flatMap(([isAtFault, text]) => (isAtFault ? [text] : []));
}

/** Throws UsageError with all faults, if there are any. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new UsageError(`${faults.join('\n')}\n(see --help)`);
}

export function unexpectedArguments(positionals: readonly string[]): readonly string[] {
  return positionals.map((argument) => `unexpected argument ${JSON.stringify(argument)}`);
}

/** `commands` has the options that only some commands take. Throws UsageError on an unknown command or wrong option. */
export function readCommand<const Name extends string>(
  { positionals, given }: Pick<CommandLine<CommandOptions>, 'positionals' | 'given'>,
  commands: Readonly<Record<Name, readonly string[]>>,
): Name {
  const names = Object.keys(commands) as Name[];
  const [sent] = positionals;
  const command = names.find((name) => name === sent);
  if (command === undefined) {
    const hint = sent === undefined ? '' : suggestion(sent, names);
    throw usageError(`the command must be one of: ${names.join(', ')}${hint}`);
  }
  const restricted = new Set(Object.values<readonly string[]>(commands).flat());
  const foreign = new Set(
    given.filter((option) => restricted.has(option) && !commands[command].includes(option)),
  );
  refuseFaults([...foreign].map((option) => `--${option} is not an option of ${command}`));
  return command;
}

function parseStrictly(args: readonly string[], options: CommandOptions) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      tokens: true,
      options: {
        ...Object.fromEntries(
          Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
        ),
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    const message = errorText(error);
    const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
    if (unknown === undefined) throw usageError(message);
    const known = [...Object.keys(options), 'help'].map((name) => `--${name}`);
    throw usageError(`unknown option ${unknown}${suggestion(unknown, known)}`);
  }
}

function usageError(fault: string): UsageError {
  return new UsageError(`${fault}\n(see --help)`);
}

function suggestion(sent: string, known: readonly string[]): string {
  const nearest = nearestName(sent, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
