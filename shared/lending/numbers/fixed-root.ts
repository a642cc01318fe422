/** Roots in fixed point with a proven error: published digits must not depend on binary floating point. */

/** A number in fixed point with a bound on its error, in units of the last bit. */
export interface BoundedFixed {
  readonly value: bigint;
  readonly error: bigint;
}

const DOUBLE_BITS = 52;
/** A larger number is not a double. Newton's method then starts from a fraction whose parts have at most these bits. */
const MAX_DOUBLE = BigInt(Number.MAX_VALUE);
const BITS_KEPT = 1_000;
/** The first estimate has about 45 correct bits and each step doubles their number: enough for any width in use. */
const MAX_NEWTON_STEPS = 12;

/**
 * base^exponent for a whole exponent >= 1; each step is rounded down. With an exact base, the result is too small by at
 * most 2 * exponent units of the last bit, times the result if that is above one.
 */
export function fixedPower(base: bigint, exponent: number, bits: bigint): bigint {
  let power = base;
  for (let bit = 30 - Math.clz32(exponent); bit >= 0; bit -= 1) {
    power = (power * power) >> bits;
    if (((exponent >> bit) & 1) === 1) power = (power * base) >> bits;
  }
  return power;
}

/**
 * The root of a fraction, both parts > 0, by Newton's method from a floating-point start. The error bound is
 * |x - root| <= |x^n - target| / (n * root^(n-1)), but more than the root itself if the power underflows at these bits.
 */
export function fixedRoot(
  numerator: bigint,
  denominator: bigint,
  degree: number,
  bits: bigint,
): BoundedFixed {
  const target = (numerator << bits) / denominator;
  if (degree === 1) return { value: target, error: 1n };
  const n = BigInt(degree);
  let root = estimateRoot(numerator, denominator, degree, bits);
  for (let step = 0; step < MAX_NEWTON_STEPS; step += 1) {
    const power = fixedPower(root, degree, bits);
    if (power === 0n) return { value: root, error: root + (1n << bits) };
    const correction = (root * (target - power)) / (n * power);
    root += correction;
    const isExact = correction * correction * n < root;
    if (isExact) break;
  }
  const power = fixedPower(root, degree, bits);
  const one = 1n << bits;
  const powerError = 2n * n * ((power >> bits) + 1n) + 2n;
  const residual = absoluteValue(target - power) + powerError + 1n;
  const least = power - residual;
  if (least <= 0n) return { value: root, error: root + one };
  return { value: root, error: (2n * root * residual) / (n * least) + 2n };
}

function estimateRoot(numerator: bigint, denominator: bigint, degree: number, bits: bigint): bigint {
  const larger = numerator > denominator ? numerator : denominator;
  const cut = larger > MAX_DOUBLE ? BigInt(4 * larger.toString(16).length - BITS_KEPT) : 0n;
  const estimate = Math.exp(Math.log(Number(numerator >> cut) / Number(denominator >> cut)) / degree);
  const exponent = Math.floor(Math.log2(estimate));
  const mantissa = BigInt(Math.round(estimate * 2 ** (DOUBLE_BITS - exponent)));
  const shift = bits - BigInt(DOUBLE_BITS - exponent);
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}

export function absoluteValue(value: bigint): bigint {
  return value < 0n ? -value : value;
}
