import type { Broker, Consumer } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FetchClient } from '../../../../shared/messaging/kafka/partition-fetcher.ts';
import { KafkaGroupSource, startConsumer } from '../../../../shared/messaging/kafka/kafka-group-source.ts';
import type { CreateKafkajsClient } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import type { BrokerErrorCode, GroupSink } from '../../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { fakeMessages } from '../../../support/fakes/messages.ts';
import { sleep } from '../../../support/conformance/wait.ts';

const TOPIC = 't';
const COMMITTED = 100;
const nothing = () => Promise.resolve();
const brokerError = (type: string) => Object.assign(new Error(type), { type });

function setUp() {
  const pending: PromiseWithResolvers<object>[] = [];
  const commits: unknown[] = [];
  const closed: string[] = [];
  const held: { until: Promise<void> | undefined } = { until: undefined };
  const listeners = new Map<string, (event: object) => void>();
  let generationId = 0;
  const coordinator = {
    joinGroup: () => Promise.resolve({ generationId: (generationId += 1), memberId: 'm' }),
    offsetFetch: () => {
      const answer = Promise.withResolvers<object>();
      pending.push(answer);
      return answer.promise;
    },
    offsetCommit: (commit: unknown) => Promise.resolve(void commits.push(commit)),
  };
  const cluster = { findGroupCoordinator: () => Promise.resolve(coordinator as unknown as Broker) };
  /** As kafkajs does when a heartbeat says that the group rebalances. */
  const rejoin = async () => {
    const found = (await cluster.findGroupCoordinator()) as unknown as typeof coordinator;
    await found.joinGroup();
  };
  const emit = (name: string, payload = {}) => listeners.get(name)?.({ payload });
  const assign = (partitions: readonly number[]) =>
    emit('join', { memberAssignment: { [TOPIC]: partitions } });
  const consumer = {
    events: { GROUP_JOIN: 'join', HEARTBEAT: 'heartbeat', REQUEST_TIMEOUT: 'timeout', CRASH: 'crash' },
    on: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    connect: nothing,
    subscribe: nothing,
    pause: nothing,
    disconnect: nothing,
    run: () => rejoin().then(() => assign([0, 1])),
  } as unknown as Consumer;
  const createClient = (() => ({
    kafka: {
      consumer: ({ partitionAssigners }: { partitionAssigners: ((parts: object) => object)[] }) => {
        partitionAssigners[0]?.({ cluster });
        return consumer;
      },
    },
    connections: { close: (broker: string) => closed.push(broker), destroy: () => undefined },
  })) as unknown as CreateKafkajsClient;
  const open = new Set<FetchClient>();
  const createFetchClient = (): FetchClient => {
    const client: FetchClient = {
      leaders: () => Promise.resolve(new Map([[TOPIC, [0, 0]]])),
      fetch: async (_node, partitions) => {
        await (held.until ?? sleep(5));
        return partitions.map(({ topic, partition, offset }) => {
          const message = { topic, partition, offset, key: null, value: null, headers: {}, timestampMs: 0 };
          const next = { position: offset + 1, readTo: offset + 1, stableEnd: offset + 1 };
          return { topic, partition, from: offset, ...next, error: undefined, messages: [message] };
        });
      },
      earliest: () => Promise.resolve(0),
      destroy: () => open.delete(client),
    };
    open.add(client);
    return client;
  };
  const admin = { partitionCounts: () => Promise.resolve(new Map([[TOPIC, 2]])) };
  const parts = { createClient, createFetchClient, admin, log: silentLog, onStopped: () => undefined };
  const source = new KafkaGroupSource({ groupId: 'g', clientId: 'c', topics: [TOPIC] }, parts);
  const answerCommits = (partitions: readonly number[]) => {
    const offsets = partitions.map((partition) => ({ partition, offset: String(COMMITTED) }));
    pending.shift()?.resolve({ responses: [{ topic: TOPIC, partitions: offsets }] });
  };
  return { source, consumer, pending, rejoin, emit, assign, answerCommits, commits, open, closed, held };
}

const createSink = (sink: Partial<GroupSink>): GroupSink => ({
  onAssigned: () => undefined,
  onRevoking: () => undefined,
  onMessages: () => undefined,
  onCrash: (error) => expect.unreachable(error.message),
  ...sink,
});

it('a group source never begins a generation that ended while its commits were asked for', async () => {
  const { source, rejoin, assign, answerCommits, commits, open } = setUp();
  const assigned: (readonly number[])[] = [];
  const offsets = new Map<number, number>();
  const sink = createSink({
    onAssigned: (_, partitions) => assigned.push(partitions.map(({ partition }) => partition)),
    onMessages: (_, messages) => {
      for (const { partition, offset } of messages) {
        expect(offset).toBe(offsets.get(partition) ?? COMMITTED);
        offsets.set(partition, offset + 1);
      }
    },
  });
  const started = source.start(sink);
  await sleep(10);
  await rejoin();
  answerCommits([0, 1]);
  await sleep(30);
  expect(assigned).toEqual([]);
  expect(await source.commit(1, [{ topic: TOPIC, partition: 1, offset: COMMITTED + 1 }])).toBe(false);
  assign([0]);
  await sleep(10);
  answerCommits([0]);
  await started;
  await sleep(30);
  expect(assigned).toEqual([[0]]);
  expect([...offsets.keys()]).toEqual([0]);
  expect(commits).toEqual([]);
  const next = [{ topic: TOPIC, partition: 0, offset: COMMITTED + 1 }];
  expect([await source.commit(0, next), await source.commit(1, next)]).toEqual([false, true]);
  expect(open.size).toBe(1);
  await rejoin();
  expect(open.size).toBe(0);
  await source.stop();
  expect([commits.length, await source.commit(1, next)]).toEqual([1, false]);
});

it('a group source reports a position that is beyond its last record', async () => {
  const { source, answerCommits } = setUp();
  const positions: number[] = [];
  const started = source.start(
    createSink({ onPosition: (_generation, _place, position) => positions.push(position) }),
  );
  await sleep(10);
  answerCommits([0, 1]);
  await started;
  const messages = fakeMessages(5, 6, { topic: TOPIC });
  for (const [position, read] of [
    [7, messages],
    [8, messages],
    [5, []],
    [6, []],
  ] as const) {
    const place = { topic: TOPIC, partition: 0, from: 5, position };
    source.onFetched({ ...place, messages: read, readTo: 9, stableEnd: 9, error: undefined });
  }
  await source.stop();
  expect(positions).toEqual([8, 6]);
});

it('a group source delivers nothing of a fetch that ends during a pause, and fetches it again', async () => {
  const { source, answerCommits, held } = setUp();
  const fetch = Promise.withResolvers<void>();
  held.until = fetch.promise;
  const read: number[] = [];
  const started = source.start(createSink({ onMessages: (_, [first]) => read.push(first?.offset ?? 0) }));
  await sleep(10);
  answerCommits([0, 1]);
  await started;
  await sleep(10);
  const all = [0, 1].map((partition) => ({ topic: TOPIC, partition }));
  source.pause(all);
  fetch.resolve();
  await sleep(30);
  expect(read).toEqual([]);
  held.until = undefined;
  source.resume(all);
  await expect.poll(() => read[0]).toBe(COMMITTED);
  await source.stop();
});

type Emit = ReturnType<typeof setUp>['emit'];

it.each([
  [
    'a request of a member',
    'broker-unavailable',
    (emit: Emit) => emit('timeout', { apiName: 'Heartbeat', broker: 'h:1' }),
  ],
  [
    'kafkajs',
    'broker-refused',
    (emit: Emit) => emit('crash', { error: brokerError('GROUP_AUTHORIZATION_FAILED') }),
  ],
  ['the heartbeat for 25 s', 'consumer-stalled', () => vi.advanceTimersByTime(25_000)],
] as const)('a group source crashes if %s fails', async (_, code, fail) => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { source, consumer, emit, assign, answerCommits, closed } = setUp();
  consumer.run = nothing;
  const crashes: Error[] = [];
  const started = source.start(createSink({ onCrash: (error) => crashes.push(error) }));
  await sleep(10);
  emit('timeout', { apiName: 'Heartbeat', broker: 'h:0' });
  assign([0]);
  await sleep(10);
  answerCommits([0]);
  await started;
  for (const event of ['heartbeat', 'join']) {
    vi.advanceTimersByTime(20_000);
    if (event === 'join') assign([0]);
    else emit(event);
  }
  emit('timeout', { apiName: 'JoinGroup', broker: 'h:2' });
  expect([crashes, closed]).toEqual([[], ['h:0', 'h:2']]);
  fail(emit);
  expect([crashes, vi.getTimerCount()]).toMatchObject([[{ code }], 0]);
});

it('a group source rejects its start if it is stopped, or is refused by Kafka', async () => {
  const stopped = setUp();
  stopped.consumer.run = nothing;
  const started = stopped.source.start({} as GroupSink);
  await sleep(10);
  await Promise.all([
    expect(started).rejects.toMatchObject({ code: 'consumer-used' }),
    stopped.source.stop(),
  ]);
  const { source, pending } = setUp();
  const refused = source.start({} as GroupSink);
  await sleep(10);
  pending[0]?.reject(brokerError('GROUP_AUTHORIZATION_FAILED'));
  await expect(refused).rejects.toMatchObject({ code: 'broker-refused' });
  const unconnected = setUp();
  unconnected.consumer.connect = () => Promise.reject(brokerError('TOPIC_AUTHORIZATION_FAILED'));
  await expect(unconnected.source.start({} as GroupSink)).rejects.toMatchObject({ code: 'broker-refused' });
});

async function startRepeatedly(code: BrokerErrorCode, { untilMs = Infinity, stoppedAtMs = Infinity }) {
  let starts = 0;
  const started = startConsumer(
    async () => {
      starts += 1;
      if (Date.now() < untilMs) throw new MessagingError(code, 'no', { canRetry: true });
    },
    () => Date.now() >= stoppedAtMs,
  ).then(
    () => 'started',
    (error: MessagingError) => error.code,
  );
  await vi.advanceTimersByTimeAsync(46_000);
  return [starts, await started];
}

describe('the start of a consumer', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['until a dead coordinator is replaced', 'broker-unavailable', { untilMs: 10_000 }, [51, 'started']],
    ['until its broker knows a new topic', 'topic-unknown', { untilMs: 1_500 }, [9, 'started']],
    ['for 45 s at most', 'broker-unavailable', {}, [226, 'broker-unavailable']],
    ['until it is stopped', 'topic-unknown', { stoppedAtMs: 100 }, [1, 'topic-unknown']],
    ['not after a permanent failure', 'broker-refused', {}, [1, 'broker-refused']],
  ] as const)('is repeated %s', async (_, code, times, expected) => {
    expect(await startRepeatedly(code, times)).toEqual(expected);
  });
});
