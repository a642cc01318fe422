/**
 * Money as whole numbers of a currency's minor units. They are safe integers: larger amounts than {@link
 * MAX_AMOUNT_MINOR} are refused before any calculation, so sums and differences are exact.
 */

import type { Decimal } from 'decimal.js';

/**
 * Largest amount of a request, in minor units (ten trillion euro). The largest safe integer is nine times as large,
 * which leaves room for interest and fees.
 */
export const MAX_AMOUNT_MINOR = 1_000_000_000_000_000;

/**
 * Largest figure of a row in minor units: the largest whole number that this system encodes exactly as an Avro long
 * (2^53 - 2). The limit applies to absolute values: negative rates and formula columns can make figures negative.
 */
export const MAX_FIGURE_MINOR = Number.MAX_SAFE_INTEGER - 1;

/**
 * An amount with a larger decimal exponent always exceeds the limit. It is refused first, so that a huge exponent is
 * never expanded.
 */
const MAX_EXPONENT = 15;

/** An amount in minor units, or why it cannot be converted. */
type MinorUnits = number | 'too-many-decimals' | 'too-large';

/**
 * The amount in minor units of a currency with `digits` decimals, never rounded: an amount with more decimals than
 * the currency has is reported instead (M2), as is one beyond {@link MAX_AMOUNT_MINOR}. The value is finite.
 */
export function toMinorUnits(amount: Decimal, digits: number): MinorUnits {
  if (amount.isZero()) return 0;
  if (amount.e > MAX_EXPONENT) return 'too-large';
  if (amount.decimalPlaces() > digits) return 'too-many-decimals';
  // Exact up to the largest safe integer; a larger amount stays larger than the limit.
  const minor = Number(scaledDigits(amount, digits));
  return Math.abs(minor) > MAX_AMOUNT_MINOR ? 'too-large' : minor;
}

/** The amount times 10^digits. `amount` must have at most `digits` decimals. */
export function scaleToInteger(amount: Decimal, digits: number): bigint {
  return BigInt(scaledDigits(amount, digits));
}

/** The digits of the amount times 10^digits. Without an argument, `toFixed` does not round, which is faster. */
function scaledDigits(amount: Decimal, digits: number): string {
  const [whole = '', decimals = ''] = amount.toFixed().split('.');
  return whole + decimals.padEnd(digits, '0');
}

/** `.00` to `.99`: nearly every amount of an answer has two decimals, and there are thousands of them. */
const CENTS = Array.from({ length: 100 }, (_, cents) => `.${String(cents).padStart(2, '0')}`);

/** A whole number of minor units as plain decimal text with exactly `digits` decimals, for example `-0.05`. */
export function formatMinorUnits(minor: number | bigint, digits: number): string {
  if (digits === 2 && typeof minor === 'number' && minor >= 0) {
    const cents = minor % CENTS.length;
    return `${(minor - cents) / CENTS.length}${CENTS[cents] ?? ''}`;
  }
  const isNegative = minor < 0;
  const text = String(isNegative ? -minor : minor).padStart(digits + 1, '0');
  const sign = isNegative ? '-' : '';
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

// The number of decimals of each ISO 4217 currency (M2). Codes without a minor unit, such as metals and test codes, are
// left out.

/** Number of decimals of an amount in an unknown currency (M2). */
export const DEFAULT_CURRENCY_DIGITS = 2;

const CODES_BY_DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE ' +
      'CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD ' +
      'HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP ' +
      'MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR ' +
      'SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED ' +
      'VES WST XCD XCG YER ZAR ZMW ZWG ZWL',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const DIGITS_BY_CODE: ReadonlyMap<string, number> = new Map(
  CODES_BY_DIGITS.flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits] as const)),
);

/** Number of decimals of a currency by its three-letter code, ignoring case; undefined if there is no such currency. */
export function currencyDigits(code: string): number | undefined {
  return DIGITS_BY_CODE.get(code.toUpperCase());
}
