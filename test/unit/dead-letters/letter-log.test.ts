import { expect, it } from 'vitest';
import { readOne, type LetterLog } from '../../../shared/dead-letters/letter-log.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { deadLetterMessage } from '../../support/worlds/dead-letters.ts';

const TOPIC = 'letters';

/** A log that retains the offsets 5 to 8 of partition 1, and none of partition 0. */
const log: LetterLog = {
  ranges: async (topics) =>
    topics.flatMap((topic) => [
      { topic, partition: 0, from: 3, to: 3 },
      { topic, partition: 1, from: 5, to: 9 },
    ]),
  read: async (ranges, onMessage) => {
    for (const { topic, partition, from, to } of ranges) {
      for (let offset = from; offset < to; offset += 1) {
        const message: LogMessage = deadLetterMessage({}, { topic, partition, offset });
        if ((await onMessage(message)) === 'stop') return;
      }
    }
  },
  publish: async () => undefined,
  close: async () => undefined,
};

it.each([
  [1, 5],
  [1, 8],
])('readOne reads the retained offset %i/%i', async (partition, offset) => {
  const found = await readOne(log, { topic: TOPIC, partition, offset });
  expect(found).toMatchObject({ topic: TOPIC, partition, offset });
});

it.each([
  [1, 4],
  [1, 9],
  [0, 3],
  [2, 5],
])('readOne finds nothing at the offset %i/%i, which is not retained', async (partition, offset) => {
  expect(await readOne(log, { topic: TOPIC, partition, offset })).toBeUndefined();
});
