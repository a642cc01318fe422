/** Terms of the further schedules whose annual rates a mortgage offer shows beside its own (T5; 2014/17/EU, art. 17). */

import type { Decimal } from 'decimal.js';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';
import type { InterestRateRange, RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

const MONTHS_OF_FIVE_YEARS = 60;
const DAYS_OF_FIVE_YEARS = 1_826;

/**
 * The last row of an initial period of at least five years at one rate, after which another rate applies (art. 17(5));
 * undefined if there is none. Ranges of the same rate count as one. In advance the first row has no period (B7).
 */
export function initialPeriodRows(
  { MultipleInterestRates: ranges, InstallmentsNo, InterestType }: RepaymentScheduleRequest,
  periodicity: Periodicity,
): number | undefined {
  if (ranges === undefined) return undefined;
  const whole = completeRanges(ranges, InstallmentsNo);
  const [first] = whole;
  const next = whole.find(({ rate }) => first?.rate === undefined || rate?.equals(first.rate) !== true);
  if (next === undefined) return undefined;
  const rows = next.from - 1;
  const periods = InterestType === 1 ? rows - 1 : rows;
  const isLong =
    periods * monthsPerPeriod(periodicity) >= MONTHS_OF_FIVE_YEARS ||
    periods * daysPerPeriod(periodicity) >= DAYS_OF_FIVE_YEARS;
  return isLong ? rows : undefined;
}

/** The loan at the highest rate from a row on (art. 17(6)); its rates before that row stay. Bands have no such rate. */
export function highestRateTerms(
  terms: RepaymentScheduleRequest,
  { percent, fromRow }: { readonly percent: Decimal; readonly fromRow: number },
): RepaymentScheduleRequest {
  const { InterestPercent, MultipleInterestRates, InstallmentsNo, BandedInterestRates: _, ...others } = terms;
  const before = completeRanges(MultipleInterestRates ?? [{ InterestRate: InterestPercent }], InstallmentsNo)
    .filter(({ from }) => from < fromRow)
    .map(({ rate, from, to }) => ({
      InterestRate: rate,
      FromInstNo: from,
      ToInstNo: Math.min(to, fromRow - 1),
    }));
  const raised = { InterestRate: percent, FromInstNo: fromRow, ToInstNo: InstallmentsNo };
  return { ...others, InstallmentsNo, MultipleInterestRates: [...before, raised] };
}

/** A range with both ends; without a rate it has that of the loan. */
export interface CompleteRange {
  readonly rate: InterestRateRange['InterestRate'];
  readonly from: number;
  readonly to: number;
}

/** Ranges with both ends, in order; the defaults are those of R1. */
export function completeRanges(ranges: readonly InterestRateRange[], last: number): readonly CompleteRange[] {
  let before = 0;
  const whole = ranges.map(({ InterestRate: rate, FromInstNo: from = before + 1, ToInstNo: to = last }) => {
    before = to;
    return { rate, from, to };
  });
  return whole.toSorted((a, b) => a.from - b.from);
}
