import { describe, expect, it } from 'vitest';
import { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { done } from '../../../shared/messaging/outcome.ts';
import type { BrokerErrorCode } from '../../../shared/messaging/ports.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { createTierProcess } from '../../../workers/notification/retry-tier.ts';
import type { CommandCopy } from '../../../workers/notification/retry/command-copy.ts';
import type { LogEntry } from '../../../workers/notification/state/delivery-log.ts';
import { fakeMessage } from '../../support/fakes/messages.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { virtualTime } from '../../support/fakes/virtual-time.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const DELAY_MS = 10_000;
const ORIGIN = 'commands';
const PARTITIONS = 12;
const ID = '0b1f2f2e-6f5a-4c59-8a8e-0d6a1d0c7a11';
const { signal } = new AbortController();

function tier() {
  const { time, pass, clock, monotonic } = virtualTime({ wallMs: NOW, elapsedMs: 5_000 });
  const copies = new FakePublisher();
  const letters = new FakePublisher();
  const rejected: string[] = [];
  const entry: { known: LogEntry | undefined } = { known: undefined };
  const counts = new Map([[ORIGIN, PARTITIONS]]);
  const deliveryOf = (channel: Channel) => ({
    reject: ({ id, attempt }: CommandCopy, code: string) => {
      rejected.push(`${channel} ${id} round ${attempt}: ${code}`);
      return Promise.resolve(done());
    },
  });
  const process = createTierProcess({
    origins: new Map<string, Channel>([[ORIGIN, 'sms']]),
    priority: 'normal',
    deliveries: { sms: deliveryOf('sms'), email: deliveryOf('email') },
    deliveryLog: { caughtUp: () => Promise.resolve(), find: () => entry.known },
    copies,
    admin: { partitionCounts: () => Promise.resolve(counts) },
    deadLetters: new DeadLetters({ publisher: letters, topic: 'dead-letters', groupId: 'tier', clock }),
    delayMs: DELAY_MS,
    clock,
    monotonic,
    onDeadLetter: () => undefined,
  });
  const handling = (message: LogMessage, agoMs = 0) => {
    const receivedMs = time.elapsedMs - agoMs;
    return () => process(message, 1, signal, { receivedMs, steps: 0 });
  };
  return { time, copies, letters, rejected, entry, counts, pass, handling };
}

function copy(skewMs: number, { attempt = 2, writtenMs = NOW, waitMs = DELAY_MS } = {}): LogMessage {
  const timestampMs = writtenMs + skewMs;
  const headers = {
    [HEADER.retryTopic]: ORIGIN,
    [HEADER.retryPartition]: '3',
    [HEADER.attempt]: String(attempt),
    [HEADER.dueAt]: String(timestampMs + waitMs),
  };
  return fakeMessage(0, { headers, timestampMs });
}

describe('a copy on a retry tier', () => {
  it('waits until it is due if the clocks agree', async () => {
    const { copies, pass, handling } = tier();
    pass(4_000);
    const handle = handling(copy(0));
    expect(await handle()).toEqual({ retryAfterMs: 6_000 });
    pass(6_000);
    expect(await handle()).toBe('settled');
    expect(copies.sent).toMatchObject([{ topic: ORIGIN, partition: 3 }]);
  });

  it.each([1, 72])('waits at most the delay of its tier when its writer is %i hours ahead', async (hours) => {
    const { pass, handling } = tier();
    const handle = handling(copy(hours * HOUR_MS));
    expect(await handle()).toEqual({ retryAfterMs: DELAY_MS });
    pass(DELAY_MS - 1);
    expect(await handle()).toEqual({ retryAfterMs: 1 });
    pass(1);
    expect(await handle()).toBe('settled');
  });

  it.each([
    [HOUR_MS, DELAY_MS],
    [-HOUR_MS, 1_000],
  ])(
    'counts its wait (skew of %i ms) while it is queued behind another of its key',
    async (skewMs, agoMs) => {
      expect(await tier().handling(copy(skewMs), agoMs)()).toBe('settled');
    },
  );

  it.each([
    ['was attempted', 2],
    ['is kept by position only', 1],
  ])('that %s waits at least a second if its writer is an hour behind', async (_, attempt) => {
    const { pass, handling } = tier();
    const handle = handling(copy(-HOUR_MS, { attempt }));
    expect(await handle()).toEqual({ retryAfterMs: 1_000 });
    pass(1_000);
    expect(await handle()).toBe('settled');
  });

  it.each([
    ['forward', HOUR_MS, 'settled'],
    ['back', -HOUR_MS, { retryAfterMs: DELAY_MS / 2 }],
  ])(
    'waits at most the planned time when the clock is set %s during its wait',
    async (_, jumpMs, expected) => {
      const { time, pass, handling } = tier();
      const handle = handling(copy(0));
      expect(await handle()).toEqual({ retryAfterMs: DELAY_MS });
      pass(DELAY_MS / 2);
      time.wallMs += jumpMs;
      expect(await handle()).toEqual(expected);
    },
  );
});

const failing =
  (code: BrokerErrorCode, canRetry = false) =>
  () =>
    Promise.reject(new MessagingError(code, 'rejected', { canRetry }));
const due = () => ({ ...tier(), message: copy(0, { writtenMs: NOW - DELAY_MS }) });

describe('a copy that is due', () => {
  it.each<BrokerErrorCode>(['message-too-large', 'invalid-message'])(
    'becomes a dead letter when its topic rejects it for its content: %s',
    async (code) => {
      const { copies, letters, handling, message } = due();
      copies.onPublish = failing(code);
      expect(await handling(message, DELAY_MS)()).toBe('settled');
      const headers = { [HEADER.deadLetterCode]: 'undecodable-message' };
      expect(letters.sent).toMatchObject([{ value: message.value, headers }]);
    },
  );

  it.each<[string, MessageHeaders]>([
    ['without a topic', { [HEADER.retryTopic]: undefined }],
    ['of an unknown topic', { [HEADER.retryTopic]: 'unknown.topic' }],
    ['of a negative partition', { [HEADER.retryPartition]: '-1' }],
    ['of a partition that its topic does not have', { [HEADER.retryPartition]: '12' }],
  ])('becomes a dead letter at once %s', async (_, changed) => {
    const { copies, letters, handling, message } = due();
    copies.onPublish = failing('topic-unknown');
    const headers = { ...message.headers, ...changed, [HEADER.dueAt]: '9999999999999' };
    const agoMs = HEADER.retryTopic in changed || changed[HEADER.retryPartition] === '-1' ? 0 : DELAY_MS;
    expect(await handling({ ...message, headers }, agoMs)()).toBe('settled');
    const reason = 'the copy on a retry tier has no topic and partition to return to';
    expect(letters.sent).toMatchObject([{ headers: { [HEADER.deadLetterReason]: reason } }]);
  });

  it.each([
    ['of its origin', ORIGIN, undefined, 'sms'],
    ['that is known of the notification', 'unknown.topic', 'email', 'email'],
  ] as const)('ends its notification in the channel %s', async (_, topic, known, channel) => {
    const { copies, rejected, entry, letters, handling, message } = due();
    entry.known = known === undefined ? undefined : { status: 'retrying', attempt: 1, channel: known };
    copies.onPublish = failing('invalid-message');
    const headers = { ...message.headers, [HEADER.notificationId]: ID, [HEADER.retryTopic]: topic };
    expect(await handling({ ...message, headers }, DELAY_MS)()).toBe('settled');
    expect([rejected, letters.sent]).toEqual([[`${channel} ${ID} round 2: undecodable-message`], []]);
  });

  it('of a callback does not end the notification', async () => {
    const { copies, rejected, entry, letters, handling, message } = due();
    entry.known = { status: 'sent', attempt: 1, channel: 'sms' };
    copies.onPublish = failing('invalid-message');
    const headers = { ...message.headers, [HEADER.notificationId]: ID, [HEADER.callbackId]: `${ID}_sent` };
    expect(await handling({ ...message, headers }, DELAY_MS)()).toBe('settled');
    expect([rejected, letters.sent.length]).toEqual([[], 1]);
  });

  it.each<[string, BrokerErrorCode, boolean, number | undefined]>([
    ['the topic is missing', 'topic-unknown', false, undefined],
    ['the partition is known to the broker only', 'topic-unknown', false, 4],
    ['the topic may not be written', 'broker-refused', false, 4],
    ['the broker is unavailable', 'not-sent', true, 3],
  ])('stays on the tier while %s', async (_, code, canRetry, count) => {
    const { copies, counts, letters, handling, message } = due();
    copies.onPublish = failing(code, canRetry);
    counts.clear();
    if (count !== undefined) counts.set(ORIGIN, count);
    await expect(handling(message, DELAY_MS)()).rejects.toMatchObject({ canRetry: true });
    expect(letters.sent).toEqual([]);
  });
});
