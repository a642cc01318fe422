import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import {
  bytesToDecimal,
  decimalMisfit,
  decimalToBytes,
} from '../../../../shared/messaging/codec/avro-decimal.ts';
import { isSameSchema, parseOwnSchema } from '../../../../shared/messaging/codec/avro-schema.ts';

const decimalSchema = (precision: number, scale?: number, type = 'bytes') =>
  parseOwnSchema(JSON.stringify({ type, logicalType: 'decimal', precision, scale }));

/** Unscaled values with their shortest two's complement bytes. */
const VECTORS = [
  ['0', '00'],
  ['-1', 'ff'],
  ['1', '01'],
  ['127', '7f'],
  ['128', '0080'],
  ['-128', '80'],
  ['-129', 'ff7f'],
  ['255', '00ff'],
  ['256', '0100'],
  ['-256', 'ff00'],
  ['140737488355327', '7fffffffffff'],
  ['140737488355328', '00800000000000'],
  ['-140737488355328', '800000000000'],
  ['-140737488355329', 'ff7fffffffffff'],
  ['9007199254740993', '20000000000001'],
  ['99999999999999999999999999999999999999', '4b3b4ca85a86c47a098a223fffffffff'],
  ['-99999999999999999999999999999999999999', 'b4c4b357a5793b85f675ddc000000001'],
] as const;

describe('the Avro decimal', () => {
  it.each(VECTORS)('writes %s as %s and reads it back', (text, hex) => {
    const bytes = decimalToBytes(new Decimal(text), 0);
    expect(bytes.toString('hex')).toBe(hex);
    expect(bytesToDecimal(bytes, { precision: 38, scale: 0 }).toFixed()).toBe(text);
  });

  it.each([
    '0',
    '5000',
    '-5000',
    '3.01',
    '100',
    '1e17',
    '-1e19',
    '0.000000000000000001',
    '123456789012345.5',
  ])('reads %s as the number that its digits make', (text) => {
    const limits = { precision: 38, scale: 18 };
    const read = bytesToDecimal(decimalToBytes(new Decimal(text), limits.scale), limits);
    expect(read).toEqual(new Decimal(text));
  });

  it('scales the value', () => {
    expect(decimalToBytes(new Decimal('-1.5'), 2).toString('hex')).toBe('ff6a');
    expect(bytesToDecimal(Buffer.from('ff6a', 'hex'), { precision: 9, scale: 2 }).toFixed()).toBe('-1.5');
  });

  it('reads bytes with redundant sign bytes', () => {
    expect(bytesToDecimal(Buffer.from('ffff85', 'hex'), { precision: 9, scale: 0 }).toFixed()).toBe('-123');
  });

  it('writes negative zero as zero', () => {
    expect(decimalToBytes(new Decimal(-0), 4).toString('hex')).toBe('00');
  });

  it.each([
    ['1.23', 'too-many-decimals'],
    ['0.001', 'too-many-decimals'],
    ['1e-9000000', 'too-many-decimals'],
    ['1000', 'too-large'],
    ['-1000', 'too-large'],
    ['1e9000000', 'too-large'],
    ['NaN', 'not-a-decimal'],
    ['-Infinity', 'not-a-decimal'],
    ['999.9', undefined],
    ['-999.9', undefined],
    ['0e-50', undefined],
  ])('classifies %s in decimal(4,1) as %s', (text, misfit) => {
    expect(decimalMisfit(new Decimal(text), { precision: 4, scale: 1 })).toBe(misfit);
  });

  it('accepts only instances of Decimal', () => {
    for (const value of [1, '1', null, undefined, {}, 1n]) {
      expect(decimalMisfit(value, { precision: 4, scale: 1 })).toBe('not-a-decimal');
    }
  });

  it('rejects a value that does not fit instead of rounding it', () => {
    const schema = decimalSchema(4, 1);
    expect(() => schema.toBuffer(new Decimal('1.25'))).toThrow('invalid');
    expect(() => schema.toBuffer(new Decimal('1000'))).toThrow('invalid');
  });

  it('throws RangeError on zero bytes, too many bytes and too many digits', () => {
    const limits = { precision: 2, scale: 0 };
    expect(() => bytesToDecimal(Buffer.alloc(0), limits)).toThrow(RangeError);
    expect(() => bytesToDecimal(Buffer.alloc(2), limits)).toThrow(RangeError);
    expect(() => bytesToDecimal(Buffer.from([100]), limits)).toThrow(RangeError);
    expect(bytesToDecimal(Buffer.from([99]), limits).toNumber()).toBe(99);
  });

  it('rejects a schema whose scale, precision or type violates the specification', () => {
    expect(() => decimalSchema(4, 5)).toThrow('scale');
    expect(() => decimalSchema(4, -1)).toThrow('scale');
    expect(() => decimalSchema(0, 0)).toThrow('precision');
    expect(() => decimalSchema(4, 1, 'string')).toThrow('bytes');
    expect(decimalSchema(4).toBuffer(new Decimal(7)).toString('hex')).toBe('0207');
  });

  it('resolves the schema of another writer only if no digit can be lost', () => {
    const reader = decimalSchema(10, 2);
    const narrower = decimalSchema(5, 2);
    const resolver = reader.createResolver(narrower);
    const written = narrower.toBuffer(new Decimal('123.45'));
    expect((reader.fromBuffer(written, resolver) as Decimal).toFixed(2)).toBe('123.45');
    expect(isSameSchema(reader, narrower)).toBe(false);
    expect(() => reader.createResolver(decimalSchema(11, 2))).toThrow('cannot read');
    expect(() => reader.createResolver(decimalSchema(10, 3))).toThrow('cannot read');
    expect(() => reader.createResolver(parseOwnSchema('"bytes"'))).toThrow('cannot read');
  });
});
