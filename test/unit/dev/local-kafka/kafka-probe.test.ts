import { describe, expect, it } from 'vitest';
import { readBrokerIds, requestFrame } from '../../../../scripts/dev/local-kafka/kafka-probe.ts';

describe('the Kafka probe', () => {
  it('frames requests as the protocol guide defines: length, key, version, correlation, client, body', () => {
    const frame = requestFrame({ key: 3, version: 1 }, Buffer.alloc(4));
    expect(frame.readInt32BE(0)).toBe(frame.length - 4);
    expect([frame.readInt16BE(4), frame.readInt16BE(6), frame.readInt32BE(8)]).toEqual([3, 1, 1]);
    expect(frame.readInt16BE(12)).toBe('local-kafka'.length);
    expect(frame.subarray(14, 25).toString()).toBe('local-kafka');
    expect(frame.subarray(25)).toEqual(Buffer.alloc(4));
  });

  it('reads the ids of brokers with and without a rack', () => {
    const answer = Buffer.concat([int32(2), broker(1, null), broker(7, 'east'), int32(1)]);
    expect(readBrokerIds(answer)).toEqual([1, 7]);
    expect(readBrokerIds(int32(0))).toEqual([]);
  });
});

function broker(id: number, rack: string | null): Buffer {
  const host = '127.0.0.1';
  const rackBytes = rack === null ? int16(-1) : Buffer.concat([int16(rack.length), Buffer.from(rack)]);
  return Buffer.concat([int32(id), int16(host.length), Buffer.from(host), int32(9092), rackBytes]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
