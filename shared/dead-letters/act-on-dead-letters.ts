import type { ActionReply } from '../api/operations/dead-letter-calls.ts';
import { STATE_TYPE, formatOf } from '../api/notification/state-record.ts';
import { HEADER, headerText } from '../messaging/headers.ts';
import { partitionId } from '../messaging/message.ts';
import type { LogMessage, OffsetRange, OutgoingMessage, PartitionOffset } from '../messaging/message.ts';
import type { ReadOn } from '../messaging/ports.ts';
import { errorText, SystemError } from '../platform/errors.ts';
import { addAttempts, readAttempts } from '../notification/attempt-history.ts';
import type { EmailCommand, SmsCommand } from '../notification/notification-command.ts';
import { isIngressId } from '../notification/command-proof.ts';
import { BLANK_STATE, OUTCOME_UNKNOWN, type NotificationState } from '../notification/notification-state.ts';
import { isHandled, type AuditStep, createAuditMessage, type DeadLetterStates } from './audit.ts';
import { redriveMessage, decideMarking, decideRedrive } from './redrive-rules.ts';
import type { SendOptions, Verdict } from './redrive-rules.ts';
import { type DeadLetterContext, createBreaks, readOne } from './dead-letter-log.ts';
import { type DeadLetter, sanitise, placeId } from './read-dead-letter.ts';
import { type Scan, type Selection, channelOf } from './find-dead-letters.ts';
import { editMessage, type Edit } from './edit-dead-letter.ts';
import { COMMAND_TYPES } from './masked-payload.ts';

export interface DeadLetterAction {
  readonly action: 'redrive' | 'edit' | 'mark-sent' | 'discard';
  readonly options: SendOptions;
  readonly edit?: Edit | undefined;
}

/** Skipped letters beyond this number are only counted: a filter may select thousands that were handled before. */
const MAX_LISTED_SKIPPED = 100;

/** Acts on the oldest `limit` selected letters, not on handled ones unless `again` is set. Unknown ids fail. */
export async function actOnSelected(
  context: DeadLetterContext,
  scan: Scan,
  acting: DeadLetterAction & { readonly selection: Selection; readonly limit?: number | undefined },
): Promise<Pick<ActionReply, 'letters' | 'counts' | 'notListed'>> {
  const { states } = scan;
  const isSkipped = ({ id }: DeadLetter): boolean => !acting.options.again && isHandled(states.of(id));
  const skipped = scan.letters.filter(isSkipped).flatMap((letter) => {
    const why = `it has already been ${states.of(letter.id).status}`;
    return resultsOf([letter], { result: 'skipped', why, override: 'again' });
  });
  const open = scan.letters
    .filter((letter) => !isSkipped(letter))
    .toSorted(compareAge)
    .slice(0, acting.limit);
  const results =
    acting.action === 'discard'
      ? await discardDeadLetters(context, open, acting.options.dryRun)
      : await sendDeadLetters(context, open, states, acting);
  const listed = [
    ...skipped.slice(0, MAX_LISTED_SKIPPED),
    ...results,
    ...findMissing(acting.selection, scan),
  ];
  const notListed = Math.max(0, skipped.length - MAX_LISTED_SKIPPED);
  const counts = countNames([...listed, ...skipped.slice(MAX_LISTED_SKIPPED)].map(({ result }) => result));
  return { letters: listed, counts: Object.fromEntries(counts), notListed };
}

/** The letters that a list shows, newest first. */
export function visibleDeadLetters(
  { letters, states }: Scan,
  includesHandled: boolean,
): readonly DeadLetter[] {
  return letters
    .filter(({ id }) => includesHandled || !isHandled(states.of(id)))
    .toSorted((one, other) => compareAge(other, one));
}

const MAX_CODES = 100;

/** Numbers of letters by code, the most frequent first. `*` is the total of all codes after the 100th. */
export function countByCode(letters: readonly DeadLetter[]): Readonly<Record<string, number>> {
  const sorted = [...countNames(letters.map(({ code }) => sanitise(code)))].toSorted(
    ([, one], [, other]) => other - one,
  );
  const rare = sorted.slice(MAX_CODES).reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries([...sorted.slice(0, MAX_CODES), ...(rare > 0 ? [['*', rare] as const] : [])]);
}

type DeadLetterResult = ActionReply['letters'][number];

type ActionResult = Omit<DeadLetterResult, 'id' | 'code'>;

/** `isLost`: the broker does not accept records, so the remaining letters are not tried. */
type SendResult = ActionResult & { readonly isLost?: boolean };

const DONE = {
  redrive: 'redriven',
  edit: 'edited',
  'mark-sent': 'marked-sent',
  discard: 'discarded',
} as const;
const DISCARD_BATCH = 200;

/** Per letter, writes `begun` to the audit, sends the copy and writes `done`. Without `done`, a repeat is safe. */
export async function sendDeadLetters(
  context: DeadLetterContext,
  letters: readonly DeadLetter[],
  states: DeadLetterStates,
  acting: DeadLetterAction,
): Promise<readonly DeadLetterResult[]> {
  const results: DeadLetterResult[] = [];
  const wanted = new Map(letters.map((letter) => [letter.id, letter]));
  const pause = createBreaks(context);
  const take = async (message: LogMessage): Promise<ReadOn> => {
    if (context.signal.aborted) return 'stop';
    await pause();
    const letter = wanted.get(placeId(message));
    if (letter === undefined) return 'more';
    const { destinations } = context.topics;
    const verdict =
      acting.action === 'mark-sent'
        ? decideMarking(letter, destinations)
        : decideRedrive(letter, states.of(letter.id), acting.options, destinations);
    const sent: SendResult =
      verdict.kind === 'send'
        ? await sendOne(context, { letter, message, verdict }, acting).catch(reportUnexpected)
        : { result: 'refused', why: verdict.why, override: verdict.override };
    const { isLost = false, ...result } = sent;
    wanted.delete(letter.id);
    results.push(...resultsOf([letter], result));
    return isLost ? 'stop' : 'more';
  };
  let fault: string | undefined;
  try {
    await context.log.read(findRanges(letters), take);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    fault = error.message;
  }
  const why = context.signal.aborted ? 'interrupted' : (fault ?? 'not started, or no longer on its topic');
  return [...results, ...resultsOf([...wanted.values()], { result: 'failed', why })];
}

/** Marks letters as discarded with one audit record each, since single records of a topic cannot be deleted. */
export async function discardDeadLetters(
  context: DeadLetterContext,
  letters: readonly DeadLetter[],
  dryRun: boolean,
): Promise<readonly DeadLetterResult[]> {
  if (dryRun) return resultsOf(letters, { result: 'would-discard' });
  const results: DeadLetterResult[] = [];
  for (let at = 0; at < letters.length; at += DISCARD_BATCH) {
    const batch = letters.slice(at, at + DISCARD_BATCH);
    let why = context.signal.aborted ? 'interrupted before it started' : undefined;
    if (why === undefined)
      await publishAudit(context, batch, { action: 'discard', stage: 'done' }).catch((error: unknown) => {
        why = `the audit record could not be written: ${errorText(error)}`;
      });
    const result = why === undefined ? { result: DONE.discard } : { result: 'failed' as const, why };
    results.push(...resultsOf(batch, result));
  }
  return results;
}

function resultsOf(letters: readonly DeadLetter[], result: ActionResult): readonly DeadLetterResult[] {
  return letters.map(({ id, code }) => ({ id, code: sanitise(code), ...result }));
}

function countNames(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** By time, then by place, so that each scan has the same order, whichever partition it reads first. */
function compareAge(one: DeadLetter, other: DeadLetter): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs;
  if (one.offset !== other.offset) return one.offset - other.offset;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

function findMissing({ ids = [] }: Selection, { letters, prefix }: Scan): DeadLetterResult[] {
  const known = new Set(letters.flatMap(({ id, notificationId }) => [id, notificationId?.toLowerCase()]));
  const why = 'no letter with this id matches the selection';
  return ids
    .filter((id) => !known.has(id) && !known.has(prefix + id) && !known.has(id.toLowerCase()))
    .map((id) => ({ id: sanitise(id), code: '-', result: 'failed', why }));
}

interface Sendable {
  readonly letter: DeadLetter;
  readonly message: LogMessage;
  readonly verdict: Extract<Verdict, { kind: 'send' }>;
}

async function sendOne(
  context: DeadLetterContext,
  sendable: Sendable,
  acting: DeadLetterAction,
): Promise<SendResult> {
  const { letter, verdict } = sendable;
  if (acting.action === 'mark-sent') {
    const record = await sentRecord(context, sendable);
    if (acting.options.dryRun) return { result: `would-${acting.action}` };
    return publishAudited(context, sendable, acting, record);
  }
  const whole = await readWholeMessage(context, sendable.message, verdict.to);
  if (whole === undefined) {
    return { result: 'refused', why: 'its value was omitted, and the original topic no longer has it' };
  }
  const isCommand = context.topics.destinations.commands.has(verdict.to.topic);
  const changed =
    acting.edit && (await editMessage({ message: whole, isCommand }, acting.edit, context.codec));
  if (changed?.kind === 'refused') return { result: 'refused', why: changed.why };
  const mayDuplicate = isCommand && letter.code === OUTCOME_UNKNOWN;
  const copy = redriveMessage(whole, verdict.to, { nowMs: context.clock.now(), isCommand, mayDuplicate });
  const edited: OutgoingMessage =
    changed === undefined
      ? copy
      : { ...copy, value: changed.value, headers: { ...copy.headers, ...changed.headers } };
  const message = isCommand ? await proveAgain(context, edited) : edited;
  const to = copy.partition === undefined ? copy.topic : `${copy.topic}/${copy.partition}`;
  const warnings = changed?.warnings.length ? [...changed.warnings] : undefined;
  const reported = { to, warnings };
  if (acting.options.dryRun) return { result: `would-${acting.action}`, ...reported };
  return { ...reported, ...(await publishAudited(context, sendable, acting, message)) };
}

/** Renews the proof of a notification whose id is from the ingress; the operator answers for an edited text (N3). */
async function proveAgain(
  { codec, proofs }: DeadLetterContext,
  message: OutgoingMessage,
): Promise<OutgoingMessage> {
  const { headers = {}, value } = message;
  const id = headerText(headers, HEADER.notificationId) ?? '';
  if (!isIngressId(id)) return message;
  const decoded = await codec.decode({ value, headers });
  if (decoded.kind !== 'decoded' || !COMMAND_TYPES.has(decoded.type)) return message;
  const commandHash = proofs.hash(decoded.payload as SmsCommand | EmailCommand);
  return { ...message, headers: { ...headers, [HEADER.commandProof]: proofs.prove(id, commandHash) } };
}

/** The state of a notification marked as sent. It replaces every other state, and no copy is sent after it. */
async function sentRecord(
  { clock, codec, topics }: DeadLetterContext,
  { letter, message }: Sendable,
): Promise<OutgoingMessage> {
  const { notificationId = '', attempts: attempt } = letter;
  const updatedAt = clock.now();
  const state: NotificationState = {
    notificationId,
    channel: channelOf(letter, topics.prefix) ?? 'sms',
    status: 'sent',
    attempt,
    attempts: addAttempts(readAttempts(headerText(message.headers, HEADER.attemptHistory)), [
      { attempt, at: updatedAt, provider: '-', result: 'sent', code: 'marked-by-operator' },
    ]),
    updatedAt,
    ...BLANK_STATE,
    sender: headerText(message.headers, HEADER.sender),
  };
  const { value, headers } = await codec.encode(STATE_TYPE, state, formatOf(message.value));
  return { topic: topics.outcomes, key: notificationId, value, headers };
}

/** Reports a bug as its letter's result, so that others are kept. Omits the error text, which may quote the payload. */
function reportUnexpected(error: unknown): SendResult {
  if (error instanceof SystemError) throw error;
  const name = error instanceof Error ? error.name : typeof error;
  return { result: 'failed', why: `it provoked an unexpected failure (${name})` };
}

async function publishAudited(
  context: DeadLetterContext,
  { letter, verdict }: Sendable,
  { action, edit }: DeadLetterAction,
  message: OutgoingMessage,
): Promise<SendResult> {
  const record = async (stage: AuditStep['stage'], result?: string): Promise<void> => {
    const overrides = verdict.overrides.length === 0 ? undefined : [...verdict.overrides];
    const members = edit && [...edit.changed];
    await publishAudit(context, [letter], { action, stage, result, overrides, members });
  };
  try {
    await record('begun');
  } catch (error) {
    return { result: 'failed', why: `nothing was sent: ${errorText(error)}`, isLost: true };
  }
  try {
    await context.log.publish([message]);
  } catch (error) {
    const code = error instanceof SystemError ? error.code : 'unexpected';
    const isLost = error instanceof SystemError && error.canRetry;
    if (code === 'send-unknown') {
      return { result: 'failed', why: 'it may have been written; sending it again is safe', isLost };
    }
    await record('failed', code).catch(() => undefined);
    return { result: 'failed', why: `nothing was sent: ${errorText(error)}`, isLost };
  }
  try {
    await record('done', message.topic);
  } catch (error) {
    const why = `it was sent, but the audit record could not be written: ${errorText(error)}`;
    return { result: 'failed', why, isLost: true };
  }
  return { result: DONE[action] };
}

function publishAudit(context: DeadLetterContext, letters: readonly DeadLetter[], step: AuditStep) {
  return context.log.publish(letters.map((letter) => createAuditMessage(context, letter, step)));
}

/** The message, with the original's value if it has none; undefined if the original is gone, or was on a retry tier. */
async function readWholeMessage(
  { log }: DeadLetterContext,
  message: LogMessage,
  original: PartitionOffset,
): Promise<LogMessage | undefined> {
  if (message.value !== null) return message;
  const first = await readOne(log, original);
  const isDead =
    headerText(message.headers, HEADER.deadLetterTopic) === first?.topic &&
    headerText(message.headers, HEADER.deadLetterTimestamp) === String(first?.timestampMs);
  if (first === undefined || first.value === null || !isDead) return undefined;
  const { key, value } = first;
  return { ...message, key, value, headers: { ...first.headers, ...message.headers } };
}

function findRanges(letters: readonly DeadLetter[]): readonly OffsetRange[] {
  const ranges = new Map<string, OffsetRange>();
  for (const { topic, partition, offset } of letters) {
    const id = partitionId(topic, partition);
    const { from, to } = ranges.get(id) ?? { from: offset, to: offset };
    ranges.set(id, { topic, partition, from: Math.min(from, offset), to: Math.max(to, offset + 1) });
  }
  return [...ranges.values()];
}
