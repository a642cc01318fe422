import {
  type CommandOption,
  flag,
  oneOf,
  type OptionValues,
  parseCommandLine,
  parsed,
  readCommand,
  refuseFaults,
  optionalText,
  textList,
  wholeNumber,
} from '../command-line/parse-command-line.ts';
import type { SendOptions } from '../../shared/dead-letters/redrive-rules.ts';
import { isRestricted, type Selection } from '../../shared/dead-letters/selection.ts';

export const HELP = `Usage: npm run dead-letters -- COMMAND [ID ...] [OPTIONS]

  list       lists dead letters, newest first, and counts them by code; hides handled ones
    --all            includes those that were redriven, edited, discarded or marked as sent
  show       shows origin, reason, headers and payload of a dead letter (personal data masked), and its audit records
    --reveal         without masking
  redrive    sends dead letters to the topic that they came from
  edit       changes payload or headers, validates them as the worker does, and sends an edited copy
    --set PATH=VALUE a field, such as receiver=+40722123456 or jsonParam.Amount=1000; repeatable.
                     VALUE is JSON if it can be parsed, otherwise a string; null removes the field
    --patch FILE     a JSON merge patch (RFC 7396), applied before --set
    --header N=VALUE a header, such as kafka_replyTopic=bank.replies; without VALUE it is removed; repeatable
  discard    marks dead letters as closed; they stay on their topic until its retention ends
    --reason TEXT    required
  mark-sent  marks notifications with an unknown outcome as sent, as their provider confirmed; their status becomes sent
    --reason TEXT    required

Selection (dead letters that match all of these; required by every command except list):
  ID, --id ID        topic/partition/offset as list prints it, or the id of a notification; repeatable
  --topic NAME       a worker (notification, schedule ...), a dead-letter topic, or the topic that they came from; repeatable
  --code CODE        the error code; smtp-5* matches all codes with this prefix; repeatable
  --type TYPE        the message type, such as SendSmsCommand; repeatable
  --channel NAME     of notifications: sms or email
  --key KEY          the message key, as text or in hexadecimal
  --since, --until   2026-05-01, 2026-05-01T10:00:00Z, or 30m, 2h, 7d before now
  --limit N          the newest N (list: 100, show: 10), the oldest N for the other commands

Actions (redrive, edit, discard, mark-sent):
  --dry-run          shows what would be done; writes nothing, not even the audit
  --reason TEXT      recorded in the audit
  --operator NAME    recorded in the audit instead of the user of the operating system
  --again            includes dead letters that have already been handled
  --rate N           dead letters per second (50)
  --force            includes dead letters that have come back three times: fix the cause first
  --accept-duplicates  includes notifications with an unknown outcome, which may have been sent already

  --json   one JSON document on standard output
  --help   this text

Every action is recorded on the audit topic with operator, time, reason and result, never with a payload.
Environment: KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other settings of docs/operations.md. Without
KAFKA_BROKERS the command connects to the process of \`npm start\` on this machine, which it finds in DATA_DIR.
Exit codes: 0 done, 1 an action failed or was refused, or the command was interrupted, 2 wrong usage.
`;

/** The changes of edit. */
export interface EditOptions {
  /** Entries of the form `path.to.field=value`. */
  readonly set: readonly string[];
  /** File of a JSON merge patch. */
  readonly patchFile: string | undefined;
  /** Entries of the form `name=value`; without a value the header is removed. */
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
    | { readonly name: 'mark-sent'; readonly send: SendOptions }
    | { readonly name: 'discard'; readonly dryRun: boolean; readonly again: boolean }
  );

export interface DeadLettersArguments {
  readonly command: DeadLettersCommand;
  readonly json: boolean;
  readonly operator: string | undefined;
  readonly reason: string | undefined;
}

const DEFAULT_RATE = 50;
const MAX_RATE = 10_000;
const MAX_LIMIT = 1_000_000;
const MAX_TEXT = 500;
const PRINTABLE = /^[^\p{Cc}]+$/u;

const ACT = ['dry-run', 'operator', 'reason', 'again'] as const;
const SEND = [...ACT, 'rate', 'force', 'accept-duplicates'] as const;
/** The options that only some commands support. */
const COMMANDS = {
  list: ['all'],
  show: ['reveal'],
  redrive: SEND,
  edit: [...SEND, 'set', 'patch', 'header'],
  discard: ACT,
  'mark-sent': ACT,
} as const;

/** Reads the command line; undefined for --help. Throws UsageError. */
export function readDeadLettersArguments(
  args: readonly string[],
  nowMs: number,
): DeadLettersArguments | undefined {
  const line = parseCommandLine(args, optionsAt(nowMs));
  if (line === undefined) return undefined;
  const { values } = line;
  const name = readCommand(line, COMMANDS);
  const selection = {
    topics: values.topic,
    codes: values.code,
    types: values.type,
    channel: values.channel,
    key: values.key,
    sinceMs: values.since,
    untilMs: values.until,
    ids: [...line.positionals.slice(1), ...values.id],
  };
  refuseFaults([...line.faults, ...missingOptions(name, values, selection)]);
  const { json, operator, reason } = values;
  return { command: commandOf(name, values, { selection, limit: values.limit }), json, operator, reason };
}

/** The options of all commands; durations such as "2h" are relative to `nowMs`. */
function optionsAt(nowMs: number) {
  return {
    topic: textList(),
    code: textList(),
    type: textList(),
    channel: oneOf(['sms', 'email']),
    key: optionalText(),
    since: timeOption(nowMs),
    until: timeOption(nowMs),
    id: textList(),
    limit: wholeNumber(1, MAX_LIMIT),
    all: flag(),
    reveal: flag(),
    'dry-run': flag(),
    rate: wholeNumber(1, MAX_RATE),
    again: flag(),
    force: flag(),
    'accept-duplicates': flag(),
    set: textList(),
    patch: optionalText(),
    header: textList(),
    reason: auditText(),
    operator: auditText(),
    json: flag(),
  };
}

type Values = OptionValues<ReturnType<typeof optionsAt>>;

function missingOptions(
  name: keyof typeof COMMANDS,
  { set, header, patch, reason }: Values,
  selection: Selection,
): readonly string[] {
  const faults: string[] = [];
  if (name !== 'list' && !isRestricted(selection)) {
    faults.push(
      `select the letters to ${name} by ID, --topic, --code, --type, --channel, --key, --since or --until`,
    );
  }
  if (name === 'edit' && set.length + header.length === 0 && patch === undefined) {
    faults.push('edit requires --set, --patch or --header');
  }
  if ((name === 'discard' || name === 'mark-sent') && reason === undefined) {
    faults.push(`${name} requires --reason, which is recorded with operator and time`);
  }
  return faults;
}

function commandOf(name: keyof typeof COMMANDS, values: Values, common: Common): DeadLettersCommand {
  const { all, reveal, again } = values;
  const dryRun = values['dry-run'];
  if (name === 'list') return { name, ...common, all };
  if (name === 'show') return { name, ...common, reveal };
  if (name === 'discard') return { name, ...common, dryRun, again };
  const send = {
    dryRun,
    ratePerSecond: values.rate ?? DEFAULT_RATE,
    again,
    force: values.force,
    acceptDuplicates: values['accept-duplicates'],
  };
  if (name === 'redrive' || name === 'mark-sent') return { name, ...common, send };
  const edit = { set: values.set, patchFile: values.patch, headers: values.header };
  return { name, ...common, send, edit };
}

/** A string that is recorded in the audit. */
function auditText(): CommandOption<string | undefined> {
  return parsed(
    (sent) => (sent.length <= MAX_TEXT && sent.trim() !== '' && PRINTABLE.test(sent) ? sent : undefined),
    `one line of at most ${MAX_TEXT} characters`,
  );
}

function timeOption(nowMs: number): CommandOption<number | undefined> {
  return parsed(
    (sent) => parseTime(sent, nowMs),
    'a time such as 2026-05-01, 2026-05-01T10:00:00Z, or 30m, 2h, 7d before now',
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^([1-9]\d{0,4})([smhd])$/;
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Epoch milliseconds of a time in ISO 8601 (UTC unless it has a zone; a date means its midnight), or of a duration before
 * now, such as `2h`. Undefined for any other string.
 */
export function parseTime(text: string, nowMs: number): number | undefined {
  const ago = AGO.exec(text);
  if (ago !== null) return nowMs - Number(ago[1]) * (UNIT_MS[ago[2] ?? ''] ?? 0);
  const iso = ISO.exec(text);
  if (iso === null) return undefined;
  if (!isExistingDay(text.slice(0, 'yyyy-mm-dd'.length))) return undefined;
  const isLocal = iso[1] !== undefined && iso[4] === undefined;
  const time = Date.parse(isLocal ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** Date.parse takes the 30th of February as the 2nd of March. */
function isExistingDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
