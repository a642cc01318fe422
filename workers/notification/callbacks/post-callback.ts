import { createHmac } from 'node:crypto';
import { CONTENT_TYPE } from '../../../shared/messaging/codec/message-codec.ts';
import type { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { readRequest } from '../../../shared/messaging/handler/request.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { Process } from '../../../shared/messaging/outcome.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { CallbackSettings } from '../../../shared/platform/callback-settings.ts';
import { createPublicLookup } from '../../../shared/platform/public-address.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { createHttpCaller, type CallOutcome } from '../providers/http-call.ts';
import { deadCopy, readCopy, retryCopy } from '../retry/command-copy.ts';
import { planRetry } from '../retry/retry-plan.ts';

/** A callback is repeated for this long. */
const CALLBACK_TIME_LIMIT_MS = 24 * 3_600_000;
const TIMEOUT_MS = 10_000;
const CONNECTIONS = 8;
/** Callbacks of a receiver that a process has in hand. Further ones wait on a retry tier and delay no others. */
export const MAX_IN_HAND = 256;
/** Until an interrupted call is repeated, should the process not stop after all. */
const ABORTED_MS = 1_000;

/** The signature of Standard Webhooks 1.0. `atSeconds`: the time of the attempt. */
export function callbackHeaders(key: Buffer, id: string, atSeconds: number, body: Buffer) {
  const signature = createHmac('sha256', key).update(`${id}.${atSeconds}.`).update(body).digest('base64');
  return {
    'content-type': CONTENT_TYPE.json,
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': `v1,${signature}`,
  };
}

/** Why a callback was not accepted. `isUncalled`: the receiver has too many calls; that says nothing about it. */
type Refusal = Pick<Extract<CallOutcome, { kind: 'transient' }>, 'code' | 'isUncalled'>;

export type CallbackReceiver = ReturnType<typeof createCallbackReceiver>;

/** Posts the callbacks of one sender. While calls fail, only one at a time is made; the others count as failed. */
export function createCallbackReceiver(
  { url, key, allowPrivate }: CallbackSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  const { host, origin, pathname, search } = url;
  const caller = createHttpCaller({
    origin,
    timeoutMs: TIMEOUT_MS,
    connections: CONNECTIONS,
    ca: undefined,
    lookup: allowPrivate ? undefined : createPublicLookup(),
  });
  let inHand = 0;
  let failure: Refusal | undefined;
  const ended = (refused: Refusal | undefined): Refusal | undefined => {
    if ((refused === undefined) !== (failure === undefined))
      log.warn({ host, code: refused?.code ?? 'accepted' }, 'a receiver of callbacks fails or recovers');
    return (failure = refused);
  };
  const call = async (id: string, body: Buffer, signal: AbortSignal): Promise<Refusal | undefined> => {
    const headers = callbackHeaders(key, id, Math.floor(clock.now() / 1_000), body);
    const request = { method: 'POST', path: pathname + search, headers, body } as const;
    const outcome = await caller.call(request, signal, 'urgent');
    if (outcome.kind !== 'response')
      return signal.aborted || 'isUncalled' in outcome ? outcome : ended(outcome);
    const { status } = outcome.response;
    return ended(status >= 200 && status < 300 ? undefined : { code: `http-${status}` });
  };
  return {
    /** Resolves with undefined if the callback was accepted. Follows no redirect. Never rejects. */
    post: async (id: string, body: Buffer, signal: AbortSignal): Promise<Refusal | undefined> => {
      if (failure !== undefined && inHand > 0) return failure;
      if (inHand >= MAX_IN_HAND) return { code: 'busy', isUncalled: true };
      inHand += 1;
      return call(id, body, signal).finally(() => (inHand -= 1));
    },
    close: () => caller.close(),
  };
}

interface CallbackPosting {
  readonly clock: Clock;
  readonly copies: Publisher;
  readonly tierTopic: (delayMs: number) => string;
  readonly tiersMs: readonly number[];
  readonly deadLetters: Pick<DeadLetters, 'write'>;
  readonly receiverOf: (sender: string) => Pick<CallbackReceiver, 'post'> | undefined;
}

/** Posts a callback, or puts it on a retry tier. After the time limit it becomes a dead letter. */
export function createCallbackProcess(parts: CallbackPosting): Process {
  const { clock, copies, tiersMs, tierTopic, deadLetters, receiverOf } = parts;
  const plan = { tiersMs, timeLimitMs: CALLBACK_TIME_LIMIT_MS };
  return async (message, attempt, signal) => {
    const { headers, value } = message;
    const receiver = receiverOf(headerText(headers, HEADER.sender) ?? '');
    const id = headerText(headers, HEADER.callbackId) ?? '';
    const refused = receiver && value ? await receiver.post(id, value, signal) : NO_ADDRESS;
    if (refused === undefined) return 'settled';
    if (signal.aborted) return { retryAfterMs: ABORTED_MS };
    const request = readRequest(message, attempt, signal);
    const copy = readCopy(message, request.originTimestampMs, undefined);
    const isBusy = refused.isUncalled === true;
    const now = clock.now();
    const delayMs = isBusy ? tiersMs[0] : planRetry(plan, copy.attempt, now - copy.timeLimitFromMs);
    if (refused === NO_ADDRESS || delayMs === undefined) {
      const text = `the callback was not accepted: ${refused.code}`;
      const letter = { ...request, attempt: copy.attempt, message: deadCopy(copy, []) };
      await deadLetters.write(letter, { code: 'callback-failed', text });
      return 'settled';
    }
    const next = { topic: tierTopic(delayMs), dueAtMs: now + delayMs, attempts: [] };
    await copies.publish([retryCopy(copy, { ...next, attempt: copy.attempt + (isBusy ? 0 : 1) })]);
    return 'settled';
  };
}

const NO_ADDRESS: Refusal = { code: 'no-address' };
