import avro, { type ForSchemaOptions, type Type } from 'avsc';
import { DecimalType } from './avro-decimal.ts';
import { EXACT_LONG } from './avro-long.ts';

/**
 * How every Avro schema is understood, ours and those of other writers: decimals are `Decimal`, a decimal that breaks
 * the specification is an error instead of bare bytes, and records carry no methods that a member could clash with.
 */
export const AVRO_OPTIONS = {
  logicalTypes: { decimal: DecimalType as unknown as ForSchemaOptions['logicalTypes'][string] },
  assertLogicalTypes: true,
  omitRecordMethods: true,
} as const;

/** Builds the type of one of our own schemas. Throws on a union that plain values could not tell apart. */
export function parseOwnSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, {
    ...AVRO_OPTIONS,
    wrapUnions: 'never',
    registry: { long: EXACT_LONG },
  });
}

/** Builds the type of another writer's schema, which may hold unions that are only skipped over. */
export function parseWriterSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, { ...AVRO_OPTIONS, wrapUnions: 'auto' });
}

/** True when bytes of both schemas mean the same, logical types and their attributes included. */
export function isSameSchema(one: Type, other: Type): boolean {
  return JSON.stringify(withoutDocs(one)) === JSON.stringify(withoutDocs(other));
}

function withoutDocs(type: Type): unknown {
  return JSON.parse(JSON.stringify(type), (key, value: unknown) =>
    key === 'doc' ? undefined : value,
  ) as unknown;
}
