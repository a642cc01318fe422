import { describe, expect, it } from 'vitest';
import { existingTopics } from '../../../../shared/messaging/topics/required-topics.ts';

function adminThatKnows(answers: readonly (readonly string[])[]) {
  const asked: number[] = [];
  return {
    asked,
    partitionCounts: (topics: readonly string[]) => {
      const known = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(topics.length);
      return Promise.resolve(new Map(known.map((topic) => [topic, 3])));
    },
  };
}

describe('existingTopics()', () => {
  it('returns partition counts immediately if the broker knows all topics', async () => {
    const admin = adminThatKnows([['a', 'b']]);
    expect(await existingTopics(admin, ['a', 'b'])).toEqual(
      new Map([
        ['a', 3],
        ['b', 3],
      ]),
    );
    expect(admin.asked).toHaveLength(1);
  });

  it('repeats the query while the broker does not know a topic', async () => {
    const admin = adminThatKnows([[], ['a'], ['a', 'b']]);
    expect((await existingTopics(admin, ['a', 'b'])).size).toBe(2);
    expect(admin.asked).toHaveLength(3);
  });

  it('rejects with the name of a missing topic', async () => {
    const admin = adminThatKnows([['a']]);
    await expect(existingTopics(admin, ['a', 'b'], { spreadMs: 250 })).rejects.toMatchObject({
      code: 'topic-unknown',
      message: 'there is no topic b',
    });
    expect(admin.asked.length).toBeGreaterThan(1);
  });
});
