import { describe, expect, test } from 'vitest';
import { toLogMessage } from '../../../../../shared/messaging/kafka/consuming/log-message.ts';

const NOW = 1_700_000_000_000;

function read(headers: Record<string, unknown> | undefined) {
  return toLogMessage('t', 3, {
    key: null,
    value: Buffer.from('v'),
    offset: '42',
    timestamp: '1700000000000',
    attributes: 0,
    headers: headers as Record<string, Buffer>,
  });
}

describe('a record that kafkajs has read', () => {
  test('has numbers for offset and time, and its partition', () => {
    expect(read({})).toEqual({
      topic: 't',
      partition: 3,
      offset: 42,
      key: null,
      value: Buffer.from('v'),
      headers: {},
      timestampMs: NOW,
    });
  });

  test('a header without a value is read as absent, and a repeated one keeps its order', () => {
    const [one, two] = [Buffer.from('1'), Buffer.from('2')];
    expect(read({ none: null, many: [one, null, two], single: [null, one] }).headers).toEqual({
      many: [one, two],
      single: one,
    });
  });

  test('has no headers where kafkajs has none', () => {
    expect(read(undefined).headers).toEqual({});
  });
});
