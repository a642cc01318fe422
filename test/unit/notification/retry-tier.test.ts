import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConsumerRuntime } from '../../../shared/messaging/consumer/consumer-runtime.ts';
import { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { done } from '../../../shared/messaging/outcome.ts';
import type { BrokerErrorCode } from '../../../shared/messaging/ports.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { createTierProcess } from '../../../workers/notification/retry-tier.ts';
import type { CommandCopy } from '../../../workers/notification/retry/command-copy.ts';
import type { LogEntry } from '../../../workers/notification/state/delivery-log.ts';
import { FakeGroupSource } from '../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessage } from '../../support/fakes/messages.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const DELAY_MS = 10_000;
const ORIGIN = 'commands';
const PARTITIONS = 12;
const ID = '0b1f2f2e-6f5a-4c59-8a8e-0d6a1d0c7a11';
const { signal } = new AbortController();

function lettersTo(publisher: FakePublisher): DeadLetters {
  return new DeadLetters({ publisher, topic: 'dead-letters', groupId: 'tier', clock: { now: () => NOW } });
}

/** Notifications that are ended are added to `rejected`, their channels to `ended`; `entry` is what is known of each. */
function ending(
  rejected: string[] = [],
  ended: Channel[] = [],
  entry: { known: LogEntry | undefined } = { known: undefined },
) {
  const deliveryOf = (channel: Channel) => ({
    reject: ({ id, attempt }: CommandCopy, code: string) => {
      rejected.push(`${id} round ${attempt}: ${code}`);
      ended.push(channel);
      return Promise.resolve(done());
    },
  });
  return {
    origins: new Map<string, Channel>([[ORIGIN, 'sms']]),
    priority: 'normal',
    deliveries: { sms: deliveryOf('sms'), email: deliveryOf('email') },
    deliveryLog: { caughtUp: () => Promise.resolve(), find: () => entry.known },
  } as const;
}

/** A tier of ten seconds with clocks that the test moves. */
function tier() {
  const time = { wallMs: NOW, elapsedMs: 5_000 };
  const copies = new FakePublisher();
  const letters = new FakePublisher();
  const rejected: string[] = [];
  const ended: Channel[] = [];
  const entry: { known: LogEntry | undefined } = { known: undefined };
  const counts = new Map([[ORIGIN, PARTITIONS]]);
  const process = createTierProcess({
    ...ending(rejected, ended, entry),
    copies,
    admin: { partitionCounts: () => Promise.resolve(counts) },
    deadLetters: lettersTo(letters),
    delayMs: DELAY_MS,
    clock: { now: () => time.wallMs },
    monotonic: { elapsedMs: () => time.elapsedMs },
    onDeadLetter: () => undefined,
  });
  const pass = (ms: number) => {
    time.wallMs += ms;
    time.elapsedMs += ms;
  };
  /** Processes the message as one that was received `agoMs` ago. */
  const handling = (message: LogMessage, agoMs = 0) => {
    const receivedMs = time.elapsedMs - agoMs;
    return () => process(message, 1, signal, { receivedMs, steps: 0 });
  };
  return { time, copies, letters, rejected, ended, entry, counts, pass, handling };
}

/** A copy whose writer's clock is skewed by the given time. */
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

  it.each([
    ['its writer is an hour ahead', HOUR_MS],
    ['its reader is an hour behind', HOUR_MS],
    ['its writer is days ahead', 72 * HOUR_MS],
  ])('waits at most the delay of its tier when %s', async (_, skewMs) => {
    const { pass, handling } = tier();
    const handle = handling(copy(skewMs));
    expect(await handle()).toEqual({ retryAfterMs: DELAY_MS });
    pass(DELAY_MS - 1);
    expect(await handle()).toEqual({ retryAfterMs: 1 });
    pass(1);
    expect(await handle()).toBe('settled');
  });

  it('counts its wait while it is queued behind another copy of its key', async () => {
    expect(await tier().handling(copy(HOUR_MS), DELAY_MS)()).toBe('settled');
    expect(await tier().handling(copy(-HOUR_MS), 1_000)()).toBe('settled');
  });

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

/** The failure of a publish. */
function failing(code: BrokerErrorCode, canRetry = false) {
  return () => Promise.reject(new MessagingError(code, 'rejected', { canRetry }));
}

/** A tier with a copy that is due. */
function due() {
  return { ...tier(), message: copy(0, { writtenMs: NOW - DELAY_MS }) };
}

describe('a copy that is due', () => {
  it.each<[BrokerErrorCode]>([['message-too-large'], ['invalid-message']])(
    'becomes a dead letter when its topic rejects it for its content: %s',
    async (code) => {
      const { copies, letters, handling, message } = due();
      copies.onPublish = failing(code);
      expect(await handling(message, DELAY_MS)()).toBe('settled');
      expect(letters.sent).toMatchObject([
        { value: message.value, headers: { [HEADER.deadLetterCode]: 'undecodable-message' } },
      ]);
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
    const { copies, ended, entry, letters, handling, message } = due();
    entry.known = known === undefined ? undefined : { status: 'retrying', attempt: 1, channel: known };
    copies.onPublish = failing('invalid-message');
    const headers = { ...message.headers, [HEADER.notificationId]: ID, [HEADER.retryTopic]: topic };
    expect(await handling({ ...message, headers }, DELAY_MS)()).toBe('settled');
    expect([ended, letters.sent]).toEqual([[channel], []]);
  });

  it('ends its notification when its topic rejects it for its content', async () => {
    const { copies, letters, rejected, handling, message } = due();
    copies.onPublish = failing('message-too-large');
    const headers = { ...message.headers, [HEADER.notificationId]: ID };
    expect(await handling({ ...message, headers }, DELAY_MS)()).toBe('settled');
    expect(rejected).toEqual([`${ID} round 2: undecodable-message`]);
    expect(letters.sent).toEqual([]);
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

/** The consumer of a tier that has received these copies. */
function consuming(messages: readonly LogMessage[]) {
  const copies = new FakePublisher();
  const source = new FakeGroupSource();
  const runtime = new ConsumerRuntime({
    ...systemPorts,
    process: createTierProcess({
      ...ending(),
      copies,
      admin: { partitionCounts: () => Promise.resolve(new Map()) },
      deadLetters: lettersTo(new FakePublisher()),
      delayMs: DELAY_MS,
      clock: { now: () => Date.now() },
      monotonic: { elapsedMs: () => performance.now() },
      onDeadLetter: () => undefined,
    }),
    log: silentLog,
    stallMs: DELAY_MS + 60_000,
  });
  const sink = runtime.attach(source, () => undefined);
  sink.onAssigned(1, [{ topic: FAKE_TOPIC, partition: 0 }]);
  sink.onMessages(1, messages, messages.length);
  return { copies, runtime };
}

describe('the consumer of a tier', () => {
  beforeEach(() => vi.useFakeTimers({ now: NOW }));
  afterEach(() => vi.useRealTimers());

  it('is ready while copies wait that are due far in the future by the clock of their writer', async () => {
    const { copies, runtime } = consuming([copy(55 * 60_000)]);
    for (let passedMs = 0; passedMs < 120_000; passedMs += 5_000) {
      expect(runtime.health().status).toBe('ready');
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(copies.sent).toHaveLength(1);
  });
});
