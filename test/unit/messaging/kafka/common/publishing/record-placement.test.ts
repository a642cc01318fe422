import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { partitionOfKey } from '../../../../../../shared/messaging/topics/key-partition.ts';
import { PublishCall } from '../../../../../../shared/messaging/kafka/common/publishing/publish-call.ts';
import { PublishQueue } from '../../../../../../shared/messaging/kafka/common/publishing/publish-queue.ts';
import { RecordPlacement } from '../../../../../../shared/messaging/kafka/common/publishing/record-placement.ts';
import { toRecord } from '../../../../../../shared/messaging/kafka/common/publishing/record.ts';
import { TopicPartitions } from '../../../../../../shared/messaging/kafka/common/publishing/topic-partitions.ts';
import type { OutgoingMessage } from '../../../../../../shared/messaging/message.ts';
import { MessagingError } from '../../../../../../shared/platform/errors.ts';

const NOW = Date.now();

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setUp(counts: Record<string, number>, failures = 0) {
  const queries: string[] = [];
  let left = failures;
  const topics = new TopicPartitions({
    partitionCounts: async ([topic = '']) => {
      queries.push(topic);
      left -= 1;
      if (left >= 0) throw new MessagingError('broker-unavailable', 'unavailable', { canRetry: true });
      const count = counts[topic];
      return new Map(count === undefined ? [] : [[topic, count]]);
    },
  });
  const queue = new PublishQueue();
  const placement = new RecordPlacement(topics, queue, () => undefined);
  const place = (
    message: Partial<OutgoingMessage>,
    deadlineAt = NOW + 60_000,
    nowMs = NOW,
  ): Promise<void> => {
    const whole = { topic: 't', key: null, value: null, ...message };
    const call = new PublishCall('test', 1, deadlineAt);
    placement.place(whole.topic, { ...toRecord(whole, NOW), call }, nowMs);
    return call.promise;
  };
  const placed = () =>
    queue
      .take(NOW)
      .flatMap((slice) => slice.entries.map(({ record }) => [slice.queue.partition, record.key] as const));
  return { queries, placement, place, placed, topics };
}

/** The numbers of records of the partitions that have any, ascending. */
function recordsByPartition(placed: readonly (readonly [partition: number, ...unknown[]])[]): number[] {
  const groups = Map.groupBy(placed, ([partition]) => partition);
  return [...groups.values()].map(({ length }) => length).toSorted((a, b) => a - b);
}

describe('RecordPlacement', () => {
  test('keeps records in order until the partition count is known, which it queries once', async () => {
    const { queries, placement, place, placed, topics } = setUp({ t: 1 });
    for (const key of ['a', 'b', 'c']) void place({ key });
    expect([placement.records, placed()]).toEqual([3, []]);
    await topics.find('t');
    await Promise.resolve();
    expect(placed()).toEqual([
      [0, 'a'],
      [0, 'b'],
      [0, 'c'],
    ]);
    expect([queries, placement.records, placement.bytes]).toEqual([['t'], 0, 0]);
  });

  test('uses the explicit partition, or else the key as the Java client does', async () => {
    const { place, placed, topics } = setUp({ t: 4 });
    await topics.find('t');
    void place({ key: 'account-17' });
    void place({ key: 'account-17', partition: 2 });
    const partitions = placed();
    expect(partitions).toContainEqual([partitionOfKey(Buffer.from('account-17'), 4), 'account-17']);
    expect(partitions).toContainEqual([2, 'account-17']);
  });

  test('places each record without a key in the next partition if they are published one after the other', async () => {
    const { place, placed, topics } = setUp({ t: 4 });
    await topics.find('t');
    for (let index = 0; index < 8; index += 1) void place({}, undefined, NOW + index * 3);
    expect(recordsByPartition(placed())).toEqual([2, 2, 2, 2]);
  });

  test('places up to eight records without a key that are published together in one partition', async () => {
    const { place, placed, topics } = setUp({ t: 4 });
    await topics.find('t');
    for (let index = 0; index < 20; index += 1) void place({});
    expect(recordsByPartition(placed())).toEqual([4, 8, 8]);
  });

  test.each([-1, 4, 1.5])('rejects partition %d of a topic with four', async (partition) => {
    const { place, topics } = setUp({ t: 4 });
    await topics.find('t');
    await expect(place({ partition })).rejects.toMatchObject({ code: 'topic-unknown' });
  });

  test('queries the count again for a partition beyond the known count', async () => {
    const counts = { t: 1 };
    const { queries, place, placed, topics } = setUp(counts);
    await topics.find('t');
    counts.t = 2;
    void place({ key: 'a', partition: 1 });
    await expect(place({ key: 'b', partition: 7 })).rejects.toMatchObject({ code: 'topic-unknown' });
    expect(placed()).toEqual([[1, 'a']]);
    expect(queries).toEqual(['t', 't']);
  });

  test('drops only records whose deadline has passed', async () => {
    const { placement, place } = setUp({ t: 1 }, 1);
    const late = place({}, NOW + 1).catch((error: unknown) => error);
    void place({});
    placement.expire(NOW + 2);
    expect(placement.records).toBe(1);
    expect(await late).toMatchObject({ code: 'not-sent' });
  });

  test('rejects with topic-unknown after three queries', async () => {
    const { queries, place } = setUp({});
    const refused = place({}).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await refused).toMatchObject({ code: 'topic-unknown', canRetry: false });
    expect(queries).toHaveLength(3);
    await expect(place({})).rejects.toMatchObject({ code: 'topic-unknown' });
    expect(queries).toHaveLength(3);
  });

  test('repeats the query and keeps the records while the broker is unavailable', async () => {
    const { queries, place, placed, placement } = setUp({ t: 1 }, 2);
    void place({ key: 'a' });
    await vi.advanceTimersByTimeAsync(400);
    expect(placement.records).toBe(1);
    await vi.advanceTimersByTimeAsync(400);
    expect(placement.records).toBe(0);
    expect([queries.length, placed()]).toEqual([3, [[0, 'a']]]);
  });
});
