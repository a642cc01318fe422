import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ProducerBatch } from 'kafkajs';
import { describe, expect, test } from 'vitest';
import { brokerErrorType } from '../../../../../../shared/messaging/kafka/common/connection/errors.ts';
import {
  produceListeners,
  type ProduceListener,
  type ProduceRequest,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/produce-answers.ts';
import { ProduceRound } from '../../../../../../shared/messaging/kafka/kafkajs/publishing/produce-round.ts';
import { PublishCall } from '../../../../../../shared/messaging/kafka/common/publishing/publish-call.ts';
import { PublishQueue } from '../../../../../../shared/messaging/kafka/common/publishing/publish-queue.ts';
import { encodeBatch } from '../../../../../../shared/messaging/kafka/common/publishing/record-batch.ts';

const NOT_LEADER = 6;
const NONE = 0;

/** What kafkajs does during a round: requests, responses, failures. If it throws, the send ends. */
type Script = (listener: ProduceListener, batch: ProducerBatch) => void;

/** Sends a round with one record for each partition of topic `t`. */
async function send(partitions: readonly number[], script: Script) {
  const queue = new PublishQueue();
  const call = new PublishCall('test', partitions.length, 1_000);
  for (const partition of partitions) {
    const record = { value: `v${partition}`, partition };
    queue.add('t', partition, { record, bytes: 1, valueBytes: 1, call });
  }
  const stored: number[] = [];
  const round = new ProduceRound(queue.take(0), (done) =>
    stored.push(...done.map((slice) => slice.queue.partition)),
  );
  const sendBatch = async (batch: ProducerBatch) => {
    const listener = produceListeners.getStore();
    if (listener === undefined) throw new Error('kafkajs is called without a listener');
    script(listener, batch);
    return [];
  };
  const failures = (await round.send({ sendBatch })).map(({ slice, fate, error }) =>
    [slice.queue.partition, fate, brokerErrorType(error) ?? String(error)].join(' '),
  );
  return { stored, failures };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A request of kafkajs to the leader of these partitions. */
function requestFor(...own: readonly number[]): ProduceRequest {
  const partitions = own.map((partition) => ({ partition }));
  return { acks: -1, timeout: 1_000, topicData: [{ topic: 't', partitions }] };
}

function answerOf(codes: Readonly<Record<number, number>>) {
  const partitions = Object.entries(codes).map(([id, errorCode]) => ({ partition: Number(id), errorCode }));
  return { topics: [{ topicName: 't', partitions }] };
}

describe('ProduceRound', () => {
  test('reports stored slices when each broker answers, and a failure for each other partition', async () => {
    const { stored, failures } = await send([0, 1, 2, 3, 4], (listener) => {
      listener.begin(requestFor(0, 1));
      listener.begin(requestFor(2, 3));
      listener.answer(answerOf({ 0: 0, 1: NOT_LEADER }));
      listener.lose(requestFor(2, 3), new Error('connection lost'));
    });
    expect(stored).toEqual([0]);
    expect(failures).toEqual([
      '1 answered NOT_LEADER_FOR_PARTITION',
      '2 lost Error: connection lost',
      '3 lost Error: connection lost',
      '4 left-out Error: no broker confirmed partition 4 of t',
    ]);
  });

  test('reports not-asked for all partitions if the send fails before a request', async () => {
    const { failures } = await send([0, 1], () => {
      throw new Error('no metadata');
    });
    expect(failures).toEqual(['0 not-asked Error: no metadata', '1 not-asked Error: no metadata']);
  });

  test('reports lost only for partitions whose request had been sent when the send fails', async () => {
    const { failures } = await send([0, 1], (listener) => {
      listener.begin(requestFor(1));
      throw new Error('ended');
    });
    expect(failures).toEqual(['0 not-asked Error: ended', '1 lost Error: ended']);
  });

  test('distinguishes unwritable records from lost requests', async () => {
    const { failures } = await send([0, 1], (listener) => {
      for (const partition of [0, 1]) listener.begin(requestFor(partition));
      listener.refuseToWrite(requestFor(0), new TypeError('no text'));
      for (const partition of [0, 1]) listener.lose(requestFor(partition), new Error('ended'));
    });
    expect(failures).toEqual(['0 unwritable TypeError: no text', '1 lost Error: ended']);
  });

  test('reports a partition missing from the response as lost, and a repeated one once', async () => {
    const { stored, failures } = await send([0, 1], (listener) => {
      listener.begin(requestFor(0, 1));
      listener.answer(answerOf({ 0: 0 }));
      listener.answer(answerOf({ 0: NOT_LEADER }));
    });
    expect(stored).toEqual([0]);
    expect(failures).toEqual(['1 lost Error: no broker confirmed partition 1 of t']);
  });

  test('asks kafkajs for a request with all partitions, and writes their records', async () => {
    const batches: (ProducerBatch | Buffer | Promise<Buffer>)[] = [];
    await send([0, 1], (listener, batch) => {
      batches.push(batch, listener.batchOf('t', 1));
      expect(() => listener.batchOf('t', 2)).toThrow('no records');
    });
    const messages = [0, 1].map((partition) => ({ value: null, partition }));
    const record = { value: Buffer.from('v1'), partition: 1 };
    expect(batches).toEqual([
      { acks: -1, timeout: 4_000, topicMessages: [{ topic: 't', messages }] },
      encodeBatch([{ record, bytes: 1, valueBytes: 1 }]),
    ]);
  });
});

describe('memory of a finished round', () => {
  test('does not retain its records', async () => {
    const { round, value } = await sendOnce();
    // A value can be collected only after the turn in which a weak reference to it was created.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    collectGarbage();
    expect(value.deref()).toBeUndefined();
    expect(round).toBeInstanceOf(ProduceRound);
  });
});

/** A finished round, and the value that it sent. */
async function sendOnce() {
  const queue = new PublishQueue();
  const value = Buffer.alloc(1);
  const call = new PublishCall('test', 1, 1_000);
  queue.add('t', 0, { record: { value, partition: 0 }, bytes: 1, valueBytes: 1, call });
  const round = new ProduceRound(queue.take(0), (stored) => queue.settle(stored));
  await round.send({
    sendBatch: async () => {
      round.answer(answerOf({ 0: NONE }));
      return [];
    },
  });
  return { round, value: new WeakRef(value) };
}
