import { setTimeout as sleep } from 'node:timers/promises';
import type { LogMessage, OffsetRange, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { ReadOn } from '../../shared/messaging/ports.ts';
import { errorText, SystemError } from '../../shared/platform/errors.ts';
import { auditMessage, auditRecord, type AuditStep } from './audit-record.ts';
import type { SendOptions } from './command-arguments.ts';
import type { Edited } from './edit-message.ts';
import { type Letter, type LogPlace, OUTCOME_UNKNOWN, placeId } from './letter.ts';
import { readOne } from './letter-log.ts';
import type { LetterResult } from './letter-result.ts';
import type { LetterWorld } from './letter-world.ts';
import { createProgress } from './progress.ts';
import { redriveMessage, verdictOn, type Verdict } from './redrive-rules.ts';
import type { LetterStates } from './letter-states.ts';

/** What becomes of a payload before it is sent: nothing, or an edit. */
export interface Sending {
  readonly action: 'redrive' | 'edit';
  readonly options: SendOptions;
  /** Edits: what is changed, without values. */
  readonly members?: readonly string[];
  readonly change?: (message: LogMessage) => Promise<Edited>;
}

type Settled = Omit<LetterResult, 'id' | 'code'>;

const DONE = { redrive: 'redriven', edit: 'edited' } as const;
const WOULD = { redrive: 'would-redrive', edit: 'would-edit' } as const;

/**
 * Sends letters again, one after the other at the rate asked for. Of each: the audit says that it is begun, the copy is
 * written, the audit says that it is done. A letter begun whose end is not told may have been sent; sending it again is
 * safe, since its worker knows the copy of a notification by its attempt and calculations answer the same.
 */
export async function sendLetters(
  world: LetterWorld,
  letters: readonly Letter[],
  states: LetterStates,
  sending: Sending,
): Promise<readonly LetterResult[]> {
  const results: LetterResult[] = [];
  const wanted = new Map(letters.map((letter) => [letter.id, letter]));
  const pace = createPace(sending.options.dryRun ? Infinity : sending.options.ratePerSecond);
  const progress = createProgress(world.onProgress, letters.length, 'letters done');
  const take = async (message: LogMessage): Promise<ReadOn> => {
    const letter = wanted.get(placeId(message));
    if (letter === undefined) return 'more';
    if (world.signal.aborted) return 'stop';
    const verdict = verdictOn(letter, states.of(letter.id), sending.options, world.topics.destinations);
    const { isLost = false, ...settled } =
      verdict.kind === 'send'
        ? await sendOne(world, { letter, message, verdict }, sending, pace)
        : { result: verdict.kind === 'skip' ? ('skipped' as const) : ('refused' as const), why: verdict.why };
    wanted.delete(letter.id);
    results.push({ id: letter.id, code: letter.code, ...settled });
    progress.step();
    return isLost ? 'stop' : 'more';
  };
  let fault: string | undefined;
  try {
    await world.log.read(spanOf(letters), take);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    fault = error.message;
  }
  const why = world.signal.aborted ? 'interrupted' : (fault ?? 'not begun, or no longer on its topic');
  return [...results, ...[...wanted.values()].map(({ id, code }) => ({ id, code, ...failed(why) }))];
}

interface One {
  readonly letter: Letter;
  readonly message: LogMessage;
  readonly verdict: Extract<Verdict, { kind: 'send' }>;
}

/** `isLost`: the log cannot be written to, so there is no point in going on. */
type Sent = Settled & { readonly isLost?: boolean };

async function sendOne(
  world: LetterWorld,
  one: One,
  sending: Sending,
  pace: () => Promise<void>,
): Promise<Sent> {
  const { letter, verdict } = one;
  const whole = await wholeMessage(world, one.message, verdict.to);
  if (whole === undefined) {
    return { result: 'refused', why: 'its value was left out, and the original topic no longer has it' };
  }
  const changed = await sending.change?.(whole);
  if (changed?.kind === 'refused') return { result: 'refused', why: changed.why };
  const isCommand = world.topics.destinations.commands.has(verdict.to.topic);
  const mayDuplicate = isCommand && letter.code === OUTCOME_UNKNOWN;
  const copy = redriveMessage(whole, verdict.to, { nowMs: world.clock.now(), isCommand, mayDuplicate });
  const message =
    changed === undefined
      ? copy
      : { ...copy, value: changed.value, headers: { ...copy.headers, ...changed.headers } };
  const to = copy.partition === undefined ? copy.topic : `${copy.topic}/${copy.partition}`;
  const told = { to, ...(changed === undefined ? {} : { warnings: changed.warnings }) };
  if (sending.options.dryRun) return { result: WOULD[sending.action], ...told };
  await pace();
  return { ...told, ...(await publishAudited(world, one, sending, message)) };
}

async function publishAudited(
  world: LetterWorld,
  { letter, verdict }: One,
  { action, members }: Sending,
  message: OutgoingMessage,
): Promise<Sent> {
  const tell = async (stage: AuditStep['stage'], result?: string): Promise<void> => {
    const step = {
      action,
      stage,
      ...(result === undefined ? {} : { result }),
      ...(verdict.overrides.length === 0 ? {} : { overrides: [...verdict.overrides] }),
      ...(members === undefined ? {} : { members: [...members] }),
    };
    const record = auditRecord(letter, world.actor, step, world.clock.now());
    await world.log.publish([auditMessage(world.topics.audit, record)]);
  };
  try {
    await tell('begun');
  } catch (error) {
    return { result: 'failed', why: `nothing was sent: ${errorText(error)}`, isLost: true };
  }
  try {
    await world.log.publish([message]);
  } catch (error) {
    const code = error instanceof SystemError ? error.code : 'unexpected';
    const isLost = error instanceof SystemError && error.canRetry;
    if (code === 'send-unknown') {
      return { result: 'failed', why: 'it may have been written; sending it again is safe', isLost };
    }
    await tell('failed', code).catch(() => undefined);
    return { result: 'failed', why: `nothing was sent: ${errorText(error)}`, isLost };
  }
  try {
    await tell('done', message.topic);
  } catch (error) {
    return {
      result: 'failed',
      why: `it was sent, but the audit could not be told: ${errorText(error)}`,
      isLost: true,
    };
  }
  return { result: DONE[action] };
}

function failed(why: string): { readonly result: 'failed'; readonly why: string } {
  return { result: 'failed', why };
}

/** The message itself, or from the original topic what was left out of a letter that was too large. */
async function wholeMessage(
  { log }: LetterWorld,
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

/** Holds back so that no more than `perSecond` go out, evenly. */
function createPace(perSecond: number): () => Promise<void> {
  let dueAt = performance.now();
  return async () => {
    const waitMs = dueAt - performance.now();
    dueAt = Math.max(dueAt, performance.now()) + 1_000 / perSecond;
    if (waitMs > 0) await sleep(waitMs);
  };
}
