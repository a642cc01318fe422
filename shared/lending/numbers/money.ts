/** Money as safe integers of minor units. {@link MAX_AMOUNT_MINOR} bounds requests, so that sums are exact. */

import type { Decimal } from 'decimal.js';

/** Largest amount of a request: ten trillion euro. The largest safe integer is nine times as much. */
export const MAX_AMOUNT_MINOR = 1_000_000_000_000_000;

/** Largest absolute figure of a row in minor units: 2^53 - 2, the largest long that the Avro library (avsc) accepts. */
export const MAX_FIGURE_MINOR = Number.MAX_SAFE_INTEGER - 1;

/** Amounts with a larger decimal exponent are refused before their digits are written out. */
const MAX_EXPONENT = 15;

/** Converts a finite amount without rounding, such as 10.5 with 2 digits to 1050, or returns why it is refused (M2). */
export function toMinorUnits(amount: Decimal, digits: number): number | 'too-many-decimals' | 'too-large' {
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

/** The digits of the amount times 10^digits. An argument of `toFixed` would make it round, which is slow. */
function scaledDigits(amount: Decimal, digits: number): string {
  const [whole = '', decimals = ''] = amount.toFixed().split('.');
  return whole + decimals.padEnd(digits, '0');
}

/** `.00` to `.99`, made once because an answer may have thousands of amounts with two decimals. */
const CENTS = Array.from({ length: 100 }, (_, cents) => `.${String(cents).padStart(2, '0')}`);

/** A whole number of minor units as plain decimal text with exactly `digits` decimals, for example `-0.05`. */
export function formatMinorUnits(minor: number | bigint, digits: number): string {
  if (digits === 2 && typeof minor === 'number' && minor >= 0) {
    const cents = minor % CENTS.length;
    return `${(minor - cents) / CENTS.length}${CENTS[cents]}`;
  }
  const isNegative = minor < 0;
  const text = String(isNegative ? -minor : minor).padStart(digits + 1, '0');
  const sign = isNegative ? '-' : '';
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

// Decimals of the ISO 4217 currencies (M2). Codes without a minor unit, such as metals, are left out.

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

/** Decimals of an ISO 4217 code, ignoring case; undefined for an unknown code or one without a minor unit (M2). */
export function currencyDigits(code: string): number | undefined {
  return DIGITS_BY_CODE.get(code.toUpperCase());
}
