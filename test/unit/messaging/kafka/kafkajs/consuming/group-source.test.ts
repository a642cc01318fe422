import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KafkajsGroupSource } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/group-source.ts';
import type { CreateKafkajsClient } from '../../../../../../shared/messaging/kafka/kafkajs/connection/client.ts';
import type { TopicPartition } from '../../../../../../shared/messaging/message.ts';
import type { GroupSink, GroupSourceOptions } from '../../../../../../shared/messaging/ports.ts';
import { silentLog } from '../../../../../../shared/platform/log.ts';
import { fakeKafkaClients } from '../../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../../support/fakes/work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const at = (partition: number): TopicPartition => ({ topic: 't', partition });
const batch = (partition: number, ...offsets: number[]) => ({ topic: 't', partition, offsets });
const brokerError = (type: string) => Object.assign(new Error(type), { type });

const noSink: GroupSink = {
  onAssigned: () => undefined,
  onRevoking: () => undefined,
  onMessages: () => undefined,
  onCrash: () => undefined,
};

function createSource(
  createClient: CreateKafkajsClient,
  options: Pick<GroupSourceOptions, 'isPatient'> = {},
): KafkajsGroupSource {
  return new KafkajsGroupSource(
    { groupId: 'g', clientId: 'c', topics: ['t'], ...options },
    {
      createClient,
      admin: { partitionCounts: () => Promise.resolve(new Map([['t', 3]])) },
      log: silentLog,
      onStopped: () => undefined,
    },
  );
}

/** A started source of topic `t` with three partitions, and the calls of its sink. */
async function setUp({ withPositions = false, isPatient = false } = {}) {
  const { createClient, consumers } = fakeKafkaClients();
  const calls: string[] = [];
  const source = createSource(createClient, { isPatient });
  const started = source.start({
    onAssigned: (generation, partitions) => calls.push(`assigned ${generation}: ${partitions.length}`),
    onRevoking: (generation) => calls.push(`revoking ${generation}`),
    onMessages: (generation, messages) => {
      if (messages[0]?.value?.toString() === 'value-666') throw new Error('a bug in the sink');
      calls.push(
        `${generation}: ${messages.map(({ partition, offset }) => `${partition}/${offset}`).join(' ')}`,
      );
    },
    ...(withPositions
      ? {
          onPosition: (generation, { partition }, position, highWatermark) =>
            calls.push(`position ${generation}: ${partition}@${position} of ${highWatermark}`),
        }
      : {}),
    onCrash: (error) => calls.push(`crash ${error.message}`),
  });
  await settleMicrotasks();
  const [run] = consumers;
  if (run === undefined) throw new Error('no consumer was made');
  run.join({ t: [0, 1, 2] });
  await started;
  return { source, run, calls };
}

describe('KafkajsGroupSource', () => {
  test.each([true, false])('reports skipped positions if the sink handles them: %s', async (isHandled) => {
    const { run, calls } = await setUp({ withPositions: isHandled });
    await run.deliver({ ...batch(1), last: 6 });
    expect(calls).toEqual(['assigned 1: 3', ...(isHandled ? ['position 1: 1@7 of 7'] : [])]);
  });

  test('neither reports nor resolves skipped positions of paused or lost partitions', async () => {
    const { source, run, calls } = await setUp({ withPositions: true });
    source.pause([at(0)]);
    await run.deliver({ ...batch(0), last: 6 });
    run.join({ t: [0] });
    await run.deliver({ ...batch(1), last: 6 });
    expect(calls).toEqual(['assigned 1: 3', 'assigned 2: 1']);
    expect(run.resolved).toEqual([]);
  });

  test('joins the group with the default session and rebalance timeouts', async () => {
    const { run } = await setUp();
    expect(run.options).toMatchObject({
      clientId: 'c',
      groupId: 'g',
      sessionTimeout: 6_000,
      rebalanceTimeout: 30_000,
      heartbeatInterval: 900,
      maxWaitTimeInMs: 250,
      maxBytesPerPartition: 262_144,
      maxBytes: 2_097_152,
      metadataMaxAge: 3_000,
      allowAutoTopicCreation: false,
      readUncommitted: false,
    });
    expect(run.options).not.toHaveProperty('partitionAssigners');
  });

  test.each([
    { isPatient: false, heartbeatInterval: 900 },
    { isPatient: true, heartbeatInterval: 1_400 },
  ])('sends heartbeats every $heartbeatInterval ms', async ({ isPatient, heartbeatInterval }) => {
    const { run } = await setUp({ isPatient });
    expect(run.options).toMatchObject({ heartbeatInterval });
  });

  test('cannot be started twice or after stop()', async () => {
    const { source } = await setUp();
    const used = { code: 'consumer-used', canRetry: false };
    await expect(source.start(noSink)).rejects.toMatchObject(used);
    const stopped = createSource(fakeKafkaClients().createClient);
    await stopped.stop();
    await expect(stopped.start(noSink)).rejects.toMatchObject(used);
  });

  test('does not create a consumer if it is stopped while its topics are queried', async () => {
    const { createClient, consumers } = fakeKafkaClients();
    const source = createSource(createClient);
    const started = source.start(noSink);
    await source.stop();
    await expect(started).rejects.toMatchObject({ code: 'consumer-used' });
    expect(consumers).toEqual([]);
  });

  test('neither pauses, resumes nor commits after stop()', async () => {
    const { source, run } = await setUp();
    await run.deliver(batch(0, 1));
    source.pause([at(0)]);
    await source.stop();
    source.resume([at(0)]);
    expect(run.calls.paused).toEqual(new Set(['t/0']));
    expect(await source.commit(1, [{ ...at(0), offset: 2 }])).toBe(false);
    expect(run.commits).toEqual([]);
    expect(run.isDisconnected).toBe(true);
  });

  test('pauses and resumes only its own partitions', async () => {
    const { source, run } = await setUp();
    run.join({ t: [0] });
    source.pause([at(0), at(1)]);
    expect(run.calls.paused).toEqual(new Set(['t/0']));
    source.resume([at(1), at(0)]);
    expect(run.calls.paused).toEqual(new Set());
    await run.deliver(batch(0, 1));
    expect(run.resolved).toEqual(['t/0@1']);
  });

  test('resolves the offsets of delivered messages', async () => {
    const { run, calls } = await setUp();
    await run.fetch('1', [batch(0, 4, 5), batch(2, 0)]);
    expect(calls).toEqual(['assigned 1: 3', '1: 0/4 0/5', '1: 2/0']);
    expect(run.resolved).toEqual(['t/0@5', 't/2@0']);
  });

  test('neither delivers nor resolves messages of paused or lost partitions', async () => {
    const { source, run, calls } = await setUp();
    source.pause([at(0)]);
    await run.deliver(batch(0, 1));
    run.join({ t: [0] });
    await run.deliver(batch(1, 1));
    expect(calls).toEqual(['assigned 1: 3', 'assigned 2: 1']);
    expect(run.resolved).toEqual([]);
  });

  test('starts a new generation without paused partitions', async () => {
    const { source, run } = await setUp();
    source.pause([at(0), at(1)]);
    expect(run.calls.paused).toEqual(new Set(['t/0', 't/1']));
    run.join({ t: [0, 1, 2] });
    expect(run.calls.paused).toEqual(new Set());
  });

  test('ignores the response to a fetch from an older generation', async () => {
    const { source, run, calls } = await setUp();
    run.emit('FETCH_START', { nodeId: '2' });
    run.join({ t: [0, 1, 2] });
    expect(run.calls.paused.size).toBe(3);
    source.pause([at(1)]);
    await run.deliver(batch(0, 7));
    expect(run.resolved).toEqual([]);
    run.emit('FETCH', { nodeId: '2', duration: 5 });
    expect(run.calls.paused).toEqual(new Set(['t/1']));
    await run.fetch('2', [batch(0, 3)]);
    expect(calls).toEqual(['assigned 1: 3', 'assigned 2: 3', '2: 0/3']);
  });

  test.each(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])(
    'reports a revocation once after a heartbeat fails with %s, and then rejects messages',
    async (type) => {
      const { source, run, calls } = await setUp();
      await run.deliver(batch(0, 1));
      run.fetches?.pending.set({}, () => calls.push('fetch ended'));
      run.refusal = brokerError(type);
      await source.heartbeat();
      expect(calls.splice(3)).toEqual(['fetch ended']);
      expect(calls).toEqual(['assigned 1: 3', '1: 0/1', 'revoking 1']);
      await source.heartbeat();
      run.emit('REBALANCING');
      await run.deliver(batch(0, 2));
      expect(calls).toHaveLength(3);
      expect(run.resolved).toEqual(['t/0@1']);
    },
  );

  test('sends no heartbeat and waits for no data from a revocation until it has joined', async () => {
    const { source, run } = await setUp();
    await run.deliver(batch(0, 1));
    const { fetches } = run;
    if (fetches === undefined) throw new Error('nothing was fetched');
    fetches.answered({ isEmpty: true, partitions: [] });
    expect(fetches.maxWaitMs()).toBe(2_000);
    run.refusal = brokerError('REBALANCE_IN_PROGRESS');
    await source.heartbeat();
    run.refusal = undefined;
    let heartbeats = 0;
    fetches.heartbeat = () => {
      heartbeats += 1;
      return Promise.resolve();
    };
    fetches.answered({ isEmpty: true, partitions: [] });
    await source.heartbeat();
    expect([heartbeats, fetches.maxWaitMs()]).toEqual([0, 250]);
    run.join({ t: [0, 1, 2] });
    await source.heartbeat();
    expect([heartbeats, fetches.maxWaitMs()]).toEqual([1, 2_000]);
  });

  test('does not report a revocation if a heartbeat times out', async () => {
    const { source, run, calls } = await setUp();
    await run.deliver(batch(0, 1));
    run.refusal = brokerError('REQUEST_TIMED_OUT');
    await source.heartbeat();
    expect(calls).toEqual(['assigned 1: 3', '1: 0/1']);
  });

  test('commits only for the current generation, and reports a revocation when the group rejects a commit', async () => {
    const { source, run, calls } = await setUp();
    await run.deliver(batch(0, 1));
    const offsets = [{ ...at(0), offset: 2 }];
    expect(await source.commit(1, offsets)).toBe(true);
    expect(await source.commit(0, offsets)).toBe(false);
    expect(run.commits).toEqual(['{"topics":[{"topic":"t","partitions":[{"partition":0,"offset":"2"}]}]}']);
    run.refusal = brokerError('REQUEST_TIMED_OUT');
    await expect(source.commit(1, offsets)).rejects.toMatchObject({
      code: 'broker-unavailable',
      canRetry: true,
    });
    run.refusal = brokerError('ILLEGAL_GENERATION');
    expect(await source.commit(1, offsets)).toBe(false);
    expect(calls.at(-1)).toBe('revoking 1');
  });

  test('crashes if a fetch times out, but not if a metadata request does', async () => {
    const { run, calls } = await setUp();
    run.emit('REQUEST_TIMEOUT', { apiName: 'Metadata', broker: 'one:9092' });
    expect(calls).toEqual(['assigned 1: 3']);
    run.emit('REQUEST_TIMEOUT', { apiName: 'Fetch', broker: 'one:9092' });
    expect(calls.at(-1)).toBe('crash c: one:9092 does not answer (Fetch)');
    expect(run.isDisconnected).toBe(true);
  });

  test('crashes when the sink throws', async () => {
    const { run, calls } = await setUp();
    await run.deliver(batch(0, 666));
    expect(calls.at(-1)).toBe('crash consumer c: a bug in the sink');
    expect(run.isDisconnected).toBe(true);
  });
});
