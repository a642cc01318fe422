import { describe, expect, it } from 'vitest';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import { planScheduleDates } from '../../../../shared/lending/due-dates/schedule-dates.ts';
import cases from '../../../cases/lending/shifted-due-dates.json' with { type: 'json' };
import { date, loan } from '../../../support/builders/lending-loan.ts';
import {
  calendarsOf,
  contextOf,
  dateFaults,
  datesFor,
  ON_WORKING_DAYS,
  texts,
  weekendCalendar,
} from '../../../support/reference/schedule-dates.ts';

/** Due on 1 February and 1 March 2025, both Saturdays. */
const SATURDAYS = { ...ON_WORKING_DAYS, InstallmentsNo: 2 } as const;
const HOLIDAY_METHOD_NAMES: Readonly<Record<string, string>> = {
  Unadjusted: 'None',
  ModifiedFollowing: 'ModifiedForward',
  Nearest: 'Nearest',
};

describe('due dates on holidays and weekends (H1, H3)', () => {
  it.each(cases.map((known) => [known.id, known] as const))(
    'match the published date of %s',
    (_id, known) => {
      const { start, convention, holidays } = known.input;
      const dates = datesFor(
        {
          HolidayShift: true,
          HolidayCountry: 'ZA',
          HolidayMethod: HOLIDAY_METHOD_NAMES[convention],
          ActivationDate: date(start),
          InstallmentDay: Number(start.slice(-2)),
          InstallmentsNo: 1,
        },
        { calendars: calendarsOf([weekendCalendar(holidays, 'ZA')]) },
      );
      expect(texts(dates.shownDates)).toEqual([known.expected.date]);
    },
  );

  it('are never shifted to or before the start', () => {
    const weekend = { ...ON_WORKING_DAYS, PeriodicityType: 'Daily', ActivationDate: date('2025-01-03') };
    for (const HolidayMethod of ['Backward', 'Nearest']) {
      expect(texts(datesFor({ ...weekend, HolidayMethod, InstallmentsNo: 3 }).shownDates)).toEqual([
        '2025-01-06',
        '2025-01-06',
        '2025-01-06',
      ]);
    }
  });

  it('include the maturity, the expiry and the only date of periodicity Once', () => {
    const maturity = { ...SATURDAYS, MaturityDate: date('2025-03-08') };
    expect(texts(datesFor(maturity).shownDates)).toEqual(['2025-02-03', '2025-03-10']);
    const expiry = { ...SATURDAYS, ExpiryDateForOD: date('2025-02-09') };
    expect(texts(datesFor(expiry, { usesExpiry: true }).shownDates)).toEqual(['2025-02-03', '2025-02-10']);
    const once = { ...ON_WORKING_DAYS, PeriodicityType: 'Once', InstallmentsNo: 1 };
    const single = datesFor({ ...once, MaturityDate: date('2025-03-08'), DeferDueDate: true });
    expect(texts(single.accrualDates)).toEqual(['2025-03-10']);
    expect(single.regularMonths).toEqual([0]);
  });
});

describe('holiday calendar of a request (H2)', () => {
  const ro = weekendCalendar(['2025-02-03'], 'RO');

  it('is the default calendar without HolidayCountry', () => {
    const calendars = calendarsOf([weekendCalendar(), ro], 'RO');
    const dates = datesFor({ HolidayShift: true, InstallmentsNo: 1 }, { calendars });
    expect(texts(dates.shownDates)).toEqual(['2025-02-04']);
    expect(dates.calendar).toBe(ro);
  });

  it('is rejected if it is unknown, or missing without a default', () => {
    const allowed =
      'must be a country by its ISO 3166 code or English name, TARGET, a union such as RO+TARGET, or a calendar of the catalogue';
    const missing = [`HolidayCountry unknown-calendar is missing; ${allowed}`];
    expect(dateFaults({ HolidayShift: true })).toEqual(missing);
    expect(dateFaults({ HolidayShift: true }, { calendars: calendarsOf([ro], 'BG') })).toEqual(missing);
    expect(dateFaults({ HolidayShift: true, HolidayMethod: 'None' })).toEqual(missing);
    expect(dateFaults({ HolidayShift: true, HolidayCountry: 'Atlantis' })).toEqual([
      `HolidayCountry unknown-calendar ${allowed}`,
    ]);
    expect(dateFaults({ HolidayCountry: 'Atlantis+Utopia' })).toEqual([
      expect.stringMatching(/^HolidayCountry unknown-calendar must combine .* part 1, part 2 are unknown; /),
    ]);
  });

  it('is validated even if no date is shifted (E5)', () => {
    expect(dateFaults({ HolidayCountry: 'Atlantis' })).toHaveLength(1);
    expect(datesFor({ HolidayCountry: 'weekends' }).calendar).toBeUndefined();
    expect(datesFor({ HolidayCountry: 'weekends', HolidayShift: false }).calendar).toBeUndefined();
    expect(datesFor({ ...SATURDAYS, HolidayMethod: 'None' }).calendar).toBeUndefined();
  });

  it('is reported together with all other faults of the dates', () => {
    const request = loan({
      HolidayShift: true,
      HolidayMethod: 'Sideways',
      InstallmentDay: 0,
      BlockInstallmentNo: 1,
    });
    const validation = new Validation();
    const context = contextOf(request, { periodicity: undefined });
    expect(planScheduleDates(request, context, validation)).toBeUndefined();
    expect(validation.faults.map(({ path, code, status }) => `${path} ${code} ${status}`)).toEqual([
      'BlockInstallmentNo not-allowed 422',
      'InstallmentDay out-of-range 422',
      'HolidayMethod unknown-value 422',
      'HolidayCountry unknown-calendar 422',
    ]);
  });
});
