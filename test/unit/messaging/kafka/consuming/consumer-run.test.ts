import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KafkaConsumerRun } from '../../../../../shared/messaging/kafka/consuming/consumer-run.ts';
import { fakeKafkaClients } from '../../../../support/fakes/kafkajs.ts';

const REBALANCE_TIMEOUT_MS = 5_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A run that is starting, and what its listener heard. */
async function beginRun() {
  const { createClient, consumers } = fakeKafkaClients();
  const crashes: string[] = [];
  const passed: string[] = [];
  const joins: string[] = [];
  const run = new KafkaConsumerRun(
    createClient,
    {
      clientId: 'c',
      groupId: 'g',
      topics: ['t'],
      sessionTimeoutMs: 6_000,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      concurrency: 1,
    },
    {
      onJoined: () => joins.push('joined'),
      onBatch: () => true,
      onPassed: ({ topic, partition, offset }, highWatermark) =>
        passed.push(`${topic}/${partition}@${offset} of ${highWatermark}`),
      onCrash: ({ code }) => crashes.push(code),
    },
  );
  const started = run.start();
  await vi.advanceTimersByTimeAsync(0);
  const [consumer] = consumers;
  if (consumer === undefined) throw new Error('no consumer');
  return { run, consumer, crashes, passed, joins, started };
}

/** A started run that has joined. */
async function startRun() {
  const begun = await beginRun();
  begun.consumer.join({ t: [0] });
  await begun.started;
  return begun;
}

describe('a run of a Kafka consumer', () => {
  test('that is stopped while it starts rejects its start, and stays ended when it joins late', async () => {
    const { run, consumer, joins, started } = await beginRun();
    const ended = started.catch((error: unknown) => error);
    await run.stop(1_000);
    expect(await ended).toMatchObject({
      code: 'consumer-used',
      message: 'consumer c was started or stopped before',
    });
    consumer.join({ t: [0] });
    expect({ joins, isConnected: run.isConnected() }).toEqual({ joins: [], isConnected: false });
  });

  test('crashes once, whatever else fails afterwards, and its listener hears no more', async () => {
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

  test('reads its topics from the beginning where the group has no commit', async () => {
    const { consumer } = await startRun();
    expect(consumer.subscription).toEqual({ topics: ['t'], fromBeginning: true });
  });

  test('reports offsets without a message, and none of a batch that was delivered', async () => {
    const { consumer, passed } = await startRun();
    const skipped = { topic: 't', partition: 2, lastOffset: '6', highWatermark: '9' };
    consumer.emit('END_BATCH_PROCESS', { ...skipped, batchSize: 0 });
    consumer.emit('END_BATCH_PROCESS', { ...skipped, batchSize: 1 });
    expect(passed).toEqual(['t/2@7 of 9']);
  });

  test('crashes once after a rebalance time-out and 15 s (or up to 5 s earlier) without a sign of life', async () => {
    const { consumer, crashes } = await startRun();
    await vi.advanceTimersByTimeAsync(14_000);
    consumer.emit('HEARTBEAT');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(crashes).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(crashes).toEqual(['consumer-stalled']);
  });

  test('crashes when a broker does not answer a request of the group or a fetch, but not one for metadata', async () => {
    const { consumer, crashes } = await startRun();
    consumer.emit('REQUEST_TIMEOUT', { apiName: 'Metadata', broker: 'b:1' });
    expect(crashes).toEqual([]);
    consumer.emit('REQUEST_TIMEOUT', { apiName: 'Heartbeat', broker: 'b:1' });
    expect(crashes).toEqual(['broker-unavailable']);
  });

  test('commits nothing before its first batch, and neither starts nor speaks again once it was stopped', async () => {
    const { run, consumer, crashes } = await startRun();
    expect(await run.commit([{ topic: 't', partition: 0, offset: 1 }])).toBe(false);
    await run.stop(1_000);
    consumer.emit('CRASH', { error: new Error('late') });
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ crashes, isConnected: run.isConnected() }).toEqual({ crashes: [], isConnected: false });
    await expect(run.start()).rejects.toMatchObject({ code: 'consumer-used' });
  });
});
