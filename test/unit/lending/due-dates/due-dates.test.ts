import cases from '../../../cases/lending/due-dates.json' with { type: 'json' };
import shiftedCases from '../../../cases/lending/shifted-due-dates.json' with { type: 'json' };
import rawCases from '../../../cases/lending/calendar.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { BUILT_IN_PERIODICITIES, findPeriodicity } from '../../../../shared/lending/dates/periodicity.ts';
import { date, dueDates, scheduleOf, loan } from '../../../support/builders/lending-loan.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { startsOnRequestDay } from '../../../../shared/lending/due-dates/planned-due-dates.ts';
import { planScheduleDates } from '../../../../shared/lending/due-dates/schedule-dates.ts';
import {
  dateFaults,
  datesFor,
  daysFrom,
  texts,
  calendarsOf,
  contextOf,
  ON_WORKING_DAYS,
  weekendCalendar,
} from '../../../support/reference/schedule-dates.ts';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import { type HolidayMethod, shiftDueDate } from '../../../../shared/lending/due-dates/shift-due-date.ts';
import { addMonths, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { calendarNamed, ownCalendar } from '../../../support/builders/lending-calendar.ts';

describe('due dates (D3, D4)', () => {
  it('are clamped to the month first, and then compared with the start by ActualMonth', () => {
    const schedule = scheduleOf({
      ActivationDate: date('2025-02-28'),
      InstallmentDay: 31,
      InstallmentMethod: 'ActualMonth',
    });
    expect(dueDates(schedule)[0]).toBe('2025-03-31');
  });

  it.each(cases.filter(({ kind }) => kind === 'due_dates'))(
    'match the published dates of $id',
    ({ input, expected }) => {
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
      'Semimonthly 2025-02-01',
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

type Changes = Partial<RepaymentScheduleRequest>;

const FROM_FEBRUARY = { FirstDueDate: date('2025-02-01') } as const;

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
    const settled = { ...FROM_FEBRUARY, BlockInstallmentNo: 3, LastDueDate: date('2025-03-30') };
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

function expiring(day: string, changes: Changes = {}) {
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
    const settled = { ...FROM_FEBRUARY, BlockInstallmentNo: 2, LastDueDate: date('2025-03-01') };
    expect(expiryFaults({ ...settled, ExpiryDateForOD: date('2025-02-15') })).toEqual([
      'ExpiryDateForOD date-order must be 2025-03-02 or later, after the start of the schedule',
    ]);
    expect(texts(expiring('2025-03-02', settled).dueDates)).toEqual(['2025-03-02']);
  });

  it('is ignored by other schedule types', () => {
    expect(texts(datesFor({ ExpiryDateForOD: date('2025-01-01') }).dueDates)).toHaveLength(4);
  });
});

describe('listed due dates (D9)', () => {
  const DueDates = [date('2025-02-10'), date('2025-02-10'), date('2025-02-09')];
  const left = 'mutually-exclusive must be left out: DueDates has the dates of all installments';

  it('exclude the fields that they replace, must be as many as the instalments, and ascend', () => {
    const others = {
      FirstDueDate: date('2025-02-01'),
      MaturityDate: date('2025-09-01'),
      InstallmentMethod: 'NextMonth',
      ExpiryDateForOD: date('2025-09-01'),
    };
    const faults = dateFaults({ DueDates, InstallmentsNo: 4, ...others }, { usesExpiry: true });
    expect(faults).toEqual([
      `FirstDueDate ${left}`,
      `MaturityDate ${left}`,
      `InstallmentMethod ${left}`,
      `ExpiryDateForOD ${left}`,
      'DueDates out-of-range must have 4 dates, one for each of InstallmentsNo',
      'DueDates[1] date-order must be after the date before it, 2025-02-10',
      'DueDates[2] date-order must be after the date before it, 2025-02-10',
    ]);
  });

  it('are after the start, and in a recalculation after LastDueDate', () => {
    const listed = { DueDates: [date('2025-02-10'), date('2025-03-01')], InstallmentsNo: 2 };
    expect(dateFaults({ ...listed, ActivationDate: date('2025-02-10') })).toEqual([
      'DueDates[0] date-order must be after the start of the schedule, 2025-02-10',
    ]);
    const tooMany = { ...listed, InstallmentsNo: 1, ActivationDate: date('2025-02-10') };
    expect(dateFaults({ ...tooMany, MaturityDate: date('2025-09-01') })).toEqual([
      `MaturityDate ${left}`,
      'DueDates out-of-range must have 1 dates, one for each of InstallmentsNo',
      'DueDates[0] date-order must be after the start of the schedule, 2025-02-10',
    ]);
    const settled = { ...listed, LastDueDate: date('2025-03-01'), BlockInstallmentNo: 1 };
    expect(dateFaults(settled)[0]).toMatch(/^LastDueDate date-order must be before 2025-03-01/);
    expect(dateFaults({ ...settled, InstallmentsNo: 3, BlockInstallmentNo: 2 })).toHaveLength(1);
  });

  it('are none if the list is empty (R1)', () => {
    const others = { FirstDueDate: date('2025-02-01'), InstallmentsNo: 2 };
    expect(datesFor({ ...others, DueDates: [] })).toEqual(datesFor(others));
  });

  it('determine the start, so that the day of the request does not', () => {
    const listed = { DueDates, ActivationDate: undefined };
    const all = [listed, { ...listed, PeriodicityType: 'Once' }];
    const unlisted = { ...listed, DueDates: [] };
    const starts = [...all, unlisted].map((one) => startsOnRequestDay(loan(one), BUILT_IN_PERIODICITIES));
    expect(starts).toEqual([false, true, true]);
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
    expect(texts(datesFor({ InstallmentsNo: 3 }, { every: tenDays }).dueDates)).toEqual(
      '2025-01-11 2025-01-21 2025-01-31'.split(' '),
    );
    const daily = findPeriodicity('Daily');
    expect(texts(datesFor({ InstallmentsNo: 1200 }, { periodicity: daily }).dueDates)).toEqual(
      daysFrom('2025-01-02', 1200),
    );
  });

  it.each([
    [1, '2024-01-01', '2024-01-16 2024-02-01 2024-02-16 2024-03-01'],
    [16, '2024-01-05', '2024-01-16 2024-02-01 2024-02-16 2024-03-01'],
    [15, '2024-01-20', '2024-02-15 2024-02-29 2024-03-15 2024-03-30'],
    [30, '2024-02-15', '2024-02-29 2024-03-15 2024-03-30 2024-04-15'],
    [31, '2024-02-15', '2024-02-29 2024-03-15 2024-03-31 2024-04-15'],
  ])('are in each half month, for day %i after %s (D10)', (InstallmentDay, start, expected) => {
    const half = { PeriodicityType: 'Semimonthly', InstallmentsNo: 4, InstallmentDay } as const;
    const dates = datesFor({ ...half, ActivationDate: date(start), InstallmentMethod: 'NextMonth' });
    expect(texts(dates.dueDates).join(' ')).toBe(expected);
    const [first] = dates.dueDates;
    const anchored = datesFor({ ...half, ActivationDate: undefined, FirstDueDate: first });
    expect(texts(anchored.dueDates)).toEqual(texts(dates.dueDates));
    expect(anchored.regularMonths).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  it('start a loan of periodicity Once on the day of the request, not before FirstDueDate (D2, D7)', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1, ActivationDate: undefined } as const;
    const dates = datesFor({ ...once, FirstDueDate: date('2025-02-01') });
    expect(texts([dates.startDate, ...dates.dueDates])).toEqual(['2024-05-17', '2025-02-01']);
    const first = { ActivationDate: undefined, FirstDueDate: date('2025-02-01') };
    const all = [first, { ...once, ...first }, { ...once, ...first, LastDueDate: date('2025-01-01') }];
    const starts = all.map((one) => startsOnRequestDay(loan(one), BUILT_IN_PERIODICITIES));
    expect(starts).toEqual([false, true, false]);
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

const METHODS: Readonly<Record<string, HolidayMethod>> = {
  Unadjusted: 'None',
  Following: 'Forward',
  ModifiedFollowing: 'ModifiedForward',
  Preceding: 'Backward',
  ModifiedPreceding: 'ModifiedBackward',
  Nearest: 'Nearest',
};

/** Due on 1 February and 1 March 2025, both Saturdays. */
const SATURDAYS = { ...ON_WORKING_DAYS, InstallmentsNo: 2 } as const;
describe('due dates on holidays and weekends (H1, H3)', () => {
  it.each(shiftedCases)('match the published date of $id', (known) => {
    const { start, convention, holidays } = known.input;
    const dates = datesFor(
      {
        HolidayShift: true,
        HolidayCountry: 'ZA',
        HolidayMethod: METHODS[convention],
        ActivationDate: date(start),
        InstallmentDay: Number(start.slice(-2)),
        InstallmentsNo: 1,
      },
      { calendars: calendarsOf([weekendCalendar(holidays, 'ZA')]) },
    );
    expect(texts(dates.shownDates)).toEqual([known.expected.date]);
  });

  it('are never shifted to or before the start', () => {
    const weekend = { ...ON_WORKING_DAYS, PeriodicityType: 'Daily', ActivationDate: date('2025-01-03') };
    for (const HolidayMethod of ['Backward', 'Nearest']) {
      expect(texts(datesFor({ ...weekend, HolidayMethod, InstallmentsNo: 3 }).shownDates)).toEqual(
        '2025-01-06 2025-01-06 2025-01-06'.split(' '),
      );
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
      HolidayMethod: 'Up',
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

/** Before every date of these tests, so that the start has no effect. */
const EARLY = '1990-01-01';
const WEEKEND = ['Saturday', 'Sunday'];
const ordinaryWeek = ownCalendar({ weekend: WEEKEND, holidays: [] });

interface MoveCase {
  readonly id: string;
  readonly input: {
    readonly date?: string;
    readonly start?: string;
    readonly shift?: number;
    readonly convention: string;
    readonly weekend: readonly string[];
    readonly holidays: readonly string[];
    readonly calendar: string;
  };
  /** By `date`, or by the name of each convention. */
  readonly expected: Readonly<Record<string, string>>;
}

function shifted(due: string, method: HolidayMethod, calendar = ordinaryWeek, start = EARLY): string {
  return formatCalendarDate(shiftDueDate(date(due), method, calendar, date(start)));
}

function methodOf(convention: string): HolidayMethod {
  const method = METHODS[convention];
  if (method === undefined) throw new Error(convention);
  return method;
}

const movesOf = (...kinds: readonly string[]) =>
  rawCases
    .filter(({ kind }) => kinds.includes(kind))
    .map((known) => [known.id, known as unknown as MoveCase] as const);

describe('published business-day adjustments (H1)', () => {
  it.each(movesOf('adjust', 'advance_and_adjust'))('%s is reproduced', (_id, { input, expected }) => {
    const due = addMonths(date(input.date ?? input.start ?? ''), input.shift ?? 0);
    const calendar = ownCalendar({ weekend: input.weekend, holidays: input.holidays });
    expect(shifted(formatCalendarDate(due), methodOf(input.convention), calendar)).toBe(expected.date);
  });

  it.each(movesOf('adjust_all'))('%s is reproduced by every method', (_id, { input, expected }) => {
    const calendar = calendarNamed(input.calendar);
    for (const [convention, day] of Object.entries(expected)) {
      expect([convention, shifted(input.date ?? '', methodOf(convention), calendar)]).toEqual([
        convention,
        day,
      ]);
    }
  });
});
