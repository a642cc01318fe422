import { describe, expect, it } from 'vitest';
import { findPeriodicity } from '../../../../shared/lending/dates/periodicity.ts';
import { intervalsFrom, chooseIntervalUnit } from '../../../../shared/lending/annual-rate/rate-interval.ts';
import intervalCases from '../../../cases/lending/rate-interval.json' with { type: 'json' };
import { date } from '../../../support/builders/lending-loan.ts';

const UNITS = { month: 'Months', year: 'Years', week: 'Weeks' } as const;

function interval(start: string, end: string, unit: 'Months' | 'Years' | 'Weeks' = 'Months') {
  const { wholeUnits, extraDays, yearDays } = intervalsFrom(date(start), unit)(date(end));
  return extraDays === 0 ? `${wholeUnits}` : `${wholeUnits} + ${extraDays}/${yearDays}`;
}

describe('intervalsFrom (A1)', () => {
  it('counts whole months backwards from the payment, and the remaining days over the year that they end', () => {
    expect(interval('2013-01-12', '2013-02-15')).toBe('1 + 3/366');
    expect(interval('2024-12-31', '2025-02-28')).toBe('2');
    expect(interval('2025-01-30', '2025-02-28')).toBe('0 + 29/366');
  });

  it.each(intervalCases.map((known) => [known.id, known] as const))(
    'matches the published interval of %s',
    (_id, known) => {
      const { period_unit: unit, drawdown_date: start, payment_date: end } = known.input;
      const { whole_periods: whole, remaining_days: days, days_in_reference_year: year } = known.expected;
      const expected = days === 0 ? `${whole}` : `${whole} + ${days}/${year}`;
      expect(interval(start, end, UNITS[unit as keyof typeof UNITS])).toBe(expected);
    },
  );

  it('counts in weeks for week periodicities, in years for years and days, otherwise in months', () => {
    const names = ['Weekly', 'Biweekly', 'Annual', 'Daily', 'Monthly', 'Quarterly', 'Once'];
    const units = names.map((name) => {
      const periodicity = findPeriodicity(name);
      return periodicity === undefined ? undefined : chooseIntervalUnit(periodicity);
    });
    expect(units).toEqual(['Weeks', 'Weeks', 'Years', 'Years', 'Months', 'Months', 'Months']);
  });
});
