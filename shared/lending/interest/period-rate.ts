/** The length of one period of a periodicity as a fraction of a year, independent of dates (P1). */

import { dayCountDenominator, type DayCountName } from '../dates/day-count.ts';
import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';

const DAYS_PER_YEAR = 365;
const DAYS_PER_BANKING_YEAR = 360;
const MONTHS_PER_YEAR = 12;
const DAYS_PER_BANKING_MONTH = 30;

/**
 * The fraction of a year that converts an annual rate to a periodic rate (P1); undefined for Once, which has no
 * period. m months count m/12, but 30m/365 by 30/365 and (365 m/12)/360 by Actual/360; d days count d/360 by the
 * methods over 360 and d/365 by the others.
 */
export function periodFraction(dayCount: DayCountName, periodicity: Periodicity): ExactRatio | undefined {
  const months = monthsPerPeriod(periodicity);
  if (months > 0) return computeMonthsFraction(dayCount, months);
  const days = daysPerPeriod(periodicity);
  const daysPerYear = dayCount === 'Actual/Actual' ? DAYS_PER_YEAR : dayCountDenominator(dayCount);
  return days > 0 ? reduceRatio(BigInt(days), BigInt(daysPerYear)) : undefined;
}

function computeMonthsFraction(dayCount: DayCountName, months: number): ExactRatio {
  switch (dayCount) {
    case '30/360':
    case '30E/360':
    case '30E/360 ISDA':
    case 'Actual/365':
    case 'Actual/Actual':
      return reduceRatio(BigInt(months), BigInt(MONTHS_PER_YEAR));
    case '30/365':
      return reduceRatio(BigInt(DAYS_PER_BANKING_MONTH * months), BigInt(DAYS_PER_YEAR));
    case 'Actual/360':
      return reduceRatio(BigInt(DAYS_PER_YEAR * months), BigInt(MONTHS_PER_YEAR * DAYS_PER_BANKING_YEAR));
    default:
      return dayCount satisfies never;
  }
}
