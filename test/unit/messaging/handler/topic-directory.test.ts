import { expect, test } from 'vitest';
import { TopicDirectory } from '../../../../shared/messaging/handler/topic-directory.ts';

function createScene(counts: Record<string, number>) {
  let nowMs = 0;
  const asked: string[] = [];
  const known = new Map(Object.entries(counts));
  const directory = new TopicDirectory(
    {
      partitionCounts: (topics) => {
        asked.push(...topics);
        return Promise.resolve(
          new Map(topics.flatMap((topic) => (known.has(topic) ? [[topic, known.get(topic) ?? 0]] : []))),
        );
      },
    },
    { now: () => nowMs },
  );
  return { directory, asked, known, pass: (ms: number) => (nowMs += ms) };
}

test('a topic that exists is asked for once in five minutes and then known at once', async () => {
  const { directory, asked, known, pass } = createScene({ replies: 12 });
  expect(await directory.partitions('replies')).toBe(12);
  pass(299_999);
  expect(directory.partitions('replies')).toBe(12);
  pass(1);
  known.set('replies', 24);
  // What is known counts until the answer comes: a broker that is silent must not hold up the reply.
  expect(directory.partitions('replies')).toBe(12);
  await directory.refresh('replies');
  expect(asked).toEqual(['replies', 'replies']);
  expect(directory.partitions('replies')).toBe(24);
});

test('a topic that does not exist is asked for again after five seconds', async () => {
  const { directory, asked, known, pass } = createScene({});
  expect(await directory.partitions('missing')).toBeUndefined();
  pass(4_999);
  expect(directory.partitions('missing')).toBeUndefined();
  known.set('missing', 3);
  pass(1);
  expect(await directory.partitions('missing')).toBe(3);
  expect(asked).toHaveLength(2);
});

test('a topic that lacks the wanted partition may have grown, and is asked for again after five seconds', async () => {
  const { directory, asked, known, pass } = createScene({ replies: 3 });
  expect(await directory.partitions('replies', 3)).toBe(3);
  known.set('replies', 6);
  pass(4_999);
  expect(directory.partitions('replies', 3)).toBe(3);
  pass(1);
  expect(directory.partitions('replies', 2)).toBe(3);
  expect(await directory.partitions('replies', 3)).toBe(6);
  expect(asked).toHaveLength(2);
});

test('many who ask at the same time cause one question', async () => {
  const { directory, asked } = createScene({ replies: 1 });
  await Promise.all([directory.partitions('replies'), directory.partitions('replies')]);
  expect(asked).toHaveLength(1);
});

test('a question that failed is not remembered', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve(new Map([['replies', 1]]))];
  const directory = new TopicDirectory(
    { partitionCounts: () => answers.shift() ?? Promise.resolve(new Map()) },
    { now: () => 0 },
  );
  await expect(directory.partitions('replies')).rejects.toThrow('away');
  expect(await directory.partitions('replies')).toBe(1);
});

test('no more than a thousand names are remembered, the oldest go first', async () => {
  const { directory, asked } = createScene({});
  for (let index = 0; index <= 1_000; index += 1) await directory.partitions(`topic-${index}`);
  await directory.partitions('topic-1000');
  expect(asked).toHaveLength(1_001);
  await directory.partitions('topic-0');
  expect(asked).toHaveLength(1_002);
});
