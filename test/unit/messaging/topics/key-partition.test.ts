import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { murmur2, partitionOfKey } from '../../../../shared/messaging/topics/key-partition.ts';

type Choose = (input: {
  topic: string;
  partitionMetadata: { leader: number; partitionId: number }[];
  message: { key: Buffer };
}) => number;
const require = createRequire(import.meta.url);
const kafkajs = require('kafkajs') as { Partitioners: { DefaultPartitioner: () => Choose } };

test.each([
  ['foobar', -790_332_482],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
])('hashes %s like the Java client', (key, hash) => {
  expect(murmur2(Buffer.from(key))).toBe(hash);
});

test('chooses the same partition as the default partitioner of kafkajs', () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ leader: 1, partitionId }));
  for (let length = 0; length < 64; length += 1) {
    for (const factor of [1, 37, 255]) {
      const key = Buffer.from(Array.from({ length }, (_, index) => (index * factor + length) & 0xff));
      expect(partitionOfKey(key, 12)).toBe(choose({ topic: 't', partitionMetadata, message: { key } }));
    }
  }
});
