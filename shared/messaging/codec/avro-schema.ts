import avro, { type ForSchemaOptions, type Type } from 'avsc';
import { DecimalType } from './avro-decimal.ts';

/**
 * How all Avro schemas are interpreted, ours and those of other writers: decimals are `Decimal`, a decimal that violates
 * the specification is an error instead of bare bytes, and records have no methods that a field could clash with.
 */
export const AVRO_OPTIONS = {
  logicalTypes: { decimal: DecimalType as unknown as ForSchemaOptions['logicalTypes'][string] },
  assertLogicalTypes: true,
  omitRecordMethods: true,
} as const;

/** Builds the type of one of our own schemas. Throws on a union whose branches plain values could not tell apart. */
export function parseOwnSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, {
    ...AVRO_OPTIONS,
    wrapUnions: 'never',
    registry: { long: new ExactLongType() },
  });
}

/** Builds the type of another writer's schema, which may have unions that are only skipped. */
export function parseWriterSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, { ...AVRO_OPTIONS, wrapUnions: 'auto' });
}

/** True when bytes of both schemas mean the same, logical types and their attributes included. */
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
  return JSON.parse(JSON.stringify(type), (key, value: unknown) =>
    key === 'doc' ? undefined : value,
  ) as unknown;
}

/** The part of avsc's long that its type declarations omit. */
interface LongMethods {
  readonly _check: (this: Type, value: unknown, flags: unknown, hook?: Hook) => boolean;
  readonly _write: (this: Type, tap: unknown, value: unknown) => void;
}

type Hook = (value: unknown, type: unknown) => void;

const { _check: check, _write: write } = avro.types.LongType.prototype as unknown as LongMethods;

/**
 * Smallest integer that avsc writes and reads exactly. It computes the zig-zag form, 2|n| - 1, in binary floating point:
 * below -2^52 that is rounded, and the number is read as another one, even with another sign.
 */
export const MIN_EXACT_LONG = -(2 ** 52);
/** Largest integer that avsc writes and reads. */
export const MAX_EXACT_LONG = Number.MAX_SAFE_INTEGER - 1;

/** The type `long`, which accepts exact numbers only. What is read is verified by the bounds check. */
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
