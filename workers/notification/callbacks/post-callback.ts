import type { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { readRequest } from '../../../shared/messaging/handler/request.ts';
import { HEADER, headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Process } from '../../../shared/messaging/outcome.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { withoutHeaders } from '../retry/command-copy.ts';
import { planRetry } from '../retry/retry-plan.ts';
import type { CallbackReceiver } from './callback-receiver.ts';
import { CALLBACK_TIME_LIMIT_MS } from './outcome-callback.ts';

/** Until an interrupted call is repeated, should the process not stop after all. */
const ABORTED_MS = 1_000;

export interface CallbackPosting {
  readonly clock: Clock;
  readonly copies: Publisher;
  readonly tierTopic: (delayMs: number) => string;
  readonly tiersMs: readonly number[];
  readonly deadLetters: Pick<DeadLetters, 'write'>;
  readonly receiverOf: (sender: string) => Pick<CallbackReceiver, 'post'> | undefined;
  readonly count: (result: 'accepted' | 'retried' | 'dead-letter') => void;
}

/** Posts a callback, or puts it on a retry tier. After the time limit it becomes a dead letter. */
export function createCallbackProcess(parts: CallbackPosting): Process {
  const { clock, copies, tiersMs, tierTopic, deadLetters, receiverOf, count } = parts;
  const plan = { tiersMs, timeLimitMs: CALLBACK_TIME_LIMIT_MS };
  return async (message, _, signal) => {
    const { headers, value } = message;
    const receiver = value === null ? undefined : receiverOf(headerText(headers, HEADER.sender) ?? '');
    const id = headerText(headers, HEADER.callbackId) ?? '';
    const result = (value && (await receiver?.post(id, value, signal))) ?? NO_ADDRESS;
    if (result.kind === 'aborted') return { retryAfterMs: ABORTED_MS };
    if (result.kind === 'accepted') {
      count('accepted');
      return 'settled';
    }
    const round = headerNumber(headers, HEADER.attempt) ?? 1;
    const fromMs = limitFromMs(message);
    const isBusy = result.kind === 'busy';
    const delayMs = isBusy ? tiersMs[0] : planRetry(plan, round, clock.now() - fromMs);
    if (receiver === undefined || delayMs === undefined) {
      const letter = { ...message, headers: withoutHeaders(headers, HEADER.timeLimitFrom, HEADER.attempt) };
      const text = `the callback was not accepted: ${result.kind === 'busy' ? 'busy' : result.code}`;
      await deadLetters.write(readRequest(letter, round, signal), { code: 'callback-failed', text });
      count('dead-letter');
      return 'settled';
    }
    const copied = {
      ...headers,
      [HEADER.attempt]: String(isBusy ? round : round + 1),
      [HEADER.timeLimitFrom]: String(fromMs),
      [HEADER.dueAt]: String(clock.now() + delayMs),
      [HEADER.retryTopic]: message.topic,
      [HEADER.retryPartition]: String(message.partition),
    };
    await copies.publish([{ topic: tierTopic(delayMs), key: message.key, value, headers: copied }]);
    count('retried');
    return 'settled';
  };
}

const NO_ADDRESS = { kind: 'failed', code: 'no-address' } as const;

/** A redriven callback has a new time limit. */
function limitFromMs({ headers, timestampMs }: LogMessage): number {
  const isRedriven = headerNumber(headers, HEADER.redriveCount) !== undefined;
  const firstMs = isRedriven ? timestampMs : headerNumber(headers, HEADER.originTimestamp);
  return headerNumber(headers, HEADER.timeLimitFrom) ?? firstMs ?? timestampMs;
}
