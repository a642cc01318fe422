/** The proof of a rate: the present value of every flow at time 0, so that anyone can add them up (A6). */

import { isBeforeStart, type RateTerms, type TimedFlow } from './cash-flow-terms.ts';
import { discountFactorsOf, DiscountFactors } from './discount-factors.ts';
import { exactRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { formatMinorUnits } from '../numbers/money.ts';
import type { DiscountedFlow, ProvenRate } from '../request/rate-request.ts';
import { divideRounded } from '../numbers/rounding.ts';

/** Decimals of the years. */
const YEARS_DECIMALS = 20;
/** Decimals of discounted amounts beyond those of the amounts: the residual of a rate of ten decimals shows in them. */
const FURTHER_DECIMALS = 10;
/** Digits before the point, above which an amount would not fit a JSON number. */
const MOST_DIGITS = 300;
/** Fraction bits of the first attempt beyond those of a large rate, and attempts with doubled width until every rounding is certain. */
const FIRST_BITS = 256;
const MOST_ATTEMPTS = 5;
const WORD = 64;

/** Lines and residual of the proof at the rate as shown, percent text. */
export function discountedFlows(terms: RateTerms, rate: string): Pick<ProvenRate, 'proof' | 'residual'> {
  const growth = growthAt(rate, terms.periodsPerYear);
  const decimals = Math.max(...terms.flows.map((flow) => flow.amount.decimalPlaces())) + FURTHER_DECIMALS;
  const later = new Discounting(growth, terms.unitsPerYear, decimals);
  // Before time 0 an amount grows by 1 + r: it is discounted by the inverse, over the time between.
  const inverse = { numerator: growth.denominator, denominator: growth.numerator };
  const earlier = new Discounting(inverse, terms.unitsPerYear, decimals);
  const proof: DiscountedFlow[] = [];
  let residual: bigint | null = 0n;
  for (const flow of terms.flows) {
    const value = isBeforeStart(flow)
      ? earlier.presentValue({ ...flow, wholeUnits: -flow.wholeUnits, extraDays: -flow.extraDays })
      : later.presentValue(flow);
    residual = value === null || residual === null ? null : residual + value;
    proof.push({
      date: flow.date,
      amount: flow.amount.isZero() ? '0' : flow.amount.toFixed(),
      years: yearsOf(flow, terms),
      discountedAmount: value === null ? null : formatMinorUnits(value, decimals),
    });
  }
  return { proof, residual: residual === null ? null : formatMinorUnits(residual, decimals) };
}

/** 1 + r of a time unit: of a year, or of a period where periodic rates are added. */
function growthAt(rate: string, periodsPerYear: ExactRatio): ExactRatio {
  const decimals = rate.length - rate.indexOf('.') - 1;
  const one = 100n * 10n ** BigInt(decimals) * periodsPerYear.numerator;
  return exactRatio(one + BigInt(rate.replace('.', '')) * periodsPerYear.denominator, one);
}

function yearsOf(flow: TimedFlow, { unitsPerYear, periodsPerYear }: RateTerms): string {
  const yearDays = BigInt(flow.yearDays);
  const units = BigInt(unitsPerYear) * periodsPerYear.numerator;
  const numerator =
    BigInt(flow.wholeUnits) * periodsPerYear.denominator * yearDays + BigInt(flow.extraDays) * units;
  const scaled = numerator * 10n ** BigInt(YEARS_DECIMALS);
  return formatMinorUnits(divideRounded(scaled, units * yearDays, 'HALF_UP'), YEARS_DECIMALS);
}

/** Discounting at one rate to whole numbers of the last decimal shown. */
class Discounting {
  readonly #growth: ExactRatio;
  readonly #unitsPerYear: number;
  readonly #decimals: number;
  readonly #attempts: FactorsOfWidth[] = [];

  constructor(growth: ExactRatio, unitsPerYear: number, decimals: number) {
    this.#growth = growth;
    this.#unitsPerYear = unitsPerYear;
    this.#decimals = decimals;
  }

  /** The flow's present value at time 0, rounded half up; null at -100 percent and beyond what JSON holds. */
  presentValue(flow: TimedFlow): bigint | null {
    const amount = BigInt(flow.amount.toFixed(this.#decimals).replace('.', ''));
    if (flow.wholeUnits === 0 && flow.extraDays === 0) return amount;
    if (this.#growth.numerator <= 0n || this.#growth.denominator <= 0n) return null;
    let value = 0n;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { low, high } = this.#range(amount, flow, attempt);
      value = high;
      if (low === high) break;
    }
    return String(value).length > MOST_DIGITS + this.#decimals ? null : value;
  }

  /** The rounded value by the least and by the greatest factor that the true one may be. */
  #range(amount: bigint, flow: TimedFlow, attempt: number): { readonly low: bigint; readonly high: bigint } {
    const { bits, units, days } = (this.#attempts[attempt] ??= this.#factors(attempt));
    const one = 1n << bits;
    let factor = flow.wholeUnits === 0 ? one : units.discount(flow.wholeUnits);
    let error = units.largestError + 1n;
    if (flow.extraDays > 0) {
      const ofYear = discountFactorsOf(days, this.#growth, flow.yearDays, bits);
      factor = (factor * ofYear.discount(flow.extraDays)) >> bits;
      error += ofYear.largestError + 1n;
    }
    const bound = 2n * error * ((factor >> bits) + 1n);
    return {
      low: divideRounded(amount * (factor - bound), one, 'HALF_UP'),
      high: divideRounded(amount * (factor + bound), one, 'HALF_UP'),
    };
  }

  /** Large rates need as many bits more as they have themselves, in whole words. */
  #factors(attempt: number): FactorsOfWidth {
    const { numerator, denominator } = this.#growth;
    const digits = numerator.toString(16).length - denominator.toString(16).length + 1;
    const words = Math.max(0, Math.ceil((digits * 4) / WORD));
    const bits = BigInt((FIRST_BITS + words * WORD) * 2 ** attempt);
    return { bits, units: new DiscountFactors(this.#growth, this.#unitsPerYear, bits), days: new Map() };
  }
}

/** Discount factors of one width in bits: of whole units, and of days by the length of their year. */
interface FactorsOfWidth {
  readonly bits: bigint;
  readonly units: DiscountFactors;
  readonly days: Map<number, DiscountFactors>;
}
