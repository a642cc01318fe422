import { readFileSync } from 'node:fs';
import {
  type CommandOption,
  faultsOf,
  flag,
  oneOf,
  parseCommandLine,
  parsed,
  readCommand,
  refuseFaults,
  optionalText,
  textList,
  wholeNumber,
  UsageError,
} from '../command-line/parse-command-line.ts';
import { OPERATIONS_LIMITS } from '../../shared/api/operations/operation-fields.ts';
import { isRecord } from '../../shared/api/json/faults.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { parseJson, refusalText } from '../../shared/platform/parse-json.ts';

export const HELP = `Usage: npm run dead-letters -- COMMAND [ID ...] [OPTIONS]

  list       lists dead letters, newest first, and counts them by code; hides handled ones
    --all            includes those that were redriven, edited, discarded or marked as sent
  show       prints origin, reason, headers and payload of a dead letter (personal data masked) and its audit records, as JSON
  redrive    sends dead letters to the topic that they came from
  edit       changes payload or headers, validates them as the worker does, and sends an edited copy
    --set PATH=VALUE a field, such as receiver=+40722123456 or jsonParam.Amount=1000; repeatable.
                     VALUE is JSON if it can be parsed, otherwise a string; null removes the field
    --patch FILE     a JSON merge patch (RFC 7396), applied before --set
    --header N=VALUE a header, such as kafka_replyTopic=bank.replies; N= removes the header; repeatable
  discard    marks dead letters as closed; they stay on their topic until its retention ends
  mark-sent  marks notifications with an unknown outcome as sent, as their provider confirmed; their status becomes sent

Selection (dead letters that match all of these; required by every command except list):
  ID, --id ID        topic/partition/offset as list prints it, or the id of a notification; repeatable
  --topic NAME       a worker (notification, schedule ...), a dead-letter topic, or the topic that they came from; repeatable
  --code CODE        the error code; smtp-5* matches all codes with this prefix; repeatable
  --type TYPE        the message type, such as SendSmsCommand; repeatable
  --channel NAME     of notifications: sms or email
  --key KEY          the message key, as text or in hexadecimal
  --since, --until   2026-05-01, 2026-05-01T10:00:00Z, or 30s, 30m, 2h, 7d before now
  --limit N          list, show: the newest N (100, 10); other commands: the oldest N (all)

Actions (redrive, edit, discard, mark-sent):
  --reason TEXT      recorded in the audit; required unless --dry-run
  --dry-run          shows what would be done; writes nothing, not even the audit
  --again            includes dead letters that have already been handled
  --force            redrive, edit: includes dead letters that have come back three times: fix the cause first
  --accept-duplicates  redrive, edit: includes notifications with an unknown outcome, which may have been sent already

  --url URL          the ingress; by default that of HOST and PORT on this machine
  --token-file FILE  its access token, with the scopes operations:read and operations:write; by default one for the user of
                     the operating system is signed with AUTH_JWT_SECRET, if that is set
  --json             one JSON document on standard output
  --help             this text

The ingress does the work: it records every action on the audit topic with operator, time, reason and result, never with a payload.
Exit codes: 0 done, 1 failed, refused, interrupted or incomplete, or (except for list) nothing matched, 2 wrong usage.
`;

const ACT = ['dry-run', 'reason', 'again'] as const;
const SEND = [...ACT, 'force', 'accept-duplicates'] as const;
const COMMANDS = {
  list: ['all'],
  show: [],
  redrive: SEND,
  edit: [...SEND, 'set', 'patch', 'header'],
  discard: ACT,
  'mark-sent': ACT,
} as const;

export type DeadLettersArguments = NonNullable<ReturnType<typeof readDeadLettersArguments>>;

/**
 * Returns undefined for --help. Throws UsageError: first for an unknown command or option, then with all other faults.
 * Durations such as 2h are counted back from `nowMs` (epoch).
 */
export function readDeadLettersArguments(args: readonly string[], nowMs: number) {
  const line = parseCommandLine(args, optionsAt(nowMs));
  if (line === undefined) return undefined;
  const { values } = line;
  const name = readCommand(line, COMMANDS);
  const { topic, code, type, channel, key, since, until } = values;
  const ids = [...line.positionals.slice(1), ...values.id];
  const criteria = { topics: topic, codes: code, types: type, channel, key, since, until };
  const isFiltered =
    topic.length + code.length + type.length > 0 || Boolean(channel ?? key ?? since ?? until);
  const isAction = name !== 'list' && name !== 'show';
  const hasEdit = values.set.length + values.header.length > 0 || values.patch !== undefined;
  refuseFaults([
    ...line.faults,
    ...faultsOf([
      [
        name !== 'list' && !isFiltered && ids.length === 0,
        `select the letters to ${name}, for example by ID or --code`,
      ],
      [name === 'edit' && !hasEdit, 'edit requires --set, --patch or --header'],
      [
        isAction && !values['dry-run'] && values.reason === undefined,
        `${name} requires --reason, which is recorded with operator and time`,
      ],
    ]),
  ]);
  return { ...values, name, isAction, ids, criteria, isFiltered };
}

/**
 * Returns `patch` (RFC 7396; absent if there is none) and `headers`, where null removes a header. Throws UsageError if
 * the file of --patch is not readable JSON, if --set or --header is not NAME=VALUE, or if an option sets fields of a
 * value that an earlier option removes or replaces.
 */
export function readEdit({ set, patch, header }: Pick<DeadLettersArguments, 'set' | 'patch' | 'header'>) {
  const patches = [
    ...(patch === undefined ? [] : [{ option: `--patch ${patch}`, value: readPatch(patch) }]),
    ...set.map((setting) => ({ option: `--set ${setting}`, value: patchOfSetting(setting) })),
  ];
  for (const [index, second] of patches.entries()) {
    const first = patches.slice(0, index).find((earlier) => isLost(earlier.value, second.value));
    if (first === undefined) continue;
    throw new UsageError(
      `${first.option} removes or replaces a value in which ${second.option} sets fields: leave out one of them`,
    );
  }
  return {
    ...(patches.length === 0 ? {} : { patch: patches.map(({ value }) => value).reduce(combine) }),
    headers: Object.fromEntries(header.map(readHeader)),
  };
}

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
    limit: wholeNumber(1, 1_000_000),
    all: flag(),
    'dry-run': flag(),
    again: flag(),
    force: flag(),
    'accept-duplicates': flag(),
    set: textList(),
    patch: optionalText(),
    header: textList(),
    reason: parsed(
      (sent) =>
        sent.length <= OPERATIONS_LIMITS.reasonCharacters && /^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(sent)
          ? sent
          : undefined,
      `one line of at most ${OPERATIONS_LIMITS.reasonCharacters} characters`,
    ),
    url: optionalText(),
    'token-file': optionalText(),
    json: flag(),
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^([1-9]\d{0,4})([smhd])$/;

/** Converts durations before now to ISO 8601. Other times pass unchanged, even 30 February; the ingress checks them. */
function timeOption(nowMs: number): CommandOption<string | undefined> {
  return parsed((sent) => {
    const [, count, unit = ''] = AGO.exec(sent) ?? [];
    if (count !== undefined) return new Date(nowMs - Number(count) * (UNIT_MS[unit] ?? 0)).toISOString();
    return Number.isNaN(Date.parse(sent)) ? undefined : sent;
  }, 'a time such as 2026-05-01, 2026-05-01T10:00:00Z, or 30s, 30m, 2h, 7d before now');
}

/** Whether `second` sets fields of a value that `first` removes or replaces: one patch cannot do both (RFC 7396). */
function isLost(first: unknown, second: unknown): boolean {
  if (!isRecord(second) || !isRecord(first)) return isRecord(second);
  return Object.entries(second).some(
    ([name, value]) => Object.hasOwn(first, name) && isLost(first[name], value),
  );
}

/** One patch (RFC 7396) with the effect of `first` and then of `second`; wrong for pairs that {@link isLost} finds. */
function combine(first: unknown, second: unknown): unknown {
  if (!isRecord(first) || !isRecord(second)) return second;
  const changed = Object.entries(second).map(([name, value]) => [name, combine(first[name], value)]);
  return { ...first, ...Object.fromEntries(changed) };
}

function readHeader(text: string): [string, string | null] {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new UsageError(
      '--header must be NAME=VALUE, such as kafka_replyTopic=bank.replies; NAME= removes the header',
    );
  }
  const value = text.slice(at + 1);
  return [text.slice(0, at), value === '' ? null : value];
}

function readPatch(file: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`--patch ${file} cannot be read: ${errorText(error)}`);
  }
  const read = parseJson(bytes);
  if (read.kind === 'parsed') return read.value;
  throw new UsageError(refusalText(read, `--patch ${file}`));
}

function patchOfSetting(setting: string): unknown {
  const [, path = '', text = ''] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
  const names = path.split('.');
  if (names.includes('')) throw new UsageError('--set must be PATH=VALUE, such as receiver=+40722123456');
  return names.reduceRight<unknown>((value, name) => Object.fromEntries([[name, value]]), valueOf(text));
}

function valueOf(text: string): unknown {
  const read = parseJson(text);
  return read.kind === 'parsed' ? read.value : text;
}
