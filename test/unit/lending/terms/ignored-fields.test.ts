import { describe, expect, it } from 'vitest';
import { warnIgnoredDateFields } from '../../../../shared/lending/terms/ignored-fields.ts';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { date, loan } from '../../../support/builders/lending-loan.ts';
import { contextOf } from '../../../support/reference/schedule-dates.ts';

type Changes = Partial<RepaymentScheduleRequest>;

function reported(changes: Changes, rules: Parameters<typeof contextOf>[1] = {}): readonly string[] {
  const request = loan(changes);
  const validation = new Validation();
  warnIgnoredDateFields(request, contextOf(request, rules), validation);
  expect(validation.warnings.every(({ code }) => code === 'no-effect')).toBe(true);
  return validation.warnings.map(({ path }) => path);
}

const SHIFT = { HolidayShift: true, HolidayCountry: 'RO' } as const;
const MATURITY = { MaturityDate: date('2025-07-01') } as const;
const ONCE = { PeriodicityType: 'Once', InstallmentsNo: 1, FirstDueDate: date('2025-02-01') } as const;

describe('ignored date fields (E5)', () => {
  const cases: readonly (readonly [title: string, Changes, readonly string[]])[] = [
    ['no field of a plain request', {}, []],
    ['ActivationDate in a recalculation', { LastDueDate: date('2025-03-01') }, ['ActivationDate']],
    [
      'HolidayMethod and HolidayCountry without HolidayShift',
      { HolidayCountry: 'RO', HolidayMethod: 'Forward' },
      ['HolidayMethod', 'HolidayCountry'],
    ],
    ['HolidayCountry if HolidayShift is false', { ...SHIFT, HolidayShift: false }, ['HolidayCountry']],
    ['no field of a complete shift', { ...SHIFT, HolidayMethod: 'Nearest', DeferDueDate: true }, []],
    [
      'the other shift fields with the method None',
      { ...SHIFT, HolidayMethod: 'NONE', DeferDueDate: true },
      ['HolidayCountry', 'DeferDueDate'],
    ],
    ['DeferDueDate without HolidayShift', { DeferDueDate: true }, ['DeferDueDate']],
    ['not a DeferDueDate that is false', { DeferDueDate: false, HolidayShift: false }, []],
    [
      'InstallmentMethod together with FirstDueDate',
      { InstallmentMethod: 'NextMonth', FirstDueDate: date('2025-02-01') },
      ['InstallmentMethod'],
    ],
    [
      'InstallmentMethod with day units',
      { InstallmentMethod: 'NextMonth', PeriodicityType: 'Daily' },
      ['InstallmentMethod'],
    ],
    ['not an InstallmentMethod that determines the first month', { InstallmentMethod: 'NextMonth' }, []],
    ['FirstDueDate of a single row with a maturity', { ...ONCE, ...MATURITY }, ['FirstDueDate']],
    ['not a FirstDueDate that is the only date', ONCE, []],
    ['not a maturity that ends the schedule', MATURITY, []],
  ];

  it.each(cases)('reports %s', (_title, changes, expected) => {
    expect(reported(changes)).toEqual(expected);
  });

  it('reports a maturity that the schedule type ignores or an expiry replaces (D5, B5)', () => {
    expect(reported(MATURITY, { useMaturityDate: false })).toEqual(['MaturityDate']);
    expect(reported({ ...ONCE, ...MATURITY }, { useMaturityDate: false })).toEqual(['MaturityDate']);
    const expiring = { ...MATURITY, ExpiryDateForOD: date('2025-06-01') };
    expect(reported(expiring, { usesExpiry: true })).toEqual(['MaturityDate']);
    expect(reported(expiring)).toEqual([]);
  });
});
