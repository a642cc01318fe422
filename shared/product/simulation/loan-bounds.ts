/** The bounds of a product for simulated loans (Q6): inclusive, null for no bound. */

import type { Decimal } from 'decimal.js';
import { addDays, addMonths, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../../lending/dates/periodicity.ts';
import { compareValues } from '../../lending/formula/arithmetic.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { Availability, PeriodType } from '../catalogue/product-record.ts';
import { type ExactFigure, toExact, percentOf } from './exact-figures.ts';

const DAYS_PER_WEEK = 7;
const MONTHS_PER_YEAR = 12;

/** The term of a request: periods of the periodicity, starting on the day of the request. */
export interface SimulatedTerm {
  readonly periods: number;
  readonly periodicity: Periodicity;
  readonly start: CalendarDate;
}

/** Refuses an amount or a down payment outside the product's bounds; the message names the bound (Q6). */
export function checkAmountBounds(
  { amount, downPayment }: { readonly amount: Decimal; readonly downPayment: Decimal },
  bounds: Availability,
  validation: Validation,
): void {
  const { MinimumAmount, MaximumAmount, MinimumAdvance, MaximumAdvance, Currency } = bounds;
  if (MinimumAmount !== null && amount.lessThan(MinimumAmount)) {
    const message = `must be at least ${MinimumAmount} ${Currency}, the product's MinimumAmount`;
    validation.reject('amount', 'out-of-range', message);
  }
  if (MaximumAmount !== null && amount.greaterThan(MaximumAmount)) {
    const message = `must be at most ${MaximumAmount} ${Currency}, the product's MaximumAmount`;
    validation.reject('amount', 'out-of-range', message);
  }
  const paid = toExact(downPayment);
  if (MinimumAdvance !== null && compareValues(paid, calculateShare(amount, MinimumAdvance)) < 0) {
    const message = `must be at least ${MinimumAdvance} % of amount, the product's MinimumAdvance`;
    validation.reject('downPayment', 'out-of-range', message);
  }
  if (MaximumAdvance !== null && compareValues(paid, calculateShare(amount, MaximumAdvance)) > 0) {
    const message = `must be at most ${MaximumAdvance} % of amount, the product's MaximumAdvance`;
    validation.reject('downPayment', 'out-of-range', message);
  }
}

function calculateShare(amount: Decimal, percent: number): ExactFigure {
  return percentOf(toExact(amount), toExact(percent));
}

/** Describes the unit of loanPeriod, such as `Monthly periods`; for Once, which has no length, the PeriodType. */
export function describePeriodUnit(periodicity: Periodicity | undefined, periodType: PeriodType): string {
  if (periodicity === undefined) return 'periods';
  return periodicity.unit === 'Once' ? periodType.toLowerCase() : `${periodicity.name} periods`;
}

/** Refuses a term outside the product's bounds, which count in its PeriodType; the message names the bound (Q6). */
export function checkPeriodBounds(term: SimulatedTerm, bounds: Availability, validation: Validation): void {
  const { MinimumPeriod, MaximumPeriod, PeriodType } = bounds;
  const counts = `loanPeriod counts ${describePeriodUnit(term.periodicity, PeriodType)}`;
  const counted = (count: number): string => {
    const units = PeriodType.toLowerCase();
    return `${count} ${count === 1 ? units.slice(0, -1) : units}`;
  };
  if (MinimumPeriod !== null && compareTerm(term, Math.ceil(MinimumPeriod), PeriodType) < 0) {
    const message = `must come to at least ${counted(MinimumPeriod)}, the product's MinimumPeriod; ${counts}`;
    validation.reject('loanPeriod', 'out-of-range', message);
  }
  if (MaximumPeriod !== null && compareTerm(term, Math.floor(MaximumPeriod), PeriodType) > 0) {
    const message = `must come to at most ${counted(MaximumPeriod)}, the product's MaximumPeriod; ${counts}`;
    validation.reject('loanPeriod', 'out-of-range', message);
  }
}

/**
 * Compares a term with a number of units: negative if it is shorter, zero if it is equal, positive if it is longer. Days
 * and months are compared by the calendar: 60 days from 1 January are more than two months, 60 days from 1 July less.
 */
function compareTerm(
  { periods, periodicity, start }: SimulatedTerm,
  count: number,
  unit: PeriodType,
): number {
  if (periodicity.unit === 'Once') return periods - count;
  const months = monthsPerPeriod(periodicity);
  const monthsOfUnit = unit === 'Months' ? 1 : unit === 'Years' ? MONTHS_PER_YEAR : 0;
  if (months > 0 && monthsOfUnit > 0) return periods * months - count * monthsOfUnit;
  const end =
    months > 0 ? addMonths(start, periods * months) : addDays(start, periods * daysPerPeriod(periodicity));
  return end - addPeriods(start, count, unit);
}

/** The day that is a number of units after a start. */
export function addPeriods(start: CalendarDate, count: number, unit: PeriodType): CalendarDate {
  if (unit === 'Days') return addDays(start, count);
  if (unit === 'Weeks') return addDays(start, count * DAYS_PER_WEEK);
  return addMonths(start, unit === 'Years' ? count * MONTHS_PER_YEAR : count);
}
