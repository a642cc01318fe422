import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KafkaGroupSource } from '../../../../../shared/messaging/kafka/consuming/group-source.ts';
import type { TopicPartition } from '../../../../../shared/messaging/message.ts';
import { silentLog } from '../../../../../shared/platform/log.ts';
import { fakeKafkaClients } from '../../../../support/fakes/kafkajs.ts';
import { settleMicrotasks } from '../../../../support/fakes/work.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const at = (partition: number): TopicPartition => ({ topic: 't', partition });
const batch = (partition: number, ...offsets: number[]) => ({ topic: 't', partition, offsets });
const brokerError = (type: string) => Object.assign(new Error(type), { type });

/** A started source of topic `t` with three partitions, and what its sink heard. */
async function setUp({ withPositions = false } = {}) {
  const { createClient, consumers } = fakeKafkaClients();
  const heard: string[] = [];
  const source = new KafkaGroupSource(
    { groupId: 'g', clientId: 'c', topics: ['t'] },
    {
      createClient,
      admin: { partitionCounts: () => Promise.resolve(new Map([['t', 3]])) },
      log: silentLog,
      onStopped: () => undefined,
    },
  );
  const started = source.start({
    onAssigned: (generation, partitions) => heard.push(`assigned ${generation}: ${partitions.length}`),
    onRevoking: (generation) => heard.push(`revoking ${generation}`),
    onMessages: (generation, messages) => {
      if (messages[0]?.value?.toString() === 'value-666') throw new Error('a broken sink');
      heard.push(
        `${generation}: ${messages.map(({ partition, offset }) => `${partition}/${offset}`).join(' ')}`,
      );
    },
    ...(withPositions
      ? {
          onPosition: (generation, { partition }, position, highWatermark) =>
            heard.push(`position ${generation}: ${partition}@${position} of ${highWatermark}`),
        }
      : {}),
    onCrash: (error) => heard.push(`crash ${error.message}`),
  });
  await settleMicrotasks();
  const [run] = consumers;
  if (run === undefined) throw new Error('no consumer was made');
  run.join({ t: [0, 1, 2] });
  await started;
  return { source, run, heard };
}

describe('a member of a group over kafkajs', () => {
  test.each([true, false])(
    'passes on positions without a message to a sink that takes them: %s',
    async (does) => {
      const { run, heard } = await setUp({ withPositions: does });
      run.emit('END_BATCH_PROCESS', {
        batchSize: 0,
        topic: 't',
        partition: 1,
        lastOffset: '6',
        highWatermark: '9',
      });
      expect(heard).toEqual(['assigned 1: 3', ...(does ? ['position 1: 1@7 of 9'] : [])]);
    },
  );

  test('delivered messages are resolved before the batch ends, so that they are not fetched again', async () => {
    const { run, heard } = await setUp();
    await run.fetch('1', [batch(0, 4, 5), batch(2, 0)]);
    expect(heard).toEqual(['assigned 1: 3', '1: 0/4 0/5', '1: 2/0']);
    expect(run.resolved).toEqual(['t/0@5', 't/2@0']);
  });

  test('messages of a paused or lost partition are neither delivered nor resolved', async () => {
    const { source, run, heard } = await setUp();
    source.pause([at(0)]);
    await run.deliver(batch(0, 1));
    run.join({ t: [0] });
    await run.deliver(batch(1, 1));
    expect(heard).toEqual(['assigned 1: 3', 'assigned 2: 1']);
    expect(run.resolved).toEqual([]);
  });

  test('a new generation starts with nothing paused', async () => {
    const { source, run } = await setUp();
    source.pause([at(0), at(1)]);
    expect(run.asked.paused).toEqual(new Set(['t/0', 't/1']));
    run.join({ t: [0, 1, 2] });
    expect(run.asked.paused).toEqual(new Set());
  });

  test('the answer to a fetch of an older generation moves no position of the new one', async () => {
    const { source, run, heard } = await setUp();
    run.emit('FETCH_START', { nodeId: '2' });
    run.join({ t: [0, 1, 2] });
    expect(run.asked.paused.size).toBe(3);
    source.pause([at(1)]);
    await run.deliver(batch(0, 7));
    expect(run.resolved).toEqual([]);
    run.emit('FETCH', { nodeId: '2', duration: 5 });
    expect(run.asked.paused).toEqual(new Set(['t/1']));
    await run.fetch('2', [batch(0, 3)]);
    expect(heard).toEqual(['assigned 1: 3', 'assigned 2: 3', '2: 0/3']);
  });

  test.each(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])(
    'a heartbeat refused with %s is a revocation, reported once, and no more messages are accepted',
    async (type) => {
      const { source, run, heard } = await setUp();
      await run.deliver(batch(0, 1));
      run.refusal = brokerError(type);
      await source.heartbeat();
      expect(heard).toEqual(['assigned 1: 3', '1: 0/1', 'revoking 1']);
      await source.heartbeat();
      run.emit('REBALANCING');
      await run.deliver(batch(0, 2));
      expect(heard).toHaveLength(3);
      expect(run.resolved).toEqual(['t/0@1']);
    },
  );

  test('a heartbeat that is lost on its way is no revocation', async () => {
    const { source, run, heard } = await setUp();
    await run.deliver(batch(0, 1));
    run.refusal = brokerError('REQUEST_TIMED_OUT');
    await source.heartbeat();
    expect(heard).toEqual(['assigned 1: 3', '1: 0/1']);
  });

  test('a commit belongs to its generation; refused by the group it is a revocation, lost on its way an error', async () => {
    const { source, run, heard } = await setUp();
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
    expect(heard.at(-1)).toBe('revoking 1');
  });

  test('a broker that leaves a fetch without an answer ends the source, so that another one asks who leads now', async () => {
    const { run, heard } = await setUp();
    run.emit('REQUEST_TIMEOUT', { apiName: 'Metadata', broker: 'one:9092' });
    expect(heard).toEqual(['assigned 1: 3']);
    run.emit('REQUEST_TIMEOUT', { apiName: 'Fetch', broker: 'one:9092' });
    expect(heard.at(-1)).toBe('crash c: one:9092 does not answer (Fetch)');
    expect(run.isDisconnected).toBe(true);
  });

  test('a broken sink ends the source, which says so', async () => {
    const { run, heard } = await setUp();
    await run.deliver(batch(0, 666));
    expect(heard.at(-1)).toBe('crash consumer c: a broken sink');
    expect(run.isDisconnected).toBe(true);
  });
});
