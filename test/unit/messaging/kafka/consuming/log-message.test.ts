import { describe, expect, test } from 'vitest';
import { toLogMessage } from '../../../../../shared/messaging/kafka/consuming/log-message.ts';

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

  test('returns no headers if kafkajs has none', () => {
    expect(convert(undefined).headers).toEqual({});
  });
});
