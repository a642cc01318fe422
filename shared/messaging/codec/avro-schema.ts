import avro, { type ForSchemaOptions, type Type } from 'avsc';
import { DecimalType } from './avro-decimal.ts';

/**
 * Options for all Avro schemas, ours and those of other writers: decimals are `Decimal`, an invalid decimal type is an
 * error instead of bytes, and records have no methods that could conflict with field names.
 */
export const AVRO_OPTIONS = {
  logicalTypes: { decimal: DecimalType as unknown as ForSchemaOptions['logicalTypes'][string] },
  assertLogicalTypes: true,
  omitRecordMethods: true,
} as const;

/** Parses one of our own schemas. Throws on a union whose branches cannot be distinguished by plain values. */
export function parseOwnSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, {
    ...AVRO_OPTIONS,
    wrapUnions: 'never',
    registry: { long: new ExactLongType() },
  });
}

/** Parses the schema of another writer. It may have ambiguous unions, in fields that are skipped. */
export function parseWriterSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, { ...AVRO_OPTIONS, wrapUnions: 'auto' });
}

/** Whether the schemas are equal, including logical types and their attributes but ignoring documentation. */
export function isSameSchema(one: Type, other: Type): boolean {
  return JSON.stringify(withoutDocs(one)) === JSON.stringify(withoutDocs(other));
}

/** The branches of a union, or the type itself. */
export function branchesOf(type: Type): readonly Type[] {
  return isUnion(type) ? (type as unknown as { types: readonly Type[] }).types : [type];
}

export function isUnion(type: Type): boolean {
  return avro.Type.isType(type, 'union');
}

function withoutDocs(type: Type): unknown {
  return JSON.parse(JSON.stringify(type), (key, value: unknown) => (key === 'doc' ? undefined : value));
}

/** Methods of avsc's long that its type declarations omit. */
interface LongMethods {
  readonly _check: (this: Type, value: unknown, flags: unknown, hook?: Hook) => boolean;
  readonly _write: (this: Type, tap: unknown, value: unknown) => void;
}

type Hook = (value: unknown, type: unknown) => void;

const { _check: check, _write: write } = avro.types.LongType.prototype as unknown as LongMethods;

/**
 * Smallest integer that avsc writes and reads exactly. It computes the zig-zag form, 2|n| - 1, in binary floating point,
 * which rounds below -2^52: the number would be read as another one, even with another sign.
 */
export const MIN_EXACT_LONG = -(2 ** 52);
/** Largest integer that avsc writes and reads. */
export const MAX_EXACT_LONG = Number.MAX_SAFE_INTEGER - 1;

/** The type `long` for exact integers only. The bounds check verifies integers that are read. */
class ExactLongType extends avro.types.LongType {
  _check(value: unknown, flags: unknown, hook?: Hook): boolean {
    if (typeof value !== 'number' || value >= MIN_EXACT_LONG) return check.call(this, value, flags, hook);
    hook?.(value, this);
    return false;
  }

  _write(tap: unknown, value: unknown): void {
    if (typeof value === 'number' && value < MIN_EXACT_LONG) {
      throw new RangeError('an integer is too small to be written exactly');
    }
    write.call(this, tap, value);
  }
}
