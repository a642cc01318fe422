/** What commands do with letters: send them again, as they are or edited, or mark them as discarded. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { LogMessage, OffsetRange, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { ReadOn } from '../../shared/messaging/ports.ts';
import { errorText, SystemError } from '../../shared/platform/errors.ts';
import type { SendOptions } from './arguments.ts';
import { auditMessage, auditRecord, type AuditStep, type LetterStates } from './audit.ts';
import { type CommandContext, createProgress } from './command-context.ts';
import type { Edited } from './edit.ts';
import { type Letter, type LogPlace, OUTCOME_UNKNOWN, placeId } from './letter.ts';
import { readOne } from './letter-log.ts';
import { redriveMessage, verdictOn, type Verdict } from './redrive-rules.ts';

/** What a command did, or would do, with one letter. */
export interface LetterResult {
  readonly id: string;
  readonly code: string;
  readonly result:
    | 'redriven'
    | 'edited'
    | 'discarded'
    | 'would-redrive'
    | 'would-edit'
    | 'would-discard'
    | 'skipped'
    | 'refused'
    | 'failed';
  /** Where it was sent, or would be. */
  readonly to?: string;
  /** Why it was skipped or refused, or how it failed. */
  readonly why?: string;
  /** Edits: fields of the payload that have no effect, as `code;path`. */
  readonly warnings?: readonly string[];
}

/** How letters are sent: unchanged, or edited by `change`. */
export interface Sending {
  readonly action: 'redrive' | 'edit';
  readonly options: SendOptions;
  /** Edits: the changed fields, without values. */
  readonly members?: readonly string[];
  readonly change?: (message: LogMessage) => Promise<Edited>;
}

type Settled = Omit<LetterResult, 'id' | 'code'>;

/** `isLost`: the log cannot be written to, so the others are not tried. */
type Sent = Settled & { readonly isLost?: boolean };

const DONE = { redrive: 'redriven', edit: 'edited' } as const;
const WOULD = { redrive: 'would-redrive', edit: 'would-edit' } as const;
/** Audit records of discards that are written at once. */
const DISCARD_BATCH = 200;

/**
 * Sends letters again, one after the other at the requested rate. For each, the audit records `begun`, the copy is
 * written, the audit records `done`. A letter without `done` may have been sent; sending it again is safe, since a worker
 * recognises the copy of a notification by its attempt, and calculations give the same answer.
 */
export async function sendLetters(
  context: CommandContext,
  letters: readonly Letter[],
  states: LetterStates,
  sending: Sending,
): Promise<readonly LetterResult[]> {
  const results: LetterResult[] = [];
  const wanted = new Map(letters.map((letter) => [letter.id, letter]));
  const pace = createPace(sending.options.dryRun ? Infinity : sending.options.ratePerSecond);
  const progress = createProgress(context, letters.length, 'letters done');
  const take = async (message: LogMessage): Promise<ReadOn> => {
    const letter = wanted.get(placeId(message));
    if (letter === undefined) return 'more';
    if (context.signal.aborted) return 'stop';
    const verdict = verdictOn(letter, states.of(letter.id), sending.options, context.topics.destinations);
    const sent: Sent =
      verdict.kind === 'send'
        ? await sendOne(context, { letter, message, verdict }, sending, pace)
        : { result: 'refused', why: verdict.why };
    const { isLost = false, ...settled } = sent;
    wanted.delete(letter.id);
    results.push({ id: letter.id, code: letter.code, ...settled });
    progress.step();
    return isLost ? 'stop' : 'more';
  };
  let fault: string | undefined;
  try {
    await context.log.read(spanOf(letters), take);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    fault = error.message;
  }
  const why = context.signal.aborted ? 'interrupted' : (fault ?? 'not begun, or no longer on its topic');
  const others = [...wanted.values()].map(({ id, code }) => ({ id, code, result: 'failed', why }) as const);
  return [...results, ...others];
}

/**
 * Marks letters as discarded: an audit record for each, nothing else. The letters stay on their topic until its retention
 * ends, since single records cannot be removed from a log.
 */
export async function discardLetters(
  context: CommandContext,
  letters: readonly Letter[],
  states: LetterStates,
  { dryRun, again }: { readonly dryRun: boolean; readonly again: boolean },
): Promise<readonly LetterResult[]> {
  const results: LetterResult[] = [];
  const open: Letter[] = [];
  for (const letter of letters) {
    const { status } = states.of(letter.id);
    const isHandled = status === 'discarded' || (!again && (status === 'redriven' || status === 'edited'));
    if (!isHandled) open.push(letter);
    else results.push(...resultsOf([letter], { result: 'skipped', why: `it was ${status} already` }));
  }
  if (dryRun) return [...results, ...resultsOf(open, { result: 'would-discard' })];
  const progress = createProgress(context, open.length, 'letters discarded');
  for (let at = 0; at < open.length; at += DISCARD_BATCH) {
    const batch = open.slice(at, at + DISCARD_BATCH);
    results.push(...resultsOf(batch, await discardBatch(context, batch)));
    for (let done = 0; done < batch.length; done += 1) progress.step();
  }
  return results;
}

interface One {
  readonly letter: Letter;
  readonly message: LogMessage;
  readonly verdict: Extract<Verdict, { kind: 'send' }>;
}

async function sendOne(
  context: CommandContext,
  one: One,
  sending: Sending,
  pace: () => Promise<void>,
): Promise<Sent> {
  const { letter, verdict } = one;
  const whole = await wholeMessage(context, one.message, verdict.to);
  if (whole === undefined) {
    return { result: 'refused', why: 'its value was left out, and the original topic no longer has it' };
  }
  const changed = await sending.change?.(whole);
  if (changed?.kind === 'refused') return { result: 'refused', why: changed.why };
  const isCommand = context.topics.destinations.commands.has(verdict.to.topic);
  const mayDuplicate = isCommand && letter.code === OUTCOME_UNKNOWN;
  const copy = redriveMessage(whole, verdict.to, { nowMs: context.clock.now(), isCommand, mayDuplicate });
  const message =
    changed === undefined
      ? copy
      : { ...copy, value: changed.value, headers: { ...copy.headers, ...changed.headers } };
  const to = copy.partition === undefined ? copy.topic : `${copy.topic}/${copy.partition}`;
  const reported = { to, ...(changed === undefined ? {} : { warnings: changed.warnings }) };
  if (sending.options.dryRun) return { result: WOULD[sending.action], ...reported };
  await pace();
  return { ...reported, ...(await publishAudited(context, one, sending, message)) };
}

async function publishAudited(
  context: CommandContext,
  { letter, verdict }: One,
  { action, members }: Sending,
  message: OutgoingMessage,
): Promise<Sent> {
  const record = async (stage: AuditStep['stage'], result?: string): Promise<void> => {
    const overrides = verdict.overrides.length === 0 ? undefined : [...verdict.overrides];
    const step = { action, stage, result, overrides, members: members && [...members] };
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

async function discardBatch(context: CommandContext, letters: readonly Letter[]): Promise<Settled> {
  if (context.signal.aborted) return { result: 'failed', why: 'interrupted before it started' };
  try {
    await publishAudit(context, letters, { action: 'discard', stage: 'done' });
    return { result: 'discarded' };
  } catch (error) {
    return { result: 'failed', why: `the audit record could not be written: ${errorText(error)}` };
  }
}

async function publishAudit(
  { log, topics, actor, clock }: CommandContext,
  letters: readonly Letter[],
  step: AuditStep,
): Promise<void> {
  const records = letters.map((letter) => auditRecord(letter, actor, step, clock.now()));
  await log.publish(records.map((record) => auditMessage(topics.audit, record)));
}

function resultsOf(letters: readonly Letter[], settled: Settled): readonly LetterResult[] {
  return letters.map(({ id, code }) => ({ id, code, ...settled }));
}

/** The message itself; a value left out of a letter because of its size is read from the original topic. */
async function wholeMessage(
  { log }: CommandContext,
  message: LogMessage,
  original: LogPlace,
): Promise<LogMessage | undefined> {
  if (message.value !== null) return message;
  const first = await readOne(log, original);
  if (first === undefined || first.value === null) return undefined;
  return {
    ...message,
    key: first.key,
    value: first.value,
    headers: { ...first.headers, ...message.headers },
  };
}

/** The ranges that hold the letters: of each partition from its first to its last one. */
function spanOf(letters: readonly Letter[]): readonly OffsetRange[] {
  const spans = new Map<string, OffsetRange>();
  for (const { topic, partition, offset } of letters) {
    const id = `${topic}/${partition}`;
    const { from, to } = spans.get(id) ?? { from: offset, to: offset };
    spans.set(id, { topic, partition, from: Math.min(from, offset), to: Math.max(to, offset + 1) });
  }
  return [...spans.values()];
}

/** Waits so that at most `perSecond` calls return in a second, evenly spaced. */
function createPace(perSecond: number): () => Promise<void> {
  let dueAt = performance.now();
  return async () => {
    const waitMs = dueAt - performance.now();
    dueAt = Math.max(dueAt, performance.now()) + 1_000 / perSecond;
    if (waitMs > 0) await sleep(waitMs);
  };
}
