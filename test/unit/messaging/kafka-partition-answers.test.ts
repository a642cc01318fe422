import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import {
  collectAnswers,
  failuresOf,
  keepPartitionAnswers,
} from '../../../shared/messaging/kafka-partition-answers.ts';
import { PublishCall } from '../../../shared/messaging/kafka-publish-call.ts';
import { PublishQueue } from '../../../shared/messaging/kafka-publish-queue.ts';
import { brokerErrorType } from '../../../shared/messaging/kafka-errors.ts';

const NOT_LEADER = 6;

interface Definition {
  protocol(choice: { version: number }): (request: object) => {
    response: { parse(data: object): Promise<unknown> };
  };
}

/** One record for each of the partitions of topic `t`, as the next request takes them. */
function slicesOf(partitions: readonly number[]) {
  const queue = new PublishQueue();
  const call = new PublishCall('test', partitions.length, 1_000);
  call.promise.catch(() => undefined);
  for (const partition of partitions) {
    queue.add('t', partition, { record: { value: 'x' }, bytes: 1, valueBytes: 1, call });
  }
  return queue.take(0);
}

/** kafkajs' own reading of one broker's answer to a request with these messages. */
function readAnswer(messages: readonly object[], codes: Readonly<Record<number, number>>) {
  keepPartitionAnswers();
  const require = createRequire(import.meta.url);
  const definition = require('kafkajs/src/protocol/requests/produce') as Definition;
  const partitions = Object.keys(codes).map(Number);
  const topicData = [
    {
      topic: 't',
      partitions: partitions.map((partition, index) => ({ partition, messages: [messages[index]] })),
    },
  ];
  const { response } = definition.protocol({ version: 7 })({
    acks: -1,
    timeout: 1,
    compression: 0,
    topicData,
  });
  const answered = partitions.map((partition) => ({ partition, errorCode: codes[partition] }));
  return response.parse({ topics: [{ topicName: 't', partitions: answered }] });
}

function namesOf(failures: ReturnType<typeof failuresOf>): string[] {
  return failures.map(({ slice, error, isOwn }) =>
    [slice.queue.partition, brokerErrorType(error) ?? String(error), isOwn ? 'own' : 'shared'].join(' '),
  );
}

describe('answers of the brokers, partition by partition', () => {
  test('are all collected, also beside a refusal and when another broker never answers', async () => {
    const slices = slicesOf([0, 1, 2, 3]);
    const answers = collectAnswers(slices);
    const messages = slices.flatMap(({ entries }) => entries.map(({ record }) => record));
    await readAnswer(messages.slice(0, 2), { 0: 0, 1: NOT_LEADER });
    await readAnswer(messages.slice(2, 3), { 2: 0 });
    expect(namesOf(failuresOf(slices, answers, new Error('connection lost')))).toEqual([
      '1 NOT_LEADER_FOR_PARTITION own',
      '3 Error: connection lost shared',
    ]);
  });

  test('requests of others throw the first error, as kafkajs does by itself', async () => {
    const slices = slicesOf([0]);
    const answers = collectAnswers(slices);
    await expect(readAnswer([{}, {}], { 0: 0, 1: NOT_LEADER })).rejects.toMatchObject({
      type: 'NOT_LEADER_FOR_PARTITION',
    });
    expect(answers).toEqual([]);
  });

  test('without a failure name nothing, and a partition that is not among them counts as failed', () => {
    const slices = slicesOf([0, 1]);
    const [stored, absent] = [0, 1].map((partition) => ({ topicName: 't', partition, errorCode: 0 }));
    if (stored === undefined || absent === undefined) throw new Error('two answers are needed');
    expect(failuresOf(slices, [stored, absent])).toEqual([]);
    expect(namesOf(failuresOf(slices, [stored]))).toEqual([
      '1 Error: the broker did not confirm the partition shared',
    ]);
  });

  test('an error of a request with one partition is that partition’s own', () => {
    expect(namesOf(failuresOf(slicesOf([5]), [], new Error('refused')))).toEqual(['5 Error: refused own']);
  });
});
