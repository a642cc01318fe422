import { expect, test } from 'vitest';
import { PublishCall } from '../../../../../../shared/messaging/kafka/common/publishing/publish-call.ts';
import { PublishQueue } from '../../../../../../shared/messaging/kafka/common/publishing/publish-queue.ts';
import { RecordPlacement } from '../../../../../../shared/messaging/kafka/common/publishing/record-placement.ts';
import { TopicPartitions } from '../../../../../../shared/messaging/kafka/common/publishing/topic-partitions.ts';

const MANY = 25_000;
/** Time limit on a busy machine; a search through all records for each expired one would take far longer. */
const GIVE_UP_LIMIT_MS = 10_000;

test('drops many expired records in linear time and keeps the others', async () => {
  const topics = new TopicPartitions({ partitionCounts: () => new Promise(() => undefined) });
  const placement = new RecordPlacement(topics, new PublishQueue(), () => undefined);
  const place = (deadlineAt: number): Promise<void> => {
    const call = new PublishCall('test', 1, deadlineAt);
    placement.place('t', { record: { value: null }, bytes: 1, valueBytes: 0, call }, 0);
    return call.promise;
  };
  const late = Array.from({ length: MANY }, () => place(1).catch((error: unknown) => error));
  for (let index = 0; index < MANY; index += 1) void place(60_000);
  const startedMs = performance.now();
  placement.expire(2);
  expect(performance.now() - startedMs).toBeLessThan(GIVE_UP_LIMIT_MS);
  expect(placement.records).toBe(MANY);
  const given = await Promise.all(late);
  expect(given.every((error) => (error as { code?: string }).code === 'not-sent')).toBe(true);
});
