import { describe, expect, it } from 'vitest';
import { checkBatches } from '../../../../../../shared/messaging/kafka/common/batches/check-batches.ts';
import { recordBatch } from '../../../../../support/builders/record-batches.ts';

/** Records whose value is their offset. */
function batch(first: number, count: number): Promise<Buffer> {
  const records = Array.from({ length: count }, (_, index) => ({ value: String(first + index) }));
  return recordBatch(first, records);
}

describe('checkBatches()', () => {
  it('accepts batches in order, the first of which may begin before the requested offset', async () => {
    const bytes = Buffer.concat([await batch(0, 5), await batch(9, 1)]);
    expect(() => checkBatches(bytes, 3)).not.toThrow();
    expect(() => checkBatches(bytes.subarray(0, -1), 3)).not.toThrow();
    expect(() => checkBatches(Buffer.alloc(0), 3)).not.toThrow();
  });

  it('throws for each changed bit that the checksum covers', async () => {
    const bytes = await batch(0, 1);
    for (let bit = 21 * 8; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => checkBatches(changed, 0)).toThrow('wrong checksum');
    }
  });

  it('throws for batches out of order, of another format, or shorter than their header', async () => {
    const [first, second] = [await batch(0, 2), await batch(2, 1)];
    expect(() => checkBatches(Buffer.concat([second, first]), 0)).toThrow('out of order');
    expect(() => checkBatches(first, 2)).toThrow('out of order');
    expect(() => checkBatches(first.subarray(0, -1), 0)).toThrow('truncated');
    expect(() => checkBatches(Buffer.from(first).fill(1, 16, 17), 0)).toThrow('unknown format');
    const short = Buffer.from(first);
    short.writeInt32BE(5, 8);
    expect(() => checkBatches(short, 0)).toThrow('without its header');
  });
});
