import { describe, expect, test } from 'vitest';
import { toLogMessage } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/log-message.ts';

const NOW = 1_700_000_000_000;

function convert(headers: Record<string, unknown> | undefined) {
  return toLogMessage('t', 3, {
    key: null,
    value: Buffer.from('v'),
    offset: '42',
    timestamp: '1700000000000',
    attributes: 0,
    headers: headers as Record<string, Buffer>,
  });
}

describe('toLogMessage()', () => {
  test('converts offset and timestamp to numbers', () => {
    expect(convert({})).toEqual({
      topic: 't',
      partition: 3,
      offset: 42,
      key: null,
      value: Buffer.from('v'),
      headers: {},
      timestampMs: NOW,
    });
  });

  test('omits headers without a value and keeps the order of repeated ones', () => {
    const [one, two] = [Buffer.from('1'), Buffer.from('2')];
    expect(convert({ none: null, many: [one, null, two], single: [null, one] }).headers).toEqual({
      many: [one, two],
      single: one,
    });
  });

  test('keeps headers whose names all objects have, as kafkajs reads them', () => {
    const value = Buffer.from('x');
    // Their decoder looks the name up in an object without it, and adds what it finds there.
    const headers = Object.fromEntries([
      ['constructor', [Object, value]],
      ['__proto__', [Object.prototype, value, value]],
    ]);
    expect(Object.entries(convert(headers).headers)).toEqual([
      ['constructor', value],
      ['__proto__', [value, value]],
    ]);
  });

  test('returns no headers if kafkajs has none', () => {
    expect(convert(undefined).headers).toEqual({});
  });
});
