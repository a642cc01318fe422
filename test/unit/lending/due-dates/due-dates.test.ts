import { describe, expect, it } from 'vitest';
import { formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_PERIODICITIES } from '../../../../shared/lending/dates/periodicity.ts';
import cases from '../../../cases/lending/due-dates.json' with { type: 'json' };
import { date, dueDates, faultCodes, scheduleOf } from '../../../support/builders/lending-loan.ts';

const NOT_SENT = { ActivationDate: undefined } as const;

describe('first due date (D3)', () => {
  it('is clamped to the month first, and then compared with the start by ActualMonth', () => {
    const schedule = scheduleOf({
      ActivationDate: date('2025-02-28'),
      InstallmentDay: 31,
      InstallmentMethod: 'ActualMonth',
    });
    expect(dueDates(schedule)[0]).toBe('2025-03-31');
  });

  it('must be after the start', () => {
    expect(faultCodes({ FirstDueDate: date('2025-01-01') })).toEqual(['FirstDueDate date-order']);
  });

  it('is rejected for an unknown InstallmentMethod', () => {
    expect(faultCodes({ InstallmentMethod: 'SameMonth' })).toEqual(['InstallmentMethod unknown-value']);
  });
});

describe('subsequent due dates (D4)', () => {
  it('fall on InstallmentDay whatever the day of FirstDueDate', () => {
    const schedule = scheduleOf({ FirstDueDate: date('2025-02-28'), InstallmentDay: 31 });
    expect(dueDates(schedule)).toEqual(['2025-02-28', '2025-03-31', '2025-04-30', '2025-05-31']);
    const odd = scheduleOf({ FirstDueDate: date('2025-02-10'), InstallmentDay: 20 });
    expect(dueDates(odd)).toEqual(['2025-02-10', '2025-03-20', '2025-04-20', '2025-05-20']);
  });

  it.each(cases.filter(({ kind }) => kind === 'due_dates').map((known) => [known.id, known] as const))(
    'match the published dates of %s',
    (_id, { input, expected }) => {
      const first = input.first_due_date ?? '';
      const installmentDay =
        input.end_of_month === true ? 31 : (input.installment_day ?? Number(first.slice(-2)));
      const schedule = scheduleOf({
        ActivationDate: input.disbursement_date === undefined ? undefined : date(input.disbursement_date),
        FirstDueDate: date(first),
        InstallmentDay: installmentDay,
        InstallmentsNo: input.count ?? 0,
      });
      const dates = dueDates(schedule);
      const wanted = expected.dates ?? [expected.first, expected.second, expected.last];
      expect(expected.dates === undefined ? [dates[0], dates[1], dates.at(-1)] : dates).toEqual(wanted);
    },
  );

  it('require InstallmentDay from 1 to 31', () => {
    const faults = [0, 32, 1.5, Number.NaN].flatMap((InstallmentDay) => faultCodes({ InstallmentDay }));
    expect(new Set(faults)).toEqual(new Set(['InstallmentDay out-of-range']));
    expect(faults).toHaveLength(4);
  });

  it('end with the year 2999', () => {
    const late = { ActivationDate: date('2500-01-01'), PeriodicityType: 'Annual' } as const;
    expect(dueDates(scheduleOf({ ...late, InstallmentsNo: 499 })).at(-1)).toBe('2999-01-01');
    expect(faultCodes({ ...late, InstallmentsNo: 500 })).toEqual(['InstallmentsNo out-of-range']);
  });
});

describe('periodicities (D7)', () => {
  it('are found by case-insensitive name', () => {
    const spans = BUILT_IN_PERIODICITIES.filter(({ unit }) => unit !== 'Once').map(({ name }) => {
      const schedule = scheduleOf({ PeriodicityType: name.toUpperCase(), InstallmentsNo: 2 });
      return `${name} ${dueDates(schedule)[1]}`;
    });
    expect(spans).toEqual([
      'Daily 2025-01-03',
      'Weekly 2025-01-15',
      'Biweekly 2025-01-29',
      'Monthly 2025-03-01',
      'Bimonthly 2025-05-01',
      'Quarterly 2025-07-01',
      'Trimestrial 2025-07-01',
      'Semiannual 2026-01-01',
      'Semestrial 2026-01-01',
      'Annual 2027-01-01',
      'Yearly 2027-01-01',
    ]);
    expect(faultCodes({ PeriodicityType: 'Fortnightly' })).toEqual(['PeriodicityType unknown-periodicity']);
  });

  it('Once is due on MaturityDate, or else on FirstDueDate', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1 } as const;
    const both = { FirstDueDate: date('2025-03-01'), MaturityDate: date('2025-04-01') } as const;
    expect(dueDates(scheduleOf({ ...once, ...both }))).toEqual(['2025-04-01']);
    expect(scheduleOf({ ...once, ...both }).warnings).toEqual([{ code: 'no-effect', path: 'FirstDueDate' }]);
    expect(dueDates(scheduleOf({ ...once, FirstDueDate: both.FirstDueDate }))).toEqual(['2025-03-01']);
    expect(faultCodes(once)).toEqual(['MaturityDate missing']);
    expect(faultCodes({ ...once, ...both, InstallmentsNo: 2 })).toEqual(['InstallmentsNo out-of-range']);
  });

  it('Once starts on ActivationDate, or else on the day of the request', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1, MaturityDate: date('2025-04-01') } as const;
    expect(formatCalendarDate(scheduleOf({ ...once, ...NOT_SENT }).startDate)).toBe('2024-05-17');
    expect(formatCalendarDate(scheduleOf(once).startDate)).toBe('2025-01-01');
  });
});
