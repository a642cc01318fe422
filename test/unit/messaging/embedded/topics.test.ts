import { expect, test } from 'vitest';
import type { LogStore } from '../../../../shared/messaging/embedded/log-store.ts';
import { createMemoryStore, MemoryLog } from '../../../../shared/messaging/embedded/memory-log.ts';
import { EmbeddedScheduler } from '../../../../shared/messaging/embedded/scheduler.ts';
import { EmbeddedTopics } from '../../../../shared/messaging/embedded/topics.ts';
import { seededSystem } from '../../../simulation/seeded-system.ts';

const LIMITS = { maxRecordsPerTopic: 1_000, maxBytesPerTopic: 1_000_000 };
const MANY = 100_000;

test('a sweep visits all logs, in turns of 100,000 compared records, and then frees their space', async () => {
  const { clock, timers, pass } = seededSystem(1);
  const visited: string[] = [];
  const store: LogStore = {
    ...createMemoryStore(),
    createLogs: ({ topic }, config) => {
      const log = new MemoryLog(topic, 0, config);
      log.compact = () => {
        visited.push(topic);
        return topic.startsWith('long') ? MANY : 10;
      };
      return [log];
    },
    reclaim: () => void visited.push('reclaim'),
  };
  const topics = new EmbeddedTopics({
    clock,
    limits: LIMITS,
    scheduler: new EmbeddedScheduler(timers),
    store,
  });
  for (const topic of ['short-1', 'short-2', 'long-1', 'short-3', 'long-2', 'long-3']) {
    topics.create({ topic, partitions: 1 });
  }
  topics.sweep();
  expect(visited.splice(0)).toEqual(['short-1', 'short-2', 'long-1']);
  topics.delete('short-2');
  topics.append({ topic: 'long-2', key: 'k', value: null });
  topics.sweep();
  await pass(0);
  expect(visited.splice(0)).toEqual(['short-3', 'long-2', 'long-3', 'reclaim']);
  topics.sweep();
  await pass(0);
  expect(visited).toEqual(['short-1', 'long-1', 'short-3', 'long-2', 'long-3', 'reclaim']);
});
