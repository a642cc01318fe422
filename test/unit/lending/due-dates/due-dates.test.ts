import { describe, expect, it } from 'vitest';
import { BUILT_IN_PERIODICITIES } from '../../../../shared/lending/dates/periodicity.ts';
import cases from '../../../cases/lending/due-dates.json' with { type: 'json' };
import { date, dueDates, scheduleOf } from '../../../support/builders/lending-loan.ts';

describe('due dates (D3, D4)', () => {
  it('are clamped to the month first, and then compared with the start by ActualMonth', () => {
    const schedule = scheduleOf({
      ActivationDate: date('2025-02-28'),
      InstallmentDay: 31,
      InstallmentMethod: 'ActualMonth',
    });
    expect(dueDates(schedule)[0]).toBe('2025-03-31');
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
  });
});
