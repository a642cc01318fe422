/** Checks bytes before avsc decodes them: avsc trusts their counts and lengths, so a few bytes could cost much time. */

import avro, { type Type } from 'avsc';
import { branchesOf, isUnion } from './avro-types.ts';

const MAX_VARINT_BYTES = 10;
const MIN_INT = -(2 ** 31);
const MAX_INT = 2 ** 31 - 1;

export class MalformedAvroError extends Error {
  override readonly name = 'MalformedAvroError';
}

export class TooManyItemsError extends MalformedAvroError {}

/** Throws MalformedAvroError unless the bytes from `start` to the end are exactly one value of the schema. */
type BoundsCheck = (bytes: Buffer, start: number) => void;

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

type Walk = (cursor: Cursor) => void;

/** `maxItems` limits each array field of the outermost record. Throws TypeError if array items have no bytes. */
export function compileBoundsCheck(type: Type, maxItems = Infinity): BoundsCheck {
  const known = new Map<Type, Walk>();
  const walk =
    type instanceof avro.types.RecordType
      ? walkRecord(type.fields.map((field) => compileField(field.type, known, maxItems)))
      : compile(type, known);
  return (bytes, start) => {
    const cursor = { bytes, at: start };
    walk(cursor);
    if (cursor.at !== bytes.length) throw new MalformedAvroError('there are bytes after the value');
  };
}

function compileField(type: Type, known: Map<Type, Walk>, maxItems: number): Walk {
  if (!(type instanceof avro.types.ArrayType)) return compile(type, known);
  return walkBlocks(compileItem(type.itemsType, known), maxItems);
}

function compile(type: Type, known: Map<Type, Walk>): Walk {
  const found = known.get(type);
  if (found !== undefined) return found;
  // While a recursive type is compiled, its inner uses find a function that later calls the compiled walk.
  let walk: Walk = walkNothing;
  known.set(type, (cursor) => walk(cursor));
  walk = compileNew(type, known);
  known.set(type, walk);
  return walk;
}

function compileNew(type: Type, known: Map<Type, Walk>): Walk {
  if (type instanceof avro.types.LogicalType) return compile(type.underlyingType, known);
  if (type instanceof avro.types.RecordType)
    return walkRecord(type.fields.map((field) => compile(field.type, known)));
  if (type instanceof avro.types.ArrayType) return walkBlocks(compileItem(type.itemsType, known));
  if (type instanceof avro.types.MapType) {
    const value = compile(type.valuesType as Type, known);
    return walkBlocks((cursor) => {
      walkBytes(cursor);
      value(cursor);
    });
  }
  if (isUnion(type)) {
    const branches = branchesOf(type).map((branch) => compile(branch, known));
    return (cursor) => {
      const branch = branches[readVarint(cursor)];
      if (branch === undefined) throw new MalformedAvroError('a union has no such branch');
      branch(cursor);
    };
  }
  if (type instanceof avro.types.EnumType) {
    const symbols = type.symbols.length;
    return (cursor) => {
      const index = readVarint(cursor);
      if (index < 0 || index >= symbols) throw new MalformedAvroError('an enum has no such symbol');
    };
  }
  if (type instanceof avro.types.FixedType) return walkFixed(type.size);
  const walk = PRIMITIVES.get(type.typeName);
  if (walk === undefined) throw new TypeError(`Avro type ${type.typeName} is not supported`);
  return walk;
}

function compileItem(items: Type, known: Map<Type, Walk>): Walk {
  if (hasNoBytes(items, new Set())) throw new TypeError('arrays of items without bytes are not supported');
  return compile(items, known);
}

function hasNoBytes(type: Type, inside: Set<Type>): boolean {
  if (type instanceof avro.types.LogicalType) return hasNoBytes(type.underlyingType, inside);
  if (type instanceof avro.types.FixedType) return type.size === 0;
  if (!(type instanceof avro.types.RecordType)) return type.typeName === 'null';
  if (inside.has(type)) return true;
  return type.fields.every((field) => hasNoBytes(field.type, new Set([...inside, type])));
}

const PRIMITIVES: ReadonlyMap<string, Walk> = new Map([
  ['null', walkNothing],
  ['boolean', walkBoolean],
  ['int', walkInt],
  ['long', walkLong],
  ['float', walkFixed(4)],
  ['double', walkFixed(8)],
  ['bytes', walkBytes],
  ['string', walkBytes],
]);

function walkRecord(fields: readonly Walk[]): Walk {
  return (cursor) => {
    for (const field of fields) field(cursor);
  };
}

function walkFixed(size: number): Walk {
  return (cursor) => advance(cursor, size);
}

function walkBlocks(item: Walk, maxItems = Infinity): Walk {
  return (cursor) => {
    let all = 0;
    for (let count = readVarint(cursor); count !== 0; count = readVarint(cursor)) {
      const items = Math.abs(count);
      const end = count < 0 ? readVarint(cursor) + cursor.at : undefined;
      if (items > cursor.bytes.length - cursor.at) {
        throw new MalformedAvroError('an array declares more items than there are bytes');
      }
      all += items;
      if (all > maxItems) throw new TooManyItemsError(`there are more than ${maxItems} items`);
      for (let index = 0; index < items; index++) item(cursor);
      if (end !== undefined && end !== cursor.at)
        throw new MalformedAvroError('a block does not have the size that it declares');
    }
  };
}

function walkNothing(): void {}

function walkBoolean(cursor: Cursor): void {
  const value = cursor.bytes[cursor.at++];
  if (value !== 0 && value !== 1) throw new MalformedAvroError('a boolean is neither 0 nor 1');
}

function walkInt(cursor: Cursor): void {
  const value = readVarint(cursor);
  if (value < MIN_INT || value > MAX_INT) throw new MalformedAvroError('an int has more than 32 bits');
}

/** Rejects longs below -2^52, which avsc misreads (avro-types.ts): readVarint() makes their odd zig-zag form even. */
function walkLong(cursor: Cursor): void {
  const isNegative = ((cursor.bytes[cursor.at] ?? 0) & 1) === 1;
  if (isNegative !== readVarint(cursor) < 0)
    throw new MalformedAvroError('a number is too small to be read exactly');
}

function walkBytes(cursor: Cursor): void {
  advance(cursor, readVarint(cursor));
}

function advance(cursor: Cursor, size: number): void {
  if (size < 0 || size > cursor.bytes.length - cursor.at) {
    throw new MalformedAvroError('a length reaches beyond the bytes');
  }
  cursor.at += size;
}

/** Reads a zig-zag varint. Results below -2^52 or above 2^53 are approximate; every caller rejects or ignores those. */
function readVarint(cursor: Cursor): number {
  const { bytes } = cursor;
  let at = cursor.at;
  let byte = bytes[at++];
  if (byte === undefined) throw new MalformedAvroError('the bytes end within a number');
  let value = byte & 0x7f;
  for (let factor = 0x80, read = 1; byte >= 0x80; factor *= 0x80, read++) {
    byte = bytes[at++];
    if (byte === undefined) throw new MalformedAvroError('the bytes end within a number');
    if (read === MAX_VARINT_BYTES) throw new MalformedAvroError('a number has more than 64 bits');
    value += (byte & 0x7f) * factor;
  }
  cursor.at = at;
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
