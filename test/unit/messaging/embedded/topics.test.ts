import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/messaging/embedded/memory-store.ts';
import type { LogStore } from '../../../../shared/messaging/embedded/log-store.ts';
import { PartitionLog } from '../../../../shared/messaging/embedded/partition-log.ts';
import { EmbeddedScheduler } from '../../../../shared/messaging/embedded/scheduler.ts';
import { EmbeddedTopics } from '../../../../shared/messaging/embedded/topics.ts';
import { seededSystem } from '../../../simulation/seeded-system.ts';

const LIMITS = { maxRecordsPerTopic: 1_000, maxBytesPerTopic: 1_000_000 };
/** As many as a turn removes. */
const MANY = 500;

test('a sweep visits all logs, in turns of 500 removed rows', async () => {
  const { clock, timers, pass } = seededSystem(1);
  const visited: string[] = [];
  const memory = createMemoryStore();
  const store: LogStore = {
    ...memory,
    createLogs: (spec, config) => {
      const logs = memory.createLogs(spec, config);
      for (const log of logs) {
        let left = spec.topic.startsWith('long') ? MANY + 1 : 10;
        log.sweep = () => {
          visited.push(spec.topic);
          const removed = Math.min(left, MANY);
          left -= removed;
          return removed;
        };
      }
      return logs;
    },
  };
  const scheduler = new EmbeddedScheduler(timers);
  const topics = new EmbeddedTopics({ clock, limits: LIMITS, scheduler, store });
  for (const topic of ['short-1', 'short-2', 'long-1', 'short-3', 'long-2']) {
    topics.create({ topic, partitions: 1 });
  }
  topics.sweep();
  expect(visited.splice(0)).toEqual(['short-1', 'short-2', 'long-1']);
  topics.sweep();
  await pass(0);
  expect(visited.splice(0)).toEqual(['short-3', 'long-2', 'long-1', 'long-2']);
});

test('a request is in memory if its reply is, unless it was redriven', () => {
  const { clock, timers } = seededSystem(1);
  const scheduler = new EmbeddedScheduler(timers);
  const topics = new EmbeddedTopics({ clock, limits: LIMITS, scheduler, store: createMemoryStore() });
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
