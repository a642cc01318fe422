/**
 * Writes values of our own schemas. avsc compiles a function for each record; the fields are written by the functions of this
 * file, which convert a decimal once, where avsc would do so twice to choose the branch of a union, and do not encode a short
 * text again that repeats the previous ones of its field, such as the type of an instalment.
 */

import avro, { type Type } from 'avsc';
import type { Decimal } from 'decimal.js';
import { decimalMisfit, decimalToBytes, DecimalType } from './avro-decimal.ts';
import { branchesOf, isUnion, MAX_EXACT_LONG, MIN_EXACT_LONG } from './avro-schema.ts';

/** Writes into `buf`, like the tap of avsc: what does not fit is only counted in `pos`. */
interface Tap {
  readonly buf: Buffer;
  pos: number;
  writeBoolean(value: boolean): void;
  writeLong(value: number): void;
  writeDouble(value: number): void;
  writeBytes(value: Buffer): void;
  writeString(value: string): void;
}

type Write = (tap: Tap, value: unknown) => void;

/** What avsc calls to write a value; throws if the value does not match its schema. */
interface Writing {
  readonly _write: Write;
}

/**
 * Writes a value from `start` on. Returns its end, or minus the number of bytes that are missing. Throws if the value does not
 * match the schema.
 */
export type WriteValue = (value: unknown, target: Buffer, start: number) => number;

/** Longer texts rarely repeat: an id or name of a row has fewer characters. */
const MAX_REMEMBERED_LENGTH = 64;
/** Compiles a schema. Throws TypeError when it has a type that none of our schemas uses, such as a map. */
export function compileWriter(schema: Type): WriteValue {
  const type = compile(schema);
  return (value, target, start) => type.encode(value, target, start);
}

/** avsc accepts as types only what has this prototype; a type of its own would take it a tenth of a millisecond to create. */
const TYPE = avro.Type.prototype as object;

/** A type that avsc calls from the functions of records. */
function createType(write: Write): Type {
  const writing: Writing = { _write: write };
  return Object.assign(Object.create(TYPE) as Type, writing);
}

function compile(type: Type): Type {
  if (type instanceof DecimalType) return compileDecimal(type);
  if (type instanceof avro.types.LogicalType) return compile(type.underlyingType);
  if (type instanceof avro.types.RecordType) return compileRecord(type);
  if (type instanceof avro.types.ArrayType) return compileArray(type);
  if (isUnion(type)) return compileOptional(branchesOf(type));
  return createType(primitiveWriter(type.typeName));
}

/** The fields have no defaults: an absent field is null (M6). */
function compileRecord({ name, fields }: avro.types.RecordType): Type {
  const compiled = fields.map((field) => ({ name: field.name, type: compile(field.type) }));
  const record = { type: 'record', name: name ?? 'Record', fields: compiled } as const;
  return avro.Type.forSchema(record, { omitRecordMethods: true });
}

function isRecord(type: Type): boolean {
  return type instanceof avro.types.RecordType;
}

/** A field that may be absent: a union of null and one type. */
function compileOptional([none, some, ...others]: readonly Type[]): Type {
  if (none?.typeName !== 'null' || some === undefined || others.length > 0) {
    throw new TypeError('a union is not of null and one other type');
  }
  const { _write: write } = compile(some) as Type & Writing;
  const mustBeObject = isRecord(some);
  return createType((tap, value) => {
    if (value === undefined || value === null) return tap.writeLong(0);
    // A list or bytes would be written as a record without any of its fields.
    const isOther = typeof value !== 'object' || Array.isArray(value) || Buffer.isBuffer(value);
    if (mustBeObject && isOther) throw mismatch('a record');
    tap.writeLong(1);
    write(tap, value);
  });
}

function compileArray({ itemsType }: avro.types.ArrayType): Type {
  const { _write: write } = compile(itemsType) as Type & Writing;
  const mustBeObjects = isRecord(itemsType);
  return createType((tap, items) => {
    if (!Array.isArray(items)) throw mismatch('an array');
    if (items.length > 0) tap.writeLong(items.length);
    for (const item of items) {
      if (mustBeObjects && typeof item !== 'object') throw mismatch('a record');
      write(tap, item);
    }
    tap.writeLong(0);
  });
}

function primitiveWriter(name: string): Write {
  switch (name) {
    case 'boolean':
      return (tap, value) => {
        if (typeof value !== 'boolean') throw mismatch(name);
        tap.writeBoolean(value);
      };
    case 'int':
      return (tap, value) => {
        if (typeof value !== 'number' || value !== (value | 0)) throw mismatch(name);
        tap.writeLong(value);
      };
    case 'long':
      return (tap, value) => {
        const isExact = typeof value === 'number' && Number.isInteger(value);
        if (!isExact || value < MIN_EXACT_LONG || value > MAX_EXACT_LONG) throw mismatch(name);
        tap.writeLong(value);
      };
    case 'double':
      return (tap, value) => {
        if (typeof value !== 'number') throw mismatch(name);
        tap.writeDouble(value);
      };
    case 'bytes':
      return (tap, value) => {
        if (!Buffer.isBuffer(value)) throw mismatch(name);
        tap.writeBytes(value);
      };
    case 'string':
      return stringWriter();
    default:
      throw new TypeError(`Avro type ${name} is not compiled`);
  }
}

/** Keeps the bytes of a short text that was written twice in succession. */
function stringWriter(): Write {
  let previous = '';
  let bytes: Buffer | undefined;
  return (tap, text) => {
    if (typeof text !== 'string') throw mismatch('string');
    const { buf, pos } = tap;
    if (text === previous && bytes !== undefined && pos + bytes.length <= buf.length) {
      buf.set(bytes, pos);
      tap.pos = pos + bytes.length;
      return;
    }
    tap.writeString(text);
    const repeats = text === previous && tap.pos <= buf.length;
    bytes = repeats ? Buffer.from(buf.subarray(pos, tap.pos)) : undefined;
    previous = text.length <= MAX_REMEMBERED_LENGTH ? text : '';
  };
}

function compileDecimal({ limits }: DecimalType): Type {
  return createType((tap, value) => {
    if (decimalMisfit(value, limits) !== undefined) throw mismatch('a decimal of its precision and scale');
    tap.writeBytes(decimalToBytes(value as Decimal, limits.scale));
  });
}

/** The name of the field is found afterwards, by findSchemaFaults. */
function mismatch(what: string): TypeError {
  return new TypeError(`a value is not ${what}`);
}
