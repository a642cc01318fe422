/** Runs the command and decides how it exits. */

import { ConfigError, errorText } from '../../../shared/platform/errors.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';
import { HELP, readRecalculateArguments, resumeCommand } from '../arguments.ts';
import { InputError } from '../input/records.ts';
import type { CommandEnd, RunContext } from './command.ts';
import type { Interruption } from './interruption.ts';

const SOME_FAILED = 1;
const USAGE = 2;
const ABORTED = 3;

export interface CommandContext extends Pick<RunContext, 'environment' | 'stderr'> {
  readonly stdout: NodeJS.WritableStream;
  /** Called once the command line is valid. */
  readonly interrupt: () => Interruption;
}

/** Resolves with the exit code; the reason of a failure is on `stderr`. */
export async function runRecalculate(
  commandLine: readonly string[],
  context: CommandContext,
): Promise<number> {
  const say: Say = (line) => context.stderr.write(`${line}\n`);
  try {
    return await run(commandLine, context, say);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || error instanceof ConfigError || error instanceof InputError;
    say(`recalculate: ${errorText(error)}`);
    return isUsage ? USAGE : ABORTED;
  }
}

type Say = (line: string) => void;

async function run(commandLine: readonly string[], context: CommandContext, say: Say): Promise<number> {
  const args = readRecalculateArguments(commandLine);
  if (args === undefined) {
    context.stdout.write(HELP);
    return 0;
  }
  // Imported here, so that an invalid command line is reported without loading the engine.
  const { recalculate } = await import('./command.ts');
  const end = await recalculate(args, {
    environment: context.environment,
    stderr: context.stderr,
    interruption: context.interrupt(),
    now: () => Date.now(),
    resumeWith: resumeCommand(commandLine),
  });
  try {
    const code = exitCodeOf(end);
    const isWritten = await isHtmlWritten(end, say);
    if (!args.json) say(end.lines.join('\n'));
    else if (!(await isPrinted(context.stdout, `${JSON.stringify(end.report, undefined, 2)}\n`, say)))
      return code || ABORTED;
    if (!isWritten) return ABORTED;
    end.forget();
    return code;
  } finally {
    end.close();
  }
}

/** Returns whether the report of --html could be written; reports the reason if not. */
async function isHtmlWritten(end: CommandEnd, say: Say): Promise<boolean> {
  try {
    await end.writeHtml();
    return true;
  } catch (error) {
    say(`recalculate: the report of --html cannot be written: ${errorText(error)}; --resume writes it again`);
    return false;
  }
}

/** Returns whether the text could be printed; reports the reason if not. */
async function isPrinted(stdout: NodeJS.WritableStream, text: string, say: Say): Promise<boolean> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    stdout.on('error', resolve);
    stdout.write(text, resolve);
  });
  if (error) say(`recalculate: the report cannot be written: ${error.message}; --resume prints it again`);
  return !error;
}

function exitCodeOf({ report }: CommandEnd): number {
  if (report.outcome === 'aborted') return ABORTED;
  return report.failed > 0 ? SOME_FAILED : 0;
}
