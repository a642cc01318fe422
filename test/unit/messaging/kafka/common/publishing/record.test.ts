import { describe, expect, test } from 'vitest';
import { toRecord } from '../../../../../../shared/messaging/kafka/common/publishing/record.ts';
import type { OutgoingMessage } from '../../../../../../shared/messaging/message.ts';

const NOW = 1_700_000_000_000;
const message: OutgoingMessage = { topic: 't', key: 'k', value: Buffer.from('value') };

describe('toRecord()', () => {
  test('sets the timestamp of the message or of the call', () => {
    expect(toRecord(message, NOW).record.timestamp).toBe('1700000000000');
    expect(toRecord({ ...message, timestampMs: 5.7 }, NOW).record.timestamp).toBe('5');
  });

  test('omits absent headers', () => {
    const { record } = toRecord({ ...message, headers: { a: undefined, b: 'x', c: ['1', '2'] } }, NOW);
    expect(record.headers).toEqual({ b: 'x', c: ['1', '2'] });
  });

  test('keeps a header with any name', () => {
    const { record } = toRecord({ ...message, headers: { ['__proto__']: 'x', constructor: 'y' } }, NOW);
    expect(Object.entries(record.headers ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  test('counts key, value and headers in bytes, not in characters', () => {
    const plain = toRecord({ ...message, key: null, value: null }, NOW).bytes;
    const complete = toRecord({ ...message, key: 'ä', value: Buffer.alloc(10), headers: { h: 'ö' } }, NOW);
    expect(complete.bytes - plain).toBe(2 + 10 + 6 + 1 + 2);
  });
});
