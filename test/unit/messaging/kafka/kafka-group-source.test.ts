import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Broker, Consumer } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FetchClient } from '../../../../shared/messaging/kafka/partition-fetcher.ts';
import { KafkaGroupSource, startConsumer } from '../../../../shared/messaging/kafka/kafka-group-source.ts';
import type { CreateKafkajsClient } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import type { BrokerErrorCode, GroupSink } from '../../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { pass, stopTime } from '../../../support/fakes/passing-time.ts';

const TOPIC = 't';
const COMMITTED = 100;
stopTime();

const nothing = () => Promise.resolve();
const HEARTBEAT = { apiName: 'Heartbeat', broker: 'b:1' };
const REFUSED = Object.assign(new Error('no'), { type: 'GROUP_AUTHORIZATION_FAILED' });

function setUp() {
  const pending: PromiseWithResolvers<object>[] = [];
  const commits: unknown[] = [];
  const [fetches, closed]: string[][] = [[], []];
  const state: { commitError?: string } = {};
  const listeners = new Map<string, (event: object) => void>();
  let generationId = 0;
  const coordinator = {
    joinGroup: () => Promise.resolve({ generationId: (generationId += 1), memberId: 'm' }),
    offsetFetch: () => {
      const answer = Promise.withResolvers<object>();
      pending.push(answer);
      return answer.promise;
    },
    offsetCommit: async (commit: unknown) => {
      if (state.commitError !== undefined) throw Object.assign(new Error('no'), { type: state.commitError });
      commits.push(commit);
    },
  };
  const cluster = { findGroupCoordinator: () => Promise.resolve(coordinator as unknown as Broker) };
  /** As kafkajs does when a heartbeat says that the group rebalances. */
  const rejoin = async () => {
    const found = (await cluster.findGroupCoordinator()) as unknown as typeof coordinator;
    await found.joinGroup();
  };
  const assign = (partitions: readonly number[]) => {
    listeners.get('join')?.({ payload: { memberAssignment: { [TOPIC]: partitions } } });
  };
  const consumer = {
    events: { GROUP_JOIN: 'join', HEARTBEAT: 'beat', REQUEST_TIMEOUT: 'silence', CRASH: 'crash' },
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
      fetch: async (_node, partitions, maxWaitMs) => {
        fetches.push(
          `${partitions
            .map(({ partition }) => partition)
            .toSorted()
            .join(' ')}: ${maxWaitMs} ms`,
        );
        await nextTurn();
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
  const emit = (name: string, payload: object): void => listeners.get(name)?.({ payload });
  return { source, rejoin, assign, answerCommits, commits, open, emit, fetches, closed, state };
}

it('a group source never begins a generation that ended while its commits were asked for', async () => {
  const { source, rejoin, assign, answerCommits, commits, open } = setUp();
  const assigned: (readonly number[])[] = [];
  const offsets = new Map<number, number>();
  const sink: GroupSink = {
    onAssigned: (_, partitions) => assigned.push(partitions.map(({ partition }) => partition)),
    onRevoking: () => undefined,
    onMessages: (_, messages) => {
      for (const { partition, offset } of messages) {
        expect(offset).toBe(offsets.get(partition) ?? COMMITTED);
        offsets.set(partition, offset + 1);
      }
    },
    onCrash: (error) => expect.unreachable(error.message),
  };
  const started = source.start(sink);
  await pass();
  await rejoin();
  answerCommits([0, 1]);
  await pass();
  expect(assigned).toEqual([]);
  expect(await source.commit(1, [{ topic: TOPIC, partition: 1, offset: COMMITTED + 1 }])).toBe(false);
  assign([0]);
  await pass();
  answerCommits([0]);
  await started;
  await pass();
  expect(assigned).toEqual([[0]]);
  expect([...offsets.keys()]).toEqual([0]);
  expect(commits).toEqual([]);
  await source.stop();
  expect(open.size).toBe(0);
});

async function startMember(onMessages: GroupSink['onMessages'] = () => undefined) {
  const scene = setUp();
  const events: string[] = [];
  const started = scene.source.start({
    onAssigned: (generation, { length }) => events.push(`${generation}: ${length} assigned`),
    onRevoking: (generation) => events.push(`${generation}: revoking`),
    onMessages,
    onCrash: (error) => events.push((error as MessagingError).code),
  });
  await pass();
  scene.answerCommits([0, 1]);
  await started;
  onTestFinished(() => scene.source.stop());
  return { ...scene, events };
}

it('a group source commits in its generation only, and ends it when the coordinator does', async () => {
  const { source, commits, state, events, rejoin, assign, answerCommits } = await startMember();
  const offsets = [{ topic: TOPIC, partition: 1, offset: 7 }];
  expect([await source.commit(1, offsets), await source.commit(2, offsets)]).toEqual([true, false]);
  const topics = [{ topic: TOPIC, partitions: [{ partition: 1, offset: '7' }] }];
  expect(commits).toEqual([{ groupId: 'g', groupGenerationId: 1, memberId: 'm', topics }]);
  state.commitError = 'NOT_COORDINATOR_FOR_GROUP';
  await expect(source.commit(1, offsets)).rejects.toMatchObject({ code: 'broker-unavailable' });
  state.commitError = 'ILLEGAL_GENERATION';
  expect(await source.commit(1, offsets)).toBe(false);
  delete state.commitError;
  expect(await source.commit(1, offsets)).toBe(false);
  await rejoin();
  assign([1]);
  await pass();
  answerCommits([1]);
  await pass();
  expect(events).toEqual(['1: 2 assigned', '1: revoking', '2: 1 assigned']);
  expect(await source.commit(2, offsets)).toBe(true);
});

it('a group source fetches no paused partition, and waits shortly while there is one', async () => {
  const { source, fetches } = await startMember();
  await pass();
  source.pause([{ topic: TOPIC, partition: 1 }]);
  await pass();
  fetches.length = 0;
  await pass();
  expect(new Set(fetches)).toEqual(new Set(['0: 250 ms']));
  source.resume([{ topic: TOPIC, partition: 1 }]);
  await pass();
  expect(fetches.at(-1)).toBe('0 1: 2000 ms');
});

it.each<[string, string, (scene: Awaited<ReturnType<typeof startMember>>) => void]>([
  ['its client fails', 'broker-unavailable', ({ emit }) => emit('crash', { error: new Error('gone') })],
  ['its coordinator is silent', 'broker-unavailable', ({ emit }) => emit('silence', HEARTBEAT)],
  ['it may not read', 'broker-refused', (scene) => scene.emit('crash', { error: REFUSED })],
])('a group source whose member has ended says why, once, and leaves: %s', async (_, code, end) => {
  const scene = await startMember();
  scene.emit('silence', { ...HEARTBEAT, apiName: 'Metadata' });
  expect([scene.closed, scene.events]).toEqual([['b:1'], ['1: 2 assigned']]);
  end(scene);
  end(scene);
  expect(scene.events).toEqual(['1: 2 assigned', code]);
  expect(await scene.source.commit(1, [])).toBe(false);
});

it('a group source ends without heartbeats for 25 s, and when its sink throws', async () => {
  const { emit, events } = await startMember();
  vi.advanceTimersByTime(20_000);
  emit('beat', {});
  vi.advanceTimersByTime(24_999);
  expect(events).toEqual(['1: 2 assigned']);
  vi.advanceTimersByTime(1);
  expect(events.at(-1)).toBe('consumer-stalled');
  const other = await startMember(() => expect.unreachable());
  await pass();
  expect([other.events.at(-1), other.open.size]).toEqual(['broker-unavailable', 0]);
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
