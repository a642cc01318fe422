/** Whether the bounds of a product leave an amount and a term to simulate (Q6, M6). */

import { addMonths, calendarDateOf, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { currencyDigits, DEFAULT_CURRENCY_DIGITS } from '../../lending/numbers/currency-digits.ts';
import { MOST_INSTALLMENTS } from '../../lending/terms/loan-terms.ts';
import { formatMinorUnits, LARGEST_AMOUNT_MINOR } from '../../lending/numbers/money.ts';
import { monthsPerPeriod, type Periodicity } from '../../lending/dates/periodicity.ts';
import { Findings } from '../../lending/request/refusal.ts';
import { WHOLE_PERCENT } from './check-parts.ts';
import { exactOf } from '../simulation/exact-figures.ts';
import type { Availability } from '../catalogue/product-record.ts';
import type { Report } from './record-report.ts';
import { checkPeriodBounds } from '../simulation/simulate-bounds.ts';

/** What the bounds of a product leave: loans that a simulation may be asked for. */
export interface LoanRange {
  /** Minor units of the product's currency. */
  readonly leastAmount: number;
  readonly mostAmount: number;
  readonly digits: number;
  readonly periodicity: Periodicity;
  /** Numbers of periods that the bounds let pass. */
  readonly leastPeriods: number;
  readonly mostPeriods: number;
}

/** First days of months, a leap year among them: days and months compare by the calendar. */
const STARTS: readonly CalendarDate[] = Array.from({ length: 24 }, (_, month) =>
  addMonths(calendarDateOf(2023, 1, 1), month),
);

/** The loans within the bounds; undefined, with the fault reported, when there are none. */
export function loanRangeOf(
  availability: Availability,
  periodicity: Periodicity,
  report: Report,
): LoanRange | undefined {
  checkAdvance(availability, report);
  const amounts = amountsOf(availability, report);
  const periods = periodsOf(availability, periodicity, report);
  return amounts && periods && { ...amounts, ...periods, periodicity };
}

/** An advance of the whole amount would leave nothing to finance (Q1). */
function checkAdvance({ MinimumAdvance }: Availability, report: Report): void {
  if (MinimumAdvance !== WHOLE_PERCENT) return;
  report('MinimumAdvance', `must be below ${WHOLE_PERCENT}: nothing would be left to finance`);
}

function amountsOf(
  { MinimumAmount, MaximumAmount, Currency }: Availability,
  report: Report,
): Pick<LoanRange, 'leastAmount' | 'mostAmount' | 'digits'> | undefined {
  const digits = currencyDigits(Currency) ?? DEFAULT_CURRENCY_DIGITS;
  const largest = BigInt(LARGEST_AMOUNT_MINOR);
  const wanted = MinimumAmount === null ? 1n : minorUnitsFrom(MinimumAmount, digits);
  const least = wanted < 1n ? 1n : wanted;
  const allowed = MaximumAmount === null ? largest : minorUnitsTo(MaximumAmount, digits);
  const most = allowed > largest ? largest : allowed;
  if (least <= most) return { leastAmount: Number(least), mostAmount: Number(most), digits };
  if (least > largest) {
    report('MinimumAmount', `must be at most ${formatMinorUnits(LARGEST_AMOUNT_MINOR, digits)}`);
  } else if (MinimumAmount === null || MaximumAmount === null || MinimumAmount <= MaximumAmount) {
    const message = `must leave an amount above zero with at most ${digits} decimals, as ${Currency} has: raise it`;
    report('MaximumAmount', message);
  }
  return undefined;
}

/** The least whole number of minor units that is not below an amount, and the greatest that is not above it. */
function minorUnitsFrom(amount: number, digits: number): bigint {
  const { numerator, denominator } = exactOf(amount);
  return (numerator * 10n ** BigInt(digits) + denominator - 1n) / denominator;
}
function minorUnitsTo(amount: number, digits: number): bigint {
  const { numerator, denominator } = exactOf(amount);
  return (numerator * 10n ** BigInt(digits)) / denominator;
}

function periodsOf(
  availability: Availability,
  periodicity: Periodicity,
  report: Report,
): Pick<LoanRange, 'leastPeriods' | 'mostPeriods'> | undefined {
  const { MinimumPeriod, MaximumPeriod, PeriodType } = availability;
  const starts = isByCalendar(periodicity, PeriodType) ? STARTS : STARTS.slice(0, 1);
  const passes = (periods: number, bounds: Partial<Availability>): boolean =>
    starts.some((start) => isWithinBounds({ periods, periodicity, start }, { ...availability, ...bounds }));
  const isBelow = (periods: number) => !passes(periods, { MaximumPeriod: null });
  const isAllowed = (periods: number) => passes(periods, { MinimumPeriod: null });
  const leastPeriods = MinimumPeriod === null ? 1 : firstFalse(isBelow);
  const mostPeriods = MaximumPeriod === null ? MOST_INSTALLMENTS : firstFalse(isAllowed) - 1;
  if (leastPeriods <= mostPeriods) return { leastPeriods, mostPeriods };
  if (MinimumPeriod !== null && leastPeriods > MOST_INSTALLMENTS) {
    const message = `must come to at most ${MOST_INSTALLMENTS} periods, the most of a schedule: lower it`;
    report('MinimumPeriod', message);
  } else if (MinimumPeriod === null || MaximumPeriod === null || MinimumPeriod <= MaximumPeriod) {
    const least = MinimumPeriod === null ? '' : ` from MinimumPeriod, ${MinimumPeriod}, on`;
    const message = `must leave room for a whole number of ${periodicity.name} periods${least}: raise it`;
    report('MaximumPeriod', message);
  }
  return undefined;
}

/** Days compare with months by the calendar, so by the day on which a loan starts. */
function isByCalendar(periodicity: Periodicity, unit: Availability['PeriodType']): boolean {
  if (periodicity.unit === 'Once') return false;
  return monthsPerPeriod(periodicity) > 0 !== (unit === 'Months' || unit === 'Years');
}

function isWithinBounds(term: Parameters<typeof checkPeriodBounds>[0], bounds: Availability): boolean {
  const findings = new Findings();
  checkPeriodBounds(term, bounds, findings);
  return findings.faults.length === 0;
}

/** The first number of periods, from 1 on, for which a condition does not hold any more; one more than the most at the end. */
function firstFalse(holds: (periods: number) => boolean): number {
  let [low, high] = [1, MOST_INSTALLMENTS + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
