import avro, { type Type } from 'avsc';

/** The part of avsc's own long that its type declarations leave out. */
interface LongMethods {
  readonly _check: (this: Type, value: unknown, flags: unknown, hook?: Hook) => boolean;
  readonly _write: (this: Type, tap: unknown, value: unknown) => void;
}

type Hook = (value: unknown, type: unknown) => void;

const { _check: check, _write: write } = avro.types.LongType.prototype as unknown as LongMethods;

/**
 * Smallest whole number that avsc writes and reads exactly. It computes the zig-zag form, 2|n| - 1, in binary floating
 * point: below -2^52 that is rounded, and the number comes back as another one, even with another sign.
 */
export const SMALLEST_EXACT_LONG = -(2 ** 52);
/** Largest whole number that avsc writes and reads. */
export const LARGEST_EXACT_LONG = Number.MAX_SAFE_INTEGER - 1;

class ExactLongType extends avro.types.LongType {
  _check(value: unknown, flags: unknown, hook?: Hook): boolean {
    if (typeof value !== 'number' || value >= SMALLEST_EXACT_LONG) {
      return check.call(this, value, flags, hook);
    }
    hook?.(value, this);
    return false;
  }

  _write(tap: unknown, value: unknown): void {
    if (typeof value === 'number' && value < SMALLEST_EXACT_LONG) {
      throw new RangeError('a whole number is too small to be written exactly');
    }
    write.call(this, tap, value);
  }
}

/** The type `long`, which takes exact numbers or refuses them. What is read is held against it by the bounds check. */
export const EXACT_LONG = new ExactLongType();
