/** Proves a rate by discounting every cash flow to time 0, so that a reader can verify the sum (A6). */

import { isBeforeStart, type CashFlowTerms, type TimedFlow } from './cash-flow-terms.ts';
import { DiscountFactors, invertRatio } from './net-present-value.ts';
import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { formatMinorUnits, scaleToInteger } from '../numbers/money.ts';
import type { DiscountedFlow, ProvenRate } from '../request/rate-request.ts';
import { divideRounded } from '../numbers/rounding.ts';

const YEARS_DECIMALS = 20;
const YEARS_SCALE = 10n ** BigInt(YEARS_DECIMALS);
/** Discounted amounts have this many decimals more than the amounts, to show the residual of a rounded rate. */
const FURTHER_DECIMALS = 10;
/** Maximum number of digits before the decimal point, so that an amount fits a JSON number. */
const MAX_DIGITS = 300;
/** Bits of the first attempt, besides those of a large rate. While rounding is uncertain, each attempt doubles them. */
const FIRST_BITS = 128;
const MAX_ATTEMPTS = 6;
const WORD = 64;

/** `rate` is percent text with decimals, as solveRate returns it (`12.0000000000`). Throws a RangeError for `12`. */
export function proveRate(terms: CashFlowTerms, rate: string): Pick<ProvenRate, 'proof' | 'residual'> {
  const growth = growthAt(rate, terms.periodsPerYear);
  const decimals = Math.max(...terms.flows.map((flow) => flow.amount.decimalPlaces())) + FURTHER_DECIMALS;
  const valueAfterStart = discounting(growth, terms.unitsPerYear, decimals);
  // A flow before time 0 is compounded to time 0: it is discounted with the inverse of the growth factor.
  const valueBeforeStart = discounting(invertRatio(growth), terms.unitsPerYear, decimals);
  const proof: DiscountedFlow[] = [];
  let residual: bigint | null = 0n;
  for (const flow of terms.flows) {
    const value = isBeforeStart(flow)
      ? valueBeforeStart({ ...flow, wholeUnits: -flow.wholeUnits, extraDays: -flow.extraDays })
      : valueAfterStart(flow);
    residual = value === null || residual === null ? null : residual + value;
    proof.push({
      date: flow.date,
      amount: flow.amount.isZero() ? '0' : flow.amount.toFixed(),
      years: formatYears(flow, terms),
      discountedAmount: value === null ? null : formatMinorUnits(value, decimals),
    });
  }
  return { proof, residual: residual === null ? null : formatMinorUnits(residual, decimals) };
}

/** The growth factor 1 + r of a year, or of a period for an IRR (A3). */
function growthAt(rate: string, periodsPerYear: ExactRatio): ExactRatio {
  if (!rate.includes('.')) throw new RangeError(`the rate ${rate} must have decimals`);
  const decimals = rate.length - rate.indexOf('.') - 1;
  const one = 100n * 10n ** BigInt(decimals) * periodsPerYear.numerator;
  return reduceRatio(one + BigInt(rate.replace('.', '')) * periodsPerYear.denominator, one);
}

function formatYears(flow: TimedFlow, { unitsPerYear, periodsPerYear }: CashFlowTerms): string {
  const yearDays = BigInt(flow.yearDays);
  const units = BigInt(unitsPerYear) * periodsPerYear.numerator;
  const numerator =
    BigInt(flow.wholeUnits) * periodsPerYear.denominator * yearDays + BigInt(flow.extraDays) * units;
  const years = divideRounded(numerator * YEARS_SCALE, units * yearDays, 'HALF_UP');
  return formatMinorUnits(years, YEARS_DECIMALS);
}

/** The returned function gives units of the last decimal; null above MAX_DIGITS, or at -100 % except at time 0. */
function discounting(
  growth: ExactRatio,
  unitsPerYear: number,
  decimals: number,
): (flow: TimedFlow) => bigint | null {
  const firstBits = FIRST_BITS + bitsOfLargeRate(growth);
  const attempts: DiscountFactors[] = [];
  return ({ amount: flowAmount, wholeUnits, extraDays, yearDays }) => {
    const amount = scaleToInteger(flowAmount, decimals);
    if (wholeUnits === 0 && extraDays === 0) return amount;
    if (growth.numerator <= 0n || growth.denominator <= 0n) return null;
    let value = 0n;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const bits = BigInt(firstBits * 2 ** attempt);
      const factors = (attempts[attempt] ??= new DiscountFactors(growth, bits));
      const ofUnits = factors.discount(wholeUnits, unitsPerYear);
      const factor = extraDays === 0 ? ofUnits : (ofUnits * factors.discount(extraDays, yearDays)) >> bits;
      // A bound on the error of `factor`, in units of its last bit.
      const bound = 4n * (factors.largestError + 1n) * ((factor >> bits) + 1n);
      const low = divideRounded(amount * (factor - bound), 1n << bits, 'HALF_UP');
      value = divideRounded(amount * (factor + bound), 1n << bits, 'HALF_UP');
      if (low === value) break;
    }
    return String(value).length > MAX_DIGITS + decimals ? null : value;
  };
}

function bitsOfLargeRate({ numerator, denominator }: ExactRatio): number {
  const digits = numerator.toString(16).length - denominator.toString(16).length + 1;
  return Math.max(0, Math.ceil((digits * 4) / WORD)) * WORD;
}
