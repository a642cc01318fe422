import type { Type } from 'avsc';
import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  bytesToDecimal,
  decimalMisfit,
  decimalToBytes,
  parseOwnSchema,
} from '../../../../shared/messaging/codec/avro-types.ts';

const RUNS = { numRuns: 2_000 };

const scaled = (precision: number) =>
  fc.record({ precision: fc.constant(precision), scale: fc.integer({ min: 0, max: precision }) });
const limitsOf = fc.integer({ min: 1, max: 60 }).chain(scaled);

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n }), fc.integer({ min: -70, max: 30 }))
  .map(([digits, exponent]) => new Decimal(`${digits}e${exponent}`));

it('the Avro decimal encodes every value without loss or rejects it', () => {
  fc.assert(
    fc.property(limitsOf, decimals, (within, value) => {
      const unscaled = new Decimal(value).toFixed().replace('-', '');
      const decimalsOf = unscaled.split('.')[1]?.length ?? 0;
      const digits = (unscaled.split('.')[0] ?? '').replace(/^0+/, '').length;
      const fits = decimalsOf <= within.scale && digits + within.scale <= within.precision;
      expect(decimalMisfit(value, within) === undefined).toBe(fits);
      if (!fits) return;
      const bytes = decimalToBytes(value, within.scale);
      expect(bytesToDecimal(bytes, within).eq(value)).toBe(true);
      expect(bytes.length === 1 || isShortest(bytes)).toBe(true);
    }),
    RUNS,
  );
});

it('the Avro decimal writes two’s complement like writeBigInt64BE', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const eight = Buffer.alloc(8);
      eight.writeBigInt64BE(value);
      const bytes = decimalToBytes(new Decimal(value.toString()), 0);
      const sign = value < 0n ? 0xff : 0;
      const padded = Buffer.concat([Buffer.alloc(8 - bytes.length, sign), bytes]);
      expect(padded.equals(eight)).toBe(true);
      expect(bytesToDecimal(eight, { precision: 20, scale: 0 }).toFixed()).toBe(value.toString());
    }),
    RUNS,
  );
});

it('the Avro decimal writes through a schema exactly the values that fit, and throws on others', () => {
  expect(bytesToDecimal(Buffer.of(0xf7), { precision: 1, scale: 0 }).toNumber()).toBe(-9);
  expect(() => bytesToDecimal(Buffer.of(10), { precision: 1, scale: 0 })).toThrow('more than 1 digits');
  const schema = parseOwnSchema('{"type":"bytes","logicalType":"decimal","precision":38,"scale":18}');
  fc.assert(
    fc.property(decimals, (value) => {
      const fits = decimalMisfit(value, { precision: 38, scale: 18 }) === undefined;
      expect(survivesRoundTrip(schema, value)).toBe(fits);
    }),
    RUNS,
  );
});

function survivesRoundTrip(schema: Type, value: Decimal): boolean {
  let bytes: Buffer;
  try {
    bytes = schema.toBuffer(value);
  } catch {
    return false;
  }
  if ((schema.fromBuffer(bytes) as Decimal).eq(value)) return true;
  throw new Error(`${value.toString()} was changed`);
}

function isShortest(bytes: Buffer): boolean {
  const isNegative = bytes[1]! >= 0x80;
  return bytes[0] !== (isNegative ? 0xff : 0);
}
