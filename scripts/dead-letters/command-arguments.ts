/** The command line of `npm run dead-letters`. */

import { parseArgs } from 'node:util';
import { errorText } from '../../shared/platform/errors.ts';
import { parseMoment } from './moments.ts';
import { isRestricted, type Selection } from './letter-selection.ts';

/** How letters are sent again. */
export interface SendOptions {
  readonly dryRun: boolean;
  readonly ratePerSecond: number;
  /** Also those that the audit says were handled already. */
  readonly again: boolean;
  /** Also those that were sent again as often as is sensible. */
  readonly force: boolean;
  /** Also notifications that may have been sent. */
  readonly acceptDuplicates: boolean;
}

/** How a message is changed. */
export interface EditOptions {
  /** `member.of.member=value` each. */
  readonly set: readonly string[];
  /** File of a JSON merge patch. */
  readonly patchFile: string | undefined;
  /** `name=value` each; without a value the header is removed. */
  readonly headers: readonly string[];
}

interface Common {
  readonly selection: Selection;
  readonly limit: number | undefined;
}

export type DeadLettersCommand = Common &
  (
    | { readonly name: 'list'; readonly all: boolean }
    | { readonly name: 'show'; readonly reveal: boolean }
    | { readonly name: 'redrive'; readonly send: SendOptions }
    | { readonly name: 'edit'; readonly send: SendOptions; readonly edit: EditOptions }
    | { readonly name: 'discard'; readonly dryRun: boolean; readonly again: boolean }
  );

export interface DeadLettersArguments {
  readonly command: DeadLettersCommand;
  readonly json: boolean;
  readonly operator: string | undefined;
  readonly reason: string | undefined;
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const DEFAULT_RATE = 50;
const MAX_RATE = 10_000;
const MAX_TEXT = 500;
const PRINTABLE = /^[^\p{Cc}]+$/u;

const SELECT = ['topic', 'code', 'key', 'since', 'until', 'id', 'limit', 'json', 'help'] as const;
const ACT = ['dry-run', 'operator', 'reason', 'again'] as const;
const SEND = [...ACT, 'rate', 'force', 'accept-duplicates'] as const;
/** The options of each command. */
const ALLOWED: Readonly<Record<DeadLettersCommand['name'], readonly string[]>> = {
  list: [...SELECT, 'all'],
  show: [...SELECT, 'reveal'],
  redrive: [...SELECT, ...SEND],
  edit: [...SELECT, ...SEND, 'set', 'patch', 'header'],
  discard: [...SELECT, ...ACT],
};

/** Reads the command line; undefined when help was asked for. Throws UsageError. */
export function readDeadLettersArguments(
  args: readonly string[],
  nowMs: number,
): DeadLettersArguments | undefined {
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [given, ...ids] = positionals;
  const name = (Object.keys(ALLOWED) as DeadLettersCommand['name'][]).find((known) => known === given);
  if (name === undefined) throw usage(`give one of: ${Object.keys(ALLOWED).join(', ')}`);
  const foreign = Object.keys(values).filter((option) => !ALLOWED[name].includes(option));
  if (foreign.length > 0) throw usage(`--${foreign.join(', --')} is no option of ${name}`);
  const selection = selectionOf(values, ids, nowMs);
  if (name !== 'list' && !isRestricted(selection)) {
    throw usage(`say which letters to ${name}: by ID, --topic, --code, --key, --since or --until`);
  }
  return {
    command: commandOf(name, values, selection),
    json: values.json === true,
    operator: shortText('--operator', values.operator),
    reason: shortText('--reason', values.reason),
  };
}

type Values = ReturnType<typeof parse>['values'];

function commandOf(
  name: DeadLettersCommand['name'],
  values: Values,
  selection: Selection,
): DeadLettersCommand {
  const limit = values.limit === undefined ? undefined : wholeNumber('--limit', values.limit, 1_000_000);
  const common = { selection, limit };
  if (name === 'list') return { name, ...common, all: values.all === true };
  if (name === 'show') return { name, ...common, reveal: values.reveal === true };
  if (name === 'redrive') return { name, ...common, send: sendOf(values) };
  if (name === 'edit') {
    const edit = { set: values.set ?? [], patchFile: values.patch, headers: values.header ?? [] };
    if (edit.set.length + edit.headers.length === 0 && edit.patchFile === undefined) {
      throw usage('edit needs --set, --patch or --header');
    }
    return { name, ...common, send: sendOf(values), edit };
  }
  if (values.reason === undefined) throw usage('discard needs --reason: it is kept with who and when');
  return { name, ...common, dryRun: values['dry-run'] === true, again: values.again === true };
}

function sendOf(values: Values): SendOptions {
  return {
    dryRun: values['dry-run'] === true,
    ratePerSecond: values.rate === undefined ? DEFAULT_RATE : wholeNumber('--rate', values.rate, MAX_RATE),
    again: values.again === true,
    force: values.force === true,
    acceptDuplicates: values['accept-duplicates'] === true,
  };
}

function selectionOf(values: Values, ids: readonly string[], nowMs: number): Selection {
  return {
    topics: values.topic ?? [],
    codes: values.code ?? [],
    key: values.key,
    sinceMs: momentOf('--since', values.since, nowMs),
    untilMs: momentOf('--until', values.until, nowMs),
    ids: [...ids, ...(values.id ?? [])],
  };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const texts = { type: 'string', multiple: true } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        topic: texts,
        code: texts,
        key: text,
        since: text,
        until: text,
        id: texts,
        limit: text,
        all: flag,
        reveal: flag,
        'dry-run': flag,
        rate: text,
        again: flag,
        force: flag,
        'accept-duplicates': flag,
        set: texts,
        patch: text,
        header: texts,
        reason: text,
        operator: text,
        json: flag,
        help: { ...flag, short: 'h' },
      },
    });
  } catch (error) {
    throw usage(errorText(error));
  }
}

function momentOf(option: string, text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const moment = parseMoment(text, nowMs);
  if (moment === undefined) {
    throw usage(`${option} is a time such as 2026-05-01, 2026-05-01T10:00:00Z, or 30m, 2h, 7d before now`);
  }
  return moment;
}

function wholeNumber(option: string, text: string, max: number): number {
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Infinity;
  if (number > max) throw usage(`${option} is a whole number from 1 to ${max}`);
  return number;
}

/** Goes into the audit: one line. */
function shortText(option: string, text: string | undefined): string | undefined {
  if (text === undefined || (text.length <= MAX_TEXT && text.trim() !== '' && PRINTABLE.test(text)))
    return text;
  throw usage(`${option} is one line of at most ${MAX_TEXT} characters`);
}

function usage(message: string): UsageError {
  return new UsageError(`${message} (see --help)`);
}
