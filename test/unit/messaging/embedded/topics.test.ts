import { expect, test } from 'vitest';
import { PartitionLog } from '../../../../shared/messaging/embedded/partition-log.ts';
import { EmbeddedScheduler } from '../../../../shared/messaging/embedded/scheduler.ts';
import { SqliteStore } from '../../../../shared/messaging/embedded/sqlite-store.ts';
import { EmbeddedTopics } from '../../../../shared/messaging/embedded/topics.ts';
import { seededSystem } from '../../../simulation/seeded-system.ts';

const LIMITS = { maxRecordsPerTopic: 1_000, maxBytesPerTopic: 1_000_000 };

test('a request is in memory if its reply is, unless it was redriven', () => {
  const { clock, ...ports } = seededSystem(1);
  const scheduler = new EmbeddedScheduler(ports.timers);
  const store = new SqliteStore({ limits: LIMITS, ports });
  const topics = new EmbeddedTopics({ clock, limits: LIMITS, scheduler, store });
  topics.create({ topic: 'requests', partitions: 1, storage: 'as-reply' });
  topics.create({ topic: 'replies', partitions: 1, storage: 'memory' });
  topics.create({ topic: 'results', partitions: 1 });
  const [log] = topics.get('requests').logs;
  const kept: (boolean | undefined)[] = [];
  const append = PartitionLog.prototype.append.bind(log);
  Object.assign(log ?? {}, {
    append: (...call: Parameters<PartitionLog['append']>) => {
      kept.push(call[3]);
      return append(...call);
    },
  });
  for (const headers of [
    { kafka_replyTopic: 'replies' },
    { kafka_replyTopic: Buffer.from('replies') },
    { kafka_replyTopic: 'results' },
    { kafka_replyTopic: 'elsewhere' },
    { kafka_replyTopic: 'replies', 'plat-redrive-count': '1' },
    {},
  ])
    topics.append({ topic: 'requests', key: null, value: null, headers });
  expect(kept).toEqual([true, true, false, false, false, false]);
});
