import avro, { type ForSchemaOptions, type Type, type Schema } from 'avsc';
import { Decimal } from 'decimal.js';

/** The logical type `decimal` of the Avro specification. Values that do not fit are rejected, never rounded (M1). */

type DecimalMisfit = 'not-a-decimal' | 'too-many-decimals' | 'too-large';

export interface DecimalLimits {
  readonly precision: number;
  readonly scale: number;
}

/** decimal.js keeps this many decimal digits in each element of its coefficient. */
const COEFFICIENT_DIGITS = 7;
const COEFFICIENT_BASE = 10n ** BigInt(COEFFICIENT_DIGITS);
const POWERS_OF_TEN = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/** Why a value cannot be written without loss; undefined if it can. */
export function decimalMisfit(value: unknown, limits: DecimalLimits): DecimalMisfit | undefined {
  if (!Decimal.isDecimal(value) || !value.isFinite()) return 'not-a-decimal';
  if (value.isZero()) return undefined;
  if (value.e + 1 + limits.scale > limits.precision) return 'too-large';
  return value.decimalPlaces() > limits.scale ? 'too-many-decimals' : undefined;
}

/** The shortest two's complement of a value that fits (see {@link decimalMisfit}). Negative zero becomes zero. */
export function decimalToBytes(value: Decimal, scale: number): Buffer {
  const unscaled = unscaledInteger(value, scale);
  const magnitude = (unscaled < 0n ? ~unscaled : unscaled).toString(16);
  // The first bit is the sign, so a magnitude whose first hex digit is 8 or more needs one more digit.
  const bytes = Math.ceil((magnitude.length + (magnitude.charAt(0) < '8' ? 0 : 1)) / 2);
  const digits = unscaled < 0n ? BigInt.asUintN(8 * bytes, unscaled).toString(16) : magnitude;
  return Buffer.from(digits.padStart(2 * bytes, '0'), 'hex');
}

function unscaledInteger({ d: elements, e: exponent, s: sign }: Decimal, scale: number): bigint {
  let coefficient = 0n;
  for (const element of elements) coefficient = coefficient * COEFFICIENT_BASE + BigInt(element);
  const decimals = COEFFICIENT_DIGITS * (elements.length - 1 - Math.floor(exponent / COEFFICIENT_DIGITS));
  const exponentOfPower = Math.abs(scale - decimals);
  const power = POWERS_OF_TEN[exponentOfPower] ?? 10n ** BigInt(exponentOfPower);
  const magnitude = scale >= decimals ? coefficient * power : coefficient / power;
  return sign < 0 ? -magnitude : magnitude;
}

/** Throws RangeError if there are no bytes, or more bytes or digits than the precision allows. */
export function bytesToDecimal(bytes: Buffer, { precision, scale }: DecimalLimits): Decimal {
  if (bytes.length === 0 || bytes.length > maxBytes(precision))
    throw new RangeError(`a decimal of ${precision} digits cannot have ${bytes.length} bytes`);
  const unscaled = BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`)).toString();
  if (unscaled.length - (unscaled.startsWith('-') ? 1 : 0) > precision)
    throw new RangeError(`a decimal has more than ${precision} digits`);
  // Most values have fewer decimals than the scale. Their text is parsed faster without trailing zeros.
  let end = unscaled.length;
  while (end > 1 && unscaled.charAt(end - 1) === '0') end -= 1;
  return new Decimal(`${unscaled.slice(0, end)}e${unscaled.length - end - scale}`);
}

/** Bytes of the largest value of a precision: floor(p log2 10) + 1 bits, and a sign bit. */
function maxBytes(precision: number): number {
  const bits = Math.floor(precision * Math.log2(10)) + 1;
  return Math.floor(bits / 8) + 1;
}

export class DecimalType extends avro.types.LogicalType {
  readonly limits: DecimalLimits;

  /** Throws TypeError unless the type is bytes, the precision 1 or more, and the scale from 0 to the precision. */
  constructor(schema: Schema, options?: unknown) {
    super(schema, options);
    const { precision, scale = 0 } = schema as unknown as { precision: unknown; scale?: unknown };
    if (!avro.Type.isType(this.underlyingType, 'bytes')) throw new TypeError('a decimal is of type bytes');
    if (!isCount(precision) || precision === 0)
      throw new TypeError('a decimal needs a precision of 1 or more');
    if (!isCount(scale) || scale > precision)
      throw new TypeError('the scale of a decimal is 0 to its precision');
    this.limits = { precision, scale };
  }

  /** When this returns undefined, avsc rejects the value or, in a union, tries the other branches. */
  override _toValue(value: unknown): Buffer | undefined {
    return decimalMisfit(value, this.limits) === undefined
      ? decimalToBytes(value as Decimal, this.limits.scale)
      : undefined;
  }

  override _fromValue(bytes: Buffer): Decimal {
    return bytesToDecimal(bytes, this.limits);
  }

  /** Accepts a writer's decimals with the same scale and at most the same precision, which can be read without loss. */
  override _resolve(writer: Type): ((value: Decimal) => Decimal) | undefined {
    if (!(writer instanceof DecimalType)) return undefined;
    const { precision, scale } = writer.limits;
    return scale === this.limits.scale && precision <= this.limits.precision ? (value) => value : undefined;
  }

  override _export(schema: Schema): void {
    Object.assign(schema, this.limits);
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Options of all schemas: decimals are read as `Decimal`, invalid logical types throw, and records have no methods. */
export const AVRO_OPTIONS = {
  logicalTypes: { decimal: DecimalType as unknown as ForSchemaOptions['logicalTypes'][string] },
  assertLogicalTypes: true,
  omitRecordMethods: true,
} as const;

/** Parses a schema of ours. Throws if it is invalid, or plain values cannot distinguish the branches of a union. */
export function parseOwnSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, {
    ...AVRO_OPTIONS,
    wrapUnions: 'never',
    registry: { long: new ExactLongType() },
  });
}

/** Parses another writer's schema, whose unions may be ambiguous in fields that we skip. Throws if it is invalid. */
export function parseWriterSchema(text: string): Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, { ...AVRO_OPTIONS, wrapUnions: 'auto' });
}

/** Whether the schemas are the same, apart from their docs. */
export function isSameSchema(one: Type, other: Type): boolean {
  return JSON.stringify(withoutDocs(one)) === JSON.stringify(withoutDocs(other));
}

/** The branches of a union; for any other type, the type itself. */
export function branchesOf(type: Type): readonly Type[] {
  return isUnion(type) ? (type as unknown as { types: readonly Type[] }).types : [type];
}

export function isUnion(type: Type): boolean {
  return avro.Type.isType(type, 'union');
}

function withoutDocs(type: Type): unknown {
  return JSON.parse(JSON.stringify(type), (key, value: unknown) => (key === 'doc' ? undefined : value));
}

interface LongMethods {
  readonly _check: (this: Type, value: unknown, flags: unknown, hook?: Hook) => boolean;
  readonly _write: (this: Type, tap: unknown, value: unknown) => void;
}

type Hook = (value: unknown, type: unknown) => void;

const { _check: check, _write: write } = avro.types.LongType.prototype as unknown as LongMethods;

/** avsc computes the zig-zag form, 2|n| - 1, in floating point: a number below -2^52 would be read as another one. */
export const MIN_EXACT_LONG = -(2 ** 52);
/** The largest long that avsc writes. */
export const MAX_EXACT_LONG = Number.MAX_SAFE_INTEGER - 1;

/** Refuses to write integers that avsc would write inexactly. avro-bounds.ts rejects those that it would misread. */
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
