import { describe, expect, it } from 'vitest';
import { findPeriodicity } from '../../../../shared/lending/dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import type { ScheduleDates } from '../../../../shared/lending/due-dates/schedule-dates.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { dateFaults, datesFor, daysFrom, texts } from '../../../support/reference/schedule-dates.ts';

type Changes = Partial<RepaymentScheduleRequest>;

/** Faults of a loan whose contract ends on 1 April 2025. */
function aprilFaults(changes: Changes): readonly string[] {
  return dateFaults({ MaturityDate: date('2025-04-01'), ...changes });
}

describe('MaturityDate (D5)', () => {
  it('is ignored by schedule types that do not use it', () => {
    const dates = datesFor({ MaturityDate: date('2020-01-01') }, { useMaturityDate: false });
    expect(texts(dates.dueDates).at(-1)).toBe('2025-05-01');
  });

  it('must be after the previous date, including a settled one', () => {
    const refused = ['MaturityDate date-order must be 2025-04-02 or later, after the previous installment'];
    expect(aprilFaults({})).toEqual(refused);
    const settled = {
      BlockInstallmentNo: 3,
      FirstDueDate: date('2025-02-01'),
      LastDueDate: date('2025-03-30'),
    };
    expect(aprilFaults(settled)).toEqual(refused);
    expect(aprilFaults({ ...settled, LastDueDate: date('2025-04-15') })).toEqual([
      'MaturityDate date-order must be 2025-04-16 or later, after the start of the schedule',
    ]);
    expect(aprilFaults({ InstallmentsNo: 1, ActivationDate: date('2025-04-01') })).toEqual([
      'MaturityDate date-order must be 2025-04-02 or later, after the start of the schedule',
    ]);
    expect(texts(datesFor({ MaturityDate: date('2025-04-02') }).dueDates).at(-1)).toBe('2025-04-02');
  });
});

function expiring(day: string, changes: Changes = {}): ScheduleDates {
  return datesFor({ ExpiryDateForOD: date(day), ...changes }, { usesExpiry: true });
}

function expiryFaults(changes: Changes): readonly string[] {
  return dateFaults(changes, { usesExpiry: true });
}

describe('ExpiryDateForOD of an overdraft (B5)', () => {
  it('takes precedence over MaturityDate and may leave fewer rows than RealInstallmentNo', () => {
    const dates = expiring('2025-03-15', { MaturityDate: date('2020-01-01'), RealInstallmentNo: 2 });
    expect(texts(dates.dueDates)).toHaveLength(3);
    expect(dates.rowCount).toBe(2);
    expect(expiring('2025-03-15', { RealInstallmentNo: 4 }).rowCount).toBe(3);
  });

  it('must be after the start and the settled rows', () => {
    expect(expiryFaults({ ExpiryDateForOD: date('2025-01-01') })).toEqual([
      'ExpiryDateForOD date-order must be 2025-01-02 or later, after the start of the schedule',
    ]);
    const settled = {
      BlockInstallmentNo: 2,
      FirstDueDate: date('2025-02-01'),
      LastDueDate: date('2025-03-01'),
    };
    expect(expiryFaults({ ...settled, ExpiryDateForOD: date('2025-02-15') })).toEqual([
      'ExpiryDateForOD date-order must be 2025-03-02 or later, after the start of the schedule',
    ]);
    expect(texts(expiring('2025-03-02', settled).dueDates)).toEqual(['2025-03-02']);
  });

  it('is ignored by other schedule types', () => {
    expect(texts(datesFor({ ExpiryDateForOD: date('2025-01-01') }).dueDates)).toHaveLength(4);
  });
});

describe('limits on due dates', () => {
  const CENTURIES = { name: 'Every century', count: 100, unit: 'Years' } as const;

  it('reject the number of instalments if a due date would be after the year 2999', () => {
    const message =
      'InstallmentsNo out-of-range must be smaller: the last due date would be after the year 2999';
    expect(dateFaults({ InstallmentsNo: 10 }, { every: CENTURIES })).toEqual([message]);
    const maturity = { InstallmentsNo: 12, MaturityDate: date('2999-12-31') };
    expect(dateFaults(maturity, { every: CENTURIES })).toEqual([message]);
    expect(datesFor({ ...maturity, InstallmentsNo: 10 }, { every: CENTURIES }).dueDates).toHaveLength(10);
    const expiry = { InstallmentsNo: 1200, ExpiryDateForOD: date('2130-01-01') };
    const kept = datesFor(expiry, { every: CENTURIES, usesExpiry: true });
    expect(texts(kept.dueDates)).toEqual(['2125-01-01', '2130-01-01']);
  });

  it('apply to periodicities of the catalogue as to built-in ones (D7)', () => {
    const tenDays = { name: 'Every 10 days', count: 10, unit: 'Days' } as const;
    expect(texts(datesFor({ InstallmentsNo: 3 }, { every: tenDays }).dueDates)).toEqual([
      '2025-01-11',
      '2025-01-21',
      '2025-01-31',
    ]);
    const daily = findPeriodicity('Daily');
    expect(texts(datesFor({ InstallmentsNo: 1200 }, { periodicity: daily }).dueDates)).toEqual(
      daysFrom('2025-01-02', 1200),
    );
  });

  it('start a loan of periodicity Once on the day of the request, not before FirstDueDate (D2, D7)', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1, ActivationDate: undefined } as const;
    const dates = datesFor({ ...once, FirstDueDate: date('2025-02-01') });
    expect(texts([dates.startDate, ...dates.dueDates])).toEqual(['2024-05-17', '2025-02-01']);
  });

  it('require a due date for the periodicity Once (D7)', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1 } as const;
    expect(dateFaults(once)).toEqual([
      'MaturityDate missing is missing; MaturityDate or FirstDueDate is needed with the periodicity Once',
    ]);
    expect(dateFaults({ ...once, MaturityDate: date('2025-03-01') }, { useMaturityDate: false })).toEqual([
      'FirstDueDate missing is missing; FirstDueDate is needed with the periodicity Once',
    ]);
    expect(dateFaults({ ...once, FirstDueDate: date('2025-01-01') })).toEqual([
      'FirstDueDate date-order must be after the start of the schedule, 2025-01-01',
    ]);
    expect(
      dateFaults({ ...once, FirstDueDate: date('2025-01-01'), LastDueDate: date('2025-01-01') }),
    ).toEqual(['FirstDueDate date-order must be after the start of the schedule, 2025-01-01']);
  });
});
