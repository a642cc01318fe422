import { describe, expect, it } from 'vitest';
import type { LetterLog } from '../../../shared/dead-letters/letter-log.ts';
import { scanLetters } from '../../../shared/dead-letters/scan-letters.ts';
import type { Selection } from '../../../shared/dead-letters/selection.ts';
import type { LogMessage, OffsetRange } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { deadLetterMessage } from '../../support/worlds/dead-letters.ts';
import { callContext } from '../../support/worlds/dead-letters-world.ts';

const ALL: Selection = {
  topics: [],
  codes: [],
  types: [],
  channel: undefined,
  key: undefined,
  sinceMs: undefined,
  untilMs: undefined,
  ids: [],
};
const TOPIC_OF_LETTERS = TOPIC.notificationDeadLetters;

/** A log with this many letters in each partition; `read` collects what was read of their topic. */
function logOf(counts: readonly number[]) {
  const read: OffsetRange[] = [];
  const log: LetterLog = {
    ranges: async (topics) =>
      topics.flatMap((topic): readonly OffsetRange[] => {
        if (topic === TOPIC.deadLetterAudit) return [{ topic, partition: 0, from: 0, to: 0 }];
        if (topic !== TOPIC_OF_LETTERS) return [];
        return counts.map((count, partition) => ({ topic, partition, from: 0, to: count }));
      }),
    read: async (ranges, onMessage) => {
      for (const range of ranges) {
        if (range.topic === TOPIC_OF_LETTERS && range.to > range.from) read.push(range);
        for (let offset = range.from; offset < range.to; offset += 1) {
          const message: LogMessage = deadLetterMessage({}, { ...range, offset });
          if ((await onMessage(message)) === 'stop') return;
        }
      }
    },
    publish: async () => undefined,
    close: async () => undefined,
  };
  return { log, read };
}

describe('a scan of dead letters', () => {
  it('without a limit reads all of them', async () => {
    const { log } = logOf([5, 300]);
    const scan = await scanLetters(callContext(log), ALL, Infinity);
    expect(scan).toMatchObject({ isComplete: true });
    expect(scan.letters).toHaveLength(305);
  });

  it('reads the newest of each partition within a limit, and says that there may be more', async () => {
    const { log, read } = logOf([2, 100, 50]);
    const scan = await scanLetters(callContext(log), ALL, 42);
    expect(scan.isComplete).toBe(false);
    expect(scan.letters).toHaveLength(42);
    expect(read.toSorted((one, other) => one.partition - other.partition)).toEqual([
      { topic: TOPIC_OF_LETTERS, partition: 0, from: 0, to: 2 },
      { topic: TOPIC_OF_LETTERS, partition: 1, from: 80, to: 100 },
      { topic: TOPIC_OF_LETTERS, partition: 2, from: 30, to: 50 },
    ]);
  });

  it('reads only the places that are selected by id, whatever the limit', async () => {
    const { log, read } = logOf([1_000, 1_000]);
    const ids = [7, 9].map((offset) => `${TOPIC_OF_LETTERS}/1/${offset}`);
    const scan = await scanLetters(callContext(log), { ...ALL, ids }, 10);
    expect(scan.letters.map(({ id }) => id)).toEqual(ids);
    expect(scan.isComplete).toBe(true);
    expect(read).toEqual([{ topic: TOPIC_OF_LETTERS, partition: 1, from: 7, to: 10 }]);
  });

  it('is not complete when it was interrupted', async () => {
    const { log } = logOf([10]);
    const scan = await scanLetters(callContext(log, { signal: AbortSignal.abort() }), ALL, Infinity);
    expect(scan.isComplete).toBe(false);
  });

  it('has the type of each letter', async () => {
    const { log } = logOf([1]);
    const { letters } = await scanLetters(callContext(log), ALL, Infinity);
    expect(letters).toMatchObject([{ type: 'SendSmsCommand' }]);
  });
});
