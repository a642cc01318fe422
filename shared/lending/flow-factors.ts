/**
 * Which discount factors flows need, each named once: a schedule of 360 rows has a handful of different gaps between
 * its payments, so that a rate is tried with a handful of powers and one multiplication a row.
 *
 * Everything here is binary floating point. It finds where a rate lies; what is published is proven by bounded-sign.ts
 * or, where that does not decide, in whole numbers by net-value.ts.
 */

import type { FlowAmounts, RateFlows } from './rate-flows.ts';

/** Left-over days of a year of 365 or 366 days. */
interface ExtraDays {
  readonly days: number;
  readonly yearDays: number;
}

/** Flows prepared for many trial rates. */
export interface FlowFactors {
  readonly drawn: number;
  /** The payments, rounded to floating point where they are beyond it. */
  readonly amounts: readonly number[];
  readonly unitsPerYear: number;
  /** The different gaps of whole units between payments, and which of them precedes each payment. */
  readonly gaps: readonly number[];
  readonly gapOf: Int32Array;
  /** The different left-over days, the first of them none, and which of them each payment has; empty for none at all. */
  readonly extras: readonly ExtraDays[];
  readonly extraOf: Int32Array;
  /** Whole units of the last payment, and its years. */
  readonly lastUnits: number;
  readonly lastYears: number;
  /** True when something is drawn and nothing but payments follows: exactly one rate exists then. */
  readonly isPlainLoan: boolean;
  /** Sums of the payments, and of each times its years and its years squared: their moments at a rate of zero. */
  readonly atZero: Moments;
}

/** Worth of payments at a rate, and of each times its years and its years squared. */
export interface Moments {
  readonly worth: number;
  readonly first: number;
  readonly second: number;
}

const NO_EXTRAS = new Int32Array(0);

/** Prepares flows. */
export function flowFactors(flows: RateFlows): FlowFactors {
  const { wholeUnits, extraDays, yearDays, unitsPerYear } = flows;
  const amounts = areNumbers(flows.payments) ? flows.payments : flows.payments.map(Number);
  let hasLoss = false;
  let worth = 0;
  let first = 0;
  let second = 0;
  let time = 0;
  for (let index = 0; index < amounts.length; index += 1) {
    const amount = amounts[index] ?? 0;
    if (amount < 0) hasLoss = true;
    time = (wholeUnits[index] ?? 0) / unitsPerYear;
    const days = extraDays[index] ?? 0;
    if (days !== 0) time += days / (yearDays[index] ?? 1);
    worth += amount;
    first += amount * time;
    second += amount * time * time;
  }
  const drawn = Number(flows.drawn);
  return {
    drawn,
    amounts,
    unitsPerYear,
    ...distinctGaps(wholeUnits),
    ...distinctExtras(extraDays, yearDays, amounts.length),
    lastUnits: wholeUnits.at(-1) ?? 0,
    lastYears: time,
    isPlainLoan: drawn > 0 && worth > 0 && !hasLoss,
    atZero: { worth, first, second },
  };
}

/** Amounts are all of one kind. */
function areNumbers(amounts: FlowAmounts): amounts is readonly number[] {
  return typeof amounts[0] === 'number';
}

/** Years from the start to each payment. */
export function yearsOfPayments(flows: FlowFactors): readonly number[] {
  let units = 0;
  return flows.amounts.map((_, index) => {
    units += flows.gaps[flows.gapOf[index] ?? 0] ?? 0;
    const extra = flows.extras[flows.extraOf[index] ?? 0];
    return units / flows.unitsPerYear + (extra === undefined ? 0 : extra.days / extra.yearDays);
  });
}

function distinctGaps(wholeUnits: readonly number[]): Pick<FlowFactors, 'gaps' | 'gapOf'> {
  const gaps: number[] = [];
  const gapOf = new Int32Array(wholeUnits.length);
  const numberOf: number[] = [];
  let unitsBefore = 0;
  for (let index = 0; index < gapOf.length; index += 1) {
    const units = wholeUnits[index] ?? 0;
    const gap = units - unitsBefore;
    unitsBefore = units;
    let number = numberOf[gap];
    if (number === undefined) {
      number = gaps.push(gap) - 1;
      numberOf[gap] = number;
    }
    gapOf[index] = number;
  }
  return { gaps, gapOf };
}

function distinctExtras(
  extraDays: readonly number[],
  yearDays: readonly number[],
  count: number,
): Pick<FlowFactors, 'extras' | 'extraOf'> {
  if (extraDays.length === 0) return { extras: [], extraOf: NO_EXTRAS };
  const extras: ExtraDays[] = [{ days: 0, yearDays: 1 }];
  const extraOf = new Int32Array(count);
  const numberOf: number[] = [];
  for (let index = 0; index < extraDays.length; index += 1) {
    const days = extraDays[index] ?? 0;
    if (days === 0) continue;
    const year = yearDays[index] ?? 1;
    const key = 2 * days + (year % 2);
    let number = numberOf[key];
    if (number === undefined) {
      number = extras.push({ days, yearDays: year }) - 1;
      numberOf[key] = number;
    }
    extraOf[index] = number;
  }
  return { extras, extraOf };
}
