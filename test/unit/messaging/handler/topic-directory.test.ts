import { expect, test } from 'vitest';
import { TopicDirectory } from '../../../../shared/messaging/handler/topic-directory.ts';

function createScene(counts: Record<string, number>) {
  let nowMs = 0;
  const lookedUp: string[] = [];
  const known = new Map(Object.entries(counts));
  const directory = new TopicDirectory(
    {
      partitionCounts: (topics) => {
        lookedUp.push(...topics);
        return Promise.resolve(
          new Map(topics.flatMap((topic) => (known.has(topic) ? [[topic, known.get(topic) ?? 0]] : []))),
        );
      },
    },
    { elapsedMs: () => nowMs },
  );
  return { directory, lookedUp, known, advance: (ms: number) => (nowMs += ms) };
}

test('caches an existing topic for five minutes and then refreshes it in the background', async () => {
  const { directory, lookedUp, known, advance } = createScene({ replies: 12 });
  expect(await directory.partitions('replies')).toBe(12);
  advance(299_999);
  expect(directory.partitions('replies')).toBe(12);
  advance(1);
  known.set('replies', 24);
  // The cached answer is used until the new one arrives: a slow broker must not delay the reply.
  expect(directory.partitions('replies')).toBe(12);
  await directory.refresh('replies');
  expect(lookedUp).toEqual(['replies', 'replies']);
  expect(directory.partitions('replies')).toBe(24);
});

test('looks up a missing topic again after five seconds', async () => {
  const { directory, lookedUp, known, advance } = createScene({});
  expect(await directory.partitions('missing')).toBeUndefined();
  advance(4_999);
  expect(directory.partitions('missing')).toBeUndefined();
  known.set('missing', 3);
  advance(1);
  expect(await directory.partitions('missing')).toBe(3);
  expect(lookedUp).toHaveLength(2);
});

test('looks up a topic that lacks the requested partition again after five seconds', async () => {
  const { directory, lookedUp, known, advance } = createScene({ replies: 3 });
  expect(await directory.partitions('replies', 3)).toBe(3);
  known.set('replies', 6);
  advance(4_999);
  expect(directory.partitions('replies', 3)).toBe(3);
  advance(1);
  expect(directory.partitions('replies', 2)).toBe(3);
  expect(await directory.partitions('replies', 3)).toBe(6);
  expect(lookedUp).toHaveLength(2);
});

test('shares one request between concurrent look-ups', async () => {
  const { directory, lookedUp } = createScene({ replies: 1 });
  await Promise.all([directory.partitions('replies'), directory.partitions('replies')]);
  expect(lookedUp).toHaveLength(1);
});

test('does not cache a failed look-up', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve(new Map([['replies', 1]]))];
  const directory = new TopicDirectory(
    { partitionCounts: () => answers.shift() ?? Promise.resolve(new Map()) },
    { elapsedMs: () => 0 },
  );
  await expect(directory.partitions('replies')).rejects.toThrow('away');
  expect(await directory.partitions('replies')).toBe(1);
});

test('caches at most 1,000 topics and evicts the oldest', async () => {
  const { directory, lookedUp } = createScene({});
  for (let index = 0; index <= 1_000; index += 1) await directory.partitions(`topic-${index}`);
  await directory.partitions('topic-1000');
  expect(lookedUp).toHaveLength(1_001);
  await directory.partitions('topic-0');
  expect(lookedUp).toHaveLength(1_002);
});
