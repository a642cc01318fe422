import type { ActionReply } from '../contract/operations/dead-letter-calls.ts';
import { HEADER } from '../messaging/header-names.ts';
import { headerText } from '../messaging/headers.ts';
import type { LogMessage, MessageHeaders, OffsetRange, OutgoingMessage } from '../messaging/message.ts';
import type { ReadOn } from '../messaging/ports.ts';
import { errorText, SystemError } from '../platform/errors.ts';
import { type AuditStep, createAuditMessage, type LetterStates } from './audit.ts';
import { createBreaks, type LetterContext } from './letter-context.ts';
import type { Editable, Edited } from './edit.ts';
import { addAttempts, readAttempts } from '../notification/attempt-history.ts';
import type { EmailCommand, SmsCommand } from '../notification/command.ts';
import { isIngressId } from '../notification/command-proof.ts';
import { OUTCOME_UNKNOWN, type NotificationState } from '../notification/notification-state.ts';
import { type Letter, type LogPlace, placeId, sanitise } from './letter.ts';
import { readOne } from './letter-log.ts';
import {
  redriveMessage,
  decideMarking,
  decideRedrive,
  type SendOptions,
  type Verdict,
} from './redrive-rules.ts';
import { channelOf } from './selection.ts';

/** The result of an action on one letter; `would-` in a dry run. */
export type LetterResult = ActionReply['letters'][number];

/** How letters are sent: unchanged, or edited by `change`; those that are marked as sent are not sent again. */
export interface Sending {
  readonly action: 'redrive' | 'edit' | 'mark-sent';
  readonly options: Omit<SendOptions, 'again'>;
  /** The fields that an edit changes, without values. */
  readonly changed?: readonly string[] | undefined;
  readonly change?: ((letter: Editable) => Promise<Edited>) | undefined;
}

type ActionResult = Omit<LetterResult, 'id' | 'code'>;

/** `isLost`: the broker does not accept records, so the remaining letters are not tried. */
type SendResult = ActionResult & { readonly isLost?: boolean };

const DONE = { redrive: 'redriven', edit: 'edited', 'mark-sent': 'marked-sent' } as const;
const WOULD = { redrive: 'would-redrive', edit: 'would-edit', 'mark-sent': 'would-mark-sent' } as const;
const COMMANDS: ReadonlySet<string> = new Set(['SendSmsCommand', 'SendEmailCommand']);
/** Maximum number of audit records of discards in one publish. */
const DISCARD_BATCH = 200;

/**
 * Sends letters again, one after the other. Writes `begun` to the audit, then the copy, then `done`.
 * A letter without `done` may have been sent. Sending it again is safe, since workers recognise the copy of a notification
 * by its attempt number, and calculations return the same result.
 */
export async function sendLetters(
  context: LetterContext,
  letters: readonly Letter[],
  states: LetterStates,
  sending: Sending,
): Promise<readonly LetterResult[]> {
  const results: LetterResult[] = [];
  const wanted = new Map(letters.map((letter) => [letter.id, letter]));
  const pause = createBreaks(context);
  const take = async (message: LogMessage): Promise<ReadOn> => {
    if (context.signal.aborted) return 'stop';
    await pause();
    const letter = wanted.get(placeId(message));
    if (letter === undefined) return 'more';
    const { destinations } = context.topics;
    const verdict =
      sending.action === 'mark-sent'
        ? decideMarking(letter, destinations)
        : decideRedrive(letter, states.of(letter.id), sending.options, destinations);
    const sent: SendResult =
      verdict.kind === 'send'
        ? await sendOne(context, { letter, message, verdict }, sending).catch(reportUnexpected)
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

/**
 * Marks letters as discarded, by an audit record for each. They stay on their topic until its retention ends, since single records
 * of a topic cannot be deleted.
 */
export async function discardLetters(
  context: LetterContext,
  letters: readonly Letter[],
  dryRun: boolean,
): Promise<readonly LetterResult[]> {
  if (dryRun) return resultsOf(letters, { result: 'would-discard' });
  const results: LetterResult[] = [];
  for (let at = 0; at < letters.length; at += DISCARD_BATCH) {
    const batch = letters.slice(at, at + DISCARD_BATCH);
    results.push(...resultsOf(batch, await discardBatch(context, batch)));
  }
  return results;
}

/** A letter with its message and destination. */
interface Sendable {
  readonly letter: Letter;
  readonly message: LogMessage;
  readonly verdict: Extract<Verdict, { kind: 'send' }>;
}

async function sendOne(context: LetterContext, sendable: Sendable, sending: Sending): Promise<SendResult> {
  const { letter, verdict } = sendable;
  if (sending.action === 'mark-sent') {
    const record = await sentRecord(context, sendable);
    if (sending.options.dryRun) return { result: WOULD[sending.action] };
    return publishAudited(context, sendable, sending, record);
  }
  const whole = await readWholeMessage(context, sendable.message, verdict.to);
  if (whole === undefined) {
    return { result: 'refused', why: 'its value was omitted, and the original topic no longer has it' };
  }
  const isCommand = context.topics.destinations.commands.has(verdict.to.topic);
  const changed = await sending.change?.({ message: whole, isCommand });
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
  if (sending.options.dryRun) return { result: WOULD[sending.action], ...reported };
  return { ...reported, ...(await publishAudited(context, sendable, sending, message)) };
}

/** A notification under an id of the ingress gets the proof of its text, for which the operator answers. */
async function proveAgain(
  { codec, proofs }: LetterContext,
  message: OutgoingMessage,
): Promise<OutgoingMessage> {
  const { headers = {}, value } = message;
  const id = headerText(headers, HEADER.notificationId) ?? '';
  if (!isIngressId(id)) return message;
  const decoded = await codec.decode({ value, headers });
  if (decoded.kind !== 'decoded' || !COMMANDS.has(decoded.type)) return message;
  const commandHash = proofs.hash(decoded.payload as SmsCommand | EmailCommand);
  return { ...message, headers: { ...headers, [HEADER.commandProof]: proofs.prove(id, commandHash) } };
}

/** The state of a notification that an operator marks as sent. It replaces every other state, and no copy is sent after it. */
async function sentRecord(
  { clock, codec, topics }: LetterContext,
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
    nextAttemptAt: undefined,
    providerMessageId: undefined,
    code: undefined,
    owner: undefined,
    leaseUntil: undefined,
  };
  const { value, headers } = await codec.encode('NotificationState', state, 'avro');
  return { topic: topics.outcomes, key: notificationId, value, headers };
}

/** A letter that provokes a bug must not hide what was done with the others. Without the text, which may quote the payload. */
function reportUnexpected(error: unknown): SendResult {
  if (error instanceof SystemError) throw error;
  const name = error instanceof Error ? error.name : typeof error;
  return { result: 'failed', why: `it provoked an unexpected failure (${name})` };
}

async function publishAudited(
  context: LetterContext,
  { letter, verdict }: Sendable,
  { action, changed }: Sending,
  message: OutgoingMessage,
): Promise<SendResult> {
  const record = async (stage: AuditStep['stage'], result?: string): Promise<void> => {
    const overrides = verdict.overrides.length === 0 ? undefined : [...verdict.overrides];
    const step = { action, stage, result, overrides, members: changed && [...changed] };
    await publishAudit(context, [letter], step);
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

async function discardBatch(context: LetterContext, letters: readonly Letter[]): Promise<ActionResult> {
  if (context.signal.aborted) return { result: 'failed', why: 'interrupted before it started' };
  try {
    await publishAudit(context, letters, { action: 'discard', stage: 'done' });
    return { result: 'discarded' };
  } catch (error) {
    return { result: 'failed', why: `the audit record could not be written: ${errorText(error)}` };
  }
}

async function publishAudit(
  context: LetterContext,
  letters: readonly Letter[],
  step: AuditStep,
): Promise<void> {
  await context.log.publish(letters.map((letter) => createAuditMessage(context, letter, step)));
}

/** The results of letters, whose codes another system may have written. */
export function resultsOf(letters: readonly Letter[], result: ActionResult): readonly LetterResult[] {
  return letters.map(({ id, code }) => ({ id, code: sanitise(code), ...result }));
}

/**
 * The message with its value, which is read from the original topic if it was too large for the dead letter. Undefined if the
 * record is gone, or was on a retry tier: another message has its offset on the original topic.
 */
async function readWholeMessage(
  { log }: LetterContext,
  message: LogMessage,
  original: LogPlace,
): Promise<LogMessage | undefined> {
  if (message.value !== null) return message;
  const first = await readOne(log, original);
  if (first === undefined || first.value === null || !isDeadRecord(first, message.headers)) return undefined;
  return {
    ...message,
    key: first.key,
    value: first.value,
    headers: { ...first.headers, ...message.headers },
  };
}

/** Whether a record is the one that became the dead letter with these headers. */
function isDeadRecord({ topic, timestampMs }: LogMessage, headers: MessageHeaders): boolean {
  return (
    headerText(headers, HEADER.deadLetterTopic) === topic &&
    headerText(headers, HEADER.deadLetterTimestamp) === String(timestampMs)
  );
}

/** For each partition, the range from its first to its last letter. */
function findRanges(letters: readonly Letter[]): readonly OffsetRange[] {
  const ranges = new Map<string, OffsetRange>();
  for (const { topic, partition, offset } of letters) {
    const id = `${topic}/${partition}`;
    const { from, to } = ranges.get(id) ?? { from: offset, to: offset };
    ranges.set(id, { topic, partition, from: Math.min(from, offset), to: Math.max(to, offset + 1) });
  }
  return [...ranges.values()];
}
