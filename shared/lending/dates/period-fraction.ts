import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { dayCountDenominator, monthOfYear, type DayCountName } from './day-count.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from './periodicity.ts';

const DAYS_PER_YEAR = 365;

/**
 * The part of an annual rate for one period (P1); undefined for Once. m months, or half of one, count m/12, but 30m/365 by
 * 30/365 and (365m/12)/360 by Actual/360. d days count d/360 if the denominator is 360, otherwise d/365.
 */
export function periodFraction(dayCount: DayCountName, periodicity: Periodicity): ExactRatio | undefined {
  const months = monthsPerPeriod(periodicity);
  if (months > 0) {
    const [days, perYear] = monthOfYear(dayCount);
    return reduceRatio(BigInt(days * months * 2), BigInt(perYear * 2));
  }
  const days = daysPerPeriod(periodicity);
  const daysPerYear = dayCount === 'Actual/Actual' ? DAYS_PER_YEAR : dayCountDenominator(dayCount);
  return days > 0 ? reduceRatio(BigInt(days), BigInt(daysPerYear)) : undefined;
}
