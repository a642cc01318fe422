import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KafkajsConsumerRun } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/consumer-run.ts';
import { fakeKafkaClients } from '../../../../../support/fakes/kafkajs.ts';

const REBALANCE_TIMEOUT_MS = 5_000;
const IDLE_WAIT_MS = 2_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A starting run with the calls of its listener. */
async function createStartingRun() {
  const { createClient, consumers, destroyed, closed } = fakeKafkaClients();
  const crashes: string[] = [];
  const messages: string[] = [];
  const passed: string[] = [];
  const joins: string[] = [];
  const run = new KafkajsConsumerRun(
    createClient,
    {
      clientId: 'c',
      groupId: 'g',
      topics: ['t'],
      sessionTimeoutMs: 6_000,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      heartbeatIntervalMs: 1_000,
      concurrency: 1,
    },
    {
      onJoined: () => joins.push('joined'),
      onBatch: () => true,
      onPassed: ({ topic, partition, offset }, highWatermark) => {
        passed.push(`${topic}/${partition}@${offset} of ${highWatermark}`);
        return partition !== 3;
      },
      onCrash: ({ code, message }) => {
        crashes.push(code);
        messages.push(message);
      },
    },
  );
  const started = run.start();
  await vi.advanceTimersByTimeAsync(0);
  const [consumer] = consumers;
  if (consumer === undefined) throw new Error('no consumer');
  return { run, consumer, crashes, messages, passed, joins, started, destroyed, closed };
}

/** A started run that has joined. */
async function startRun() {
  const run = await createStartingRun();
  run.consumer.join({ t: [0] });
  await run.started;
  return run;
}

describe('KafkajsConsumerRun', () => {
  test('rejects start() if it is stopped in the meantime, and ignores a late join', async () => {
    const { run, consumer, joins, started } = await createStartingRun();
    const ended = started.catch((error: unknown) => error);
    await run.stop(1_000);
    expect(await ended).toMatchObject({
      code: 'consumer-used',
      message: 'consumer c was started or stopped before',
    });
    consumer.join({ t: [0] });
    expect({ joins, isConnected: run.isConnected() }).toEqual({ joins: [], isConnected: false });
  });

  test('crashes once and ignores later events', async () => {
    const { run, consumer, crashes, joins } = await startRun();
    expect(run.isConnected()).toBe(true);
    run.fail(new Error('first'));
    consumer.emit('CRASH', { error: new Error('second') });
    run.fail(new Error('third'));
    consumer.join({ t: [0] });
    expect({ crashes, joins }).toEqual({ crashes: ['broker-unavailable'], joins: ['joined'] });
    expect({ isConnected: run.isConnected(), isDisconnected: consumer.isDisconnected }).toEqual({
      isConnected: false,
      isDisconnected: true,
    });
  });

  test('retries inside kafkajs for a moved leader, but does not restart', async () => {
    const { consumer } = await startRun();
    const { retry } = consumer.options as { retry: { restartOnFailure: () => Promise<boolean> } };
    expect(retry).toMatchObject({ retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 });
    expect(await retry.restartOnFailure()).toBe(false);
  });

  test('closes its connections after it has left the group', async () => {
    const { run, destroyed } = await startRun();
    await run.stop(1_000);
    await run.stop(1_000);
    expect(destroyed.count).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('closes its connections at the time limit if kafkajs does not disconnect', async () => {
    const { run, consumer, destroyed } = await startRun();
    consumer.consumer.disconnect = () => new Promise(() => undefined);
    void run.stop(1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(destroyed.count).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(destroyed.count).toBe(1);
  });

  test('waits longer for data after a fetch without any, unless a partition is paused', async () => {
    const { run, consumer } = await startRun();
    const wait = (): number | undefined => consumer.fetches?.maxWaitMs();
    expect(wait()).toBe(250);
    await consumer.fetch('1', [], { isEmpty: true, partitions: [] });
    expect(wait()).toBe(IDLE_WAIT_MS);
    run.pause([{ topic: 't', partition: 0 }]);
    expect(wait()).toBe(250);
    run.resume([{ topic: 't', partition: 0 }]);
    expect(wait()).toBe(IDLE_WAIT_MS);
    await consumer.fetch('1', [], { isEmpty: false, partitions: [] });
    expect(wait()).toBe(250);
    await consumer.fetch('1', [], { isEmpty: true, partitions: [] });
    run.endFetches();
    expect(wait()).toBe(250);
  });

  test('ends pending fetches when it is stopped', async () => {
    const { run, consumer } = await startRun();
    const ended: boolean[] = [];
    consumer.fetches?.pending.set({}, () => ended.push(consumer.isDisconnected));
    await run.stop(1_000);
    expect(ended).toEqual([true]);
  });

  test('subscribes from the beginning for partitions without a commit', async () => {
    const { consumer } = await startRun();
    expect(consumer.subscription).toEqual({ topics: ['t'], fromBeginning: true });
  });

  test('reports offsets without a message, also behind delivered ones, and resolves them if they are accepted', async () => {
    const { consumer, passed } = await startRun();
    await consumer.deliver({ topic: 't', partition: 2, offsets: [], last: 6 });
    await consumer.deliver({ topic: 't', partition: 2, offsets: [7, 8] });
    await consumer.deliver({ topic: 't', partition: 2, offsets: [9], last: 10 });
    await consumer.deliver({ topic: 't', partition: 3, offsets: [], last: 1 });
    expect(passed).toEqual(['t/2@7 of 7', 't/2@11 of 11', 't/3@2 of 2']);
    expect(consumer.resolved).toEqual(['t/2@6', 't/2@8', 't/2@10']);
  });

  test('crashes with consumer-stalled 15 s after the rebalance timeout if there are no events', async () => {
    const { consumer, crashes, messages } = await startRun();
    await vi.advanceTimersByTimeAsync(14_000);
    consumer.emit('HEARTBEAT');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(crashes).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(crashes).toEqual(['consumer-stalled']);
    expect(messages).toEqual(['c: the consumer shows no activity']);
  });

  test('crashes if a heartbeat times out; after a metadata request it only leaves the broker', async () => {
    const { consumer, crashes, closed } = await startRun();
    consumer.emit('REQUEST_TIMEOUT', { apiName: 'Metadata', broker: 'b:1' });
    expect({ crashes, closed }).toEqual({ crashes: [], closed: ['b:1'] });
    consumer.emit('REQUEST_TIMEOUT', { apiName: 'Heartbeat', broker: 'b:1' });
    expect(crashes).toEqual(['broker-unavailable']);
  });

  test('does not commit before its first batch, and cannot be started again after stop()', async () => {
    const { run, consumer, crashes } = await startRun();
    expect(await run.commit([{ topic: 't', partition: 0, offset: 1 }])).toBe(false);
    await run.stop(1_000);
    consumer.emit('CRASH', { error: new Error('late') });
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ crashes, isConnected: run.isConnected() }).toEqual({ crashes: [], isConnected: false });
    await expect(run.start()).rejects.toMatchObject({ code: 'consumer-used' });
  });
});
