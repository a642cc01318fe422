import { expect, test } from 'vitest';
import { recordBytes } from '../../../../shared/messaging/kafka/kafka-publisher.ts';

test('the size of a record counts key, value and headers in bytes, not in characters', () => {
  const plain = recordBytes({ topic: 't', key: null, value: null });
  const headers = { h: 'ö', gone: undefined };
  const complete = recordBytes({ topic: 't', key: 'ä', value: Buffer.alloc(10), headers });
  expect(complete - plain).toBe(2 + 10 + 6 + 1 + 2);
});
