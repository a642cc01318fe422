import { expect, onTestFinished, test } from 'vitest';
import {
  KafkaPublisher,
  recordBytes,
  type OutgoingRecord,
} from '../../../../shared/messaging/kafka/kafka-publisher.ts';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { TopicPartitions } from '../../../../shared/messaging/topics/topic-partitions.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { sleep } from '../../../support/conformance/wait.ts';

type Answer = (records: readonly OutgoingRecord[], attempt: number) => unknown;

const at = (partition: number, key: string): OutgoingMessage => ({ topic: 't', partition, key, value: null });
const brokerError = (type: string): Error => Object.assign(new Error(type), { type });

const refusingBad =
  (type: string): Answer =>
  (records) =>
    records.some(({ key }) => key === 'bad') ? brokerError(type) : undefined;

async function publisherOver(answer: Answer, { connectFailures = 0, deadlineMs = 2_000 } = {}) {
  const sends: string[] = [];
  const lines: string[] = [];
  const write = (_: unknown, line?: string) => void lines.push(line ?? '');
  const log = { ...silentLog, warn: write, info: write };
  const calls = { connects: 0, destroyed: 0, queries: 0, partitions: 3, inFlight: 0, mostInFlight: 0 };
  const connectProducer = () => {
    calls.connects += 1;
    if (calls.connects <= connectFailures) return Promise.reject(new Error('refused'));
    return Promise.resolve({
      send: async (records: readonly OutgoingRecord[]) => {
        sends.push(records.map(({ partition, key }) => `${partition}${String(key)}`).join(' '));
        const failure = records[0]?.key === 'warm' ? undefined : answer(records, sends.length);
        // At once: a deadline that passes while a send is in flight gives another result.
        if (failure instanceof Error) throw failure;
        calls.inFlight += 1;
        calls.mostInFlight = Math.max(calls.mostInFlight, calls.inFlight);
        await sleep(5);
        calls.inFlight -= 1;
      },
      destroy: () => void (calls.destroyed += 1),
    });
  };
  const partitionCounts = async (names: readonly string[]) => {
    calls.queries += 1;
    return new Map(names.filter((name) => name === 't').map((name) => [name, calls.partitions]));
  };
  const topics = new TopicPartitions({ partitionCounts }, systemPorts);
  const parts = { connectProducer, topics, log, clock: systemPorts.clock, onStopped: () => undefined };
  const publisher = new KafkaPublisher({ clientId: 'p', deadlineMs }, parts);
  onTestFinished(() => publisher.stop(0));
  const early = publisher.publish([at(2, 'warm')]);
  await publisher.start();
  await early;
  sends.length = 0;
  return { publisher, sends, calls, lines };
}

test('the size of a record counts key, value and headers in bytes, not in characters', () => {
  const plain = recordBytes({ topic: 't', key: null, value: null });
  const headers = { h: 'ö', gone: undefined };
  const complete = recordBytes({ topic: 't', key: 'ä', value: Buffer.alloc(10), headers });
  expect(complete - plain).toBe(2 + 10 + 6 + 1 + 2);
});

test('one send is in flight, and what is published meanwhile is the next one, in order', async () => {
  const { publisher, sends, calls } = await publisherOver(() => undefined);
  const first = publisher.publish([at(0, 'a')]);
  await sleep(1);
  await Promise.all([first, publisher.publish([at(0, 'b'), at(1, 'c')]), publisher.publish([at(0, 'd')])]);
  // A partition that has had its turn is behind the others.
  expect(sends).toEqual(['0a', '1c 0b 0d']);
  expect([calls.mostInFlight, calls.connects, calls.destroyed, calls.queries]).toEqual([1, 1, 0, 1]);
});

test('a send has at most a thousand records, and half a MiB of one partition', async () => {
  const { publisher, sends } = await publisherOver(() => undefined);
  const many = [0, 1, 2].flatMap((partition) => Array.from({ length: 700 }, () => at(partition, 'a')));
  await publisher.publish(many);
  const sizes = sends.map((send) => send.split(' ').length);
  expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size)]).toEqual([1_000, 2_100]);
  sends.length = 0;
  const large = { ...at(0, 'a'), value: Buffer.alloc(200 * 1_024) };
  await publisher.publish([large, large, large, large, { ...large, partition: 1 }]);
  expect(sends).toEqual(['0a 0a 1a', '0a 0a']);
});

test('a send that fails is repeated by partition, on a new producer, after a pause', async () => {
  const { publisher, sends, calls, lines } = await publisherOver((_, number) =>
    number === 1 ? brokerError('NOT_LEADER_FOR_PARTITION') : undefined,
  );
  const startedMs = performance.now();
  await publisher.publish([at(0, 'a'), at(0, 'b'), at(1, 'c')]);
  expect(sends.toSorted()).toEqual(['0a 0b', '0a 0b 1c', '1c']);
  expect([calls.connects, calls.destroyed]).toEqual([2, 1]);
  expect(lines).toEqual(['send failed, retrying', 'publisher sends again']);
  expect(performance.now() - startedMs).toBeLessThan(1_500);
});

test('a producer that cannot connect is tried again after 50, 100 and 200 ms', async () => {
  const startedMs = performance.now();
  const { calls } = await publisherOver(() => undefined, { connectFailures: 3 });
  expect(calls.connects).toBe(4);
  expect(performance.now() - startedMs).toBeGreaterThan(345);
});

test('a partition that cannot be written is tried again with longer pauses, and keeps its order', async () => {
  const { publisher, sends } = await publisherOver(([first], number) =>
    first?.partition === 0 && number < 6 ? brokerError('REQUEST_TIMED_OUT') : undefined,
  );
  const late = publisher.publish([at(0, 'a')]);
  await sleep(20);
  const behind = publisher.publish([at(0, 'b')]);
  await publisher.publish([at(1, 'c')]);
  await Promise.all([late, behind]);
  const ofFirst = sends.filter((send) => send.startsWith('0'));
  expect(ofFirst.at(0)).toBe('0a');
  expect(ofFirst.at(-1)).toBe('0a 0b');
  expect(sends).toContain('1c');
  expect(sends.length).toBeLessThan(12);
});

test('only the record that the broker refuses fails, and says that others may be stored', async () => {
  const { publisher, sends } = await publisherOver(refusingBad('MESSAGE_TOO_LARGE'));
  const calls = ['a', 'bad', 'b'].map((key) => publisher.publish([at(0, key)]));
  const ends = await Promise.allSettled(calls);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(ends[1]).toMatchObject({ reason: { code: 'message-too-large', canRetry: false } });
  expect(sends.slice(-3)).toEqual(['0a', '0bad', '0b']);
});

test.each([
  ['NOT_ENOUGH_REPLICAS', 'not-sent'],
  ['REQUEST_TIMED_OUT', 'send-unknown'],
])('at the deadline a call fails; after %s with %s', async (type, code) => {
  const { publisher } = await publisherOver(
    ([first]) => (first?.partition === 0 ? brokerError(type) : undefined),
    { deadlineMs: 200 },
  );
  await expect(publisher.publish([at(0, 'a')])).rejects.toMatchObject({ code, canRetry: true });
  await publisher.publish([at(1, 'b')]);
});

test('a stop lets what is published be sent, and later calls are refused', async () => {
  const { publisher, sends, calls } = await publisherOver(() => undefined);
  const published = publisher.publish([at(0, 'a')]);
  await publisher.stop(1_000);
  await published;
  expect([sends, calls.destroyed]).toEqual([['0a'], 1]);
  await expect(publisher.publish([at(0, 'b')])).rejects.toThrow('it was stopped');
});

test('more than fits into the queue or a record is refused at once; an ended call leaves its bytes to the next', async () => {
  const { publisher, sends } = await publisherOver(() => undefined);
  const many = Array.from({ length: 50_001 }, () => at(0, 'a'));
  await expect(publisher.publish(many)).rejects.toThrow('its queue is full');
  const tooLarge = { ...at(0, 'a'), value: Buffer.alloc(8 * 1_048_576) };
  await expect(publisher.publish([tooLarge])).rejects.toMatchObject({ code: 'message-too-large' });
  expect(sends).toEqual([]);
  const large = { ...at(0, 'a'), value: Buffer.alloc(7 * 1_048_576) };
  await expect(publisher.publish(Array.from({ length: 10 }, () => large))).rejects.toThrow(
    'its queue is full',
  );
  for (let count = 0; count < 3; count += 1) await publisher.publish([large, large, large, large]);
  expect(sends).toHaveLength(12);
});

test('a refused record of a call whose other records are stored does not count as unsent', async () => {
  const { publisher } = await publisherOver(refusingBad('INVALID_RECORD'));
  await expect(publisher.publish([at(0, 'bad')])).rejects.toMatchObject({ code: 'not-sent' });
  const rejection = expect.objectContaining({ code: 'send-unknown', canRetry: false }) as unknown;
  await expect(publisher.publish([at(0, 'bad'), at(1, 'a')])).rejects.toEqual(rejection);
});

test('eight messages without a key share a partition, and none goes to a partition or topic that is missing', async () => {
  const { publisher, sends, calls } = await publisherOver(() => undefined);
  const plain = { topic: 't', key: null, value: null };
  await publisher.publish([...Array.from({ length: 16 }, () => plain), { ...plain, key: 'abc' }]);
  expect(sends.join(' ').match(/\d/g)?.toSorted().join('')).toBe(`0${'1'.repeat(8)}${'2'.repeat(8)}`);
  calls.partitions = 4;
  await publisher.publish([at(3, 'a')]);
  const missing = expect.objectContaining({ code: 'topic-unknown' }) as unknown;
  for (const one of [at(4, 'a'), at(-1, 'a'), { ...at(0, 'a'), topic: 'absent' }])
    await expect(publisher.publish([one])).rejects.toEqual(missing);
});
