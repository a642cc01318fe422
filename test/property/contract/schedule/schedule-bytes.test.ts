import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import {
  renderRepaymentSchedule,
  renderScheduleBytes,
} from '../../../../shared/contract/schedule/render-schedule.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import {
  type FigureExplanation,
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../../../shared/lending/request/repayment-schedule.ts';
import { plainScheduleText } from '../../../support/reference/schedule-text.ts';

/** 1900-01-01 and 2999-12-31. */
const day = fc.integer({ min: -25_567, max: 376_199 }).map((days) => days as CalendarDate);
/** Amounts of every number of digits, on both sides of the powers of ten and of two. */
const money = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc
    .tuple(fc.constantFrom(2, 10), fc.nat({ max: 53 }), fc.integer({ min: -2, max: 2 }))
    .map(([base, exponent, off]) => Math.min(base ** exponent, Number.MAX_SAFE_INTEGER - 2) + off)
    .filter(Number.isSafeInteger),
);
/** Strings with quotes, control characters, letters of several bytes and halves of surrogate pairs. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 120, maxLength: 140 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
const rate = fc.constantFrom(null, '0.0000', '7.2239', '-0.5000', '12', '123456789.1234');
const absent = { nil: undefined };

const figure: fc.Arbitrary<FigureExplanation> = fc.record(
  {
    figure: fc.oneof(fc.constantFrom('interest', 'pmt', 'column'), text) as fc.Arbitrary<'interest'>,
    name: text,
    amount: money,
    days: fc.integer(),
    basis: fc.integer(),
    dayCount: text,
    rates: fc.array(fc.constantFrom('7.25', '-1', '0.000000001'), { maxLength: 3 }),
    base: money,
    formula: text,
  },
  { requiredKeys: ['figure', 'amount', 'formula'] },
);

const row = (columns: number): fc.Arbitrary<ScheduleRow> =>
  fc.record(
    {
      InstallmentNo: fc.oneof(fc.nat({ max: 4_000 }), fc.integer()),
      dueDate: day,
      noDays: fc.oneof(fc.nat({ max: 400 }), fc.integer()),
      installmentTypeId: fc.oneof(fc.constantFrom(...Object.values(INSTALLMENT_TYPE_IDS)), text),
      remainingValue: money,
      pmt: money,
      interest: money,
      principal: money,
      managementFee: money,
      totalInstallment: money,
      insurance: money,
      capitalisedInterest: money,
      columns: fc.array(money, { maxLength: columns }),
      isEarlyRepayment: fc.boolean(),
      explanation: fc.array(figure, { maxLength: 3 }),
    },
    {
      requiredKeys: [
        'InstallmentNo',
        'dueDate',
        'noDays',
        'installmentTypeId',
        'remainingValue',
        'pmt',
        'interest',
        'principal',
        'managementFee',
        'totalInstallment',
        'isEarlyRepayment',
      ],
    },
  );

/** Rows of which some differ from the previous one in single fields only, like those of a schedule. */
const rows = fc
  .tuple(fc.array(row(3), { maxLength: 6 }), fc.array(fc.tuple(fc.nat({ max: 5 }), money), { maxLength: 6 }))
  .map(([some, changes]) => [
    ...some,
    ...changes.flatMap(([at, interest]) => {
      const known = some[at];
      return known === undefined ? [] : [known, { ...known, interest }, { ...known, isEarlyRepayment: true }];
    }),
  ]);

const schedule: fc.Arbitrary<RepaymentSchedule> = fc.record(
  {
    casing: fc.constantFrom('lower', 'capitalised'),
    show: fc.constantFrom('rows', 'dae', 'rows-with-dae', 'rows-with-eir'),
    currencyDigits: fc.constantFrom(0, 2, 2, 2, 3, 4, 10),
    scheduleTypeId: text,
    startDate: day,
    extraColumns: fc.option(fc.array(text, { maxLength: 3 }), absent),
    rows,
    dae: fc.option(rate, absent),
    eir: fc.option(rate, absent),
    warnings: fc.constant([]),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<RepaymentSchedule>;

/** What the interface writes, as text and from its bytes. */
function written(one: RepaymentSchedule): readonly string[] {
  return [renderRepaymentSchedule(one), renderScheduleBytes(one).toString()];
}

function plain(one: RepaymentSchedule): readonly string[] {
  const whole = plainScheduleText(one);
  return [whole, Buffer.from(whole).toString()];
}

/** The schedule of a sample loan with some other terms. */
function calculated(terms: object): RepaymentSchedule {
  const read = repaymentScheduleRequest.read({
    jsonParam: {
      ScheduleType: 'EqualInstallments',
      ProductType: 'TL',
      InterestPercent: 7.25,
      Amount: 12_500,
      InstallmentsNo: 12,
      PeriodicityType: 'Monthly',
      InstallmentDay: 15,
      ActivationDate: '2024-01-10',
      ...terms,
    },
  });
  if (read.kind !== 'valid') throw new Error(JSON.stringify(read.faults));
  const outcome = calculateRepaymentSchedule(read.payload, { requestDay: 20_000 as CalendarDate });
  if (outcome.kind !== 'schedule') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

const COMMISSION = {
  FeeName: 'Administration – größer als "ASCII"',
  FeePeriodicityType: 'Monthly',
  FeeDate: '2024-01-10',
  SourceValue: 5,
};
const INSURANCE = {
  InsuranceName: 'Life\u2028cover',
  InsurancePeriodicityType: 'Annual',
  InsuranceDate: '2024-01-10',
  SourcePercent: 0.5,
};

describe('the bytes of a schedule', () => {
  it('equal those of the plain writer for all kinds of fields', () => {
    fc.assert(
      fc.property(schedule, (one) => {
        expect(written(one)).toEqual(plain(one));
      }),
    );
  });

  it.each([1, 9, 10, 11, 99, 100, 101, 360, 999, 1_000, 1_200])(
    'equal those of the plain writer for %i calculated rows',
    (InstallmentsNo) => {
      for (const CalculateDAE of [undefined, 0, 1, 2]) {
        const one = calculated({ InstallmentsNo, CalculateDAE, Amount: 98_765_432.1 });
        expect(written(one)).toEqual(plain(one));
      }
    },
  );

  it('equal those of the plain writer with charges, grace, prepayments and explanations, in any currency', () => {
    const terms = {
      InstallmentsNo: 60,
      Commission: [COMMISSION],
      Insurance: [INSURANCE],
      GracePeriodPrincipal: 3,
      EarlyRepayments: [{ Date: '2025-03-03', Amount: 1_000 }],
    };
    for (const Currency of ['EUR', 'JPY', 'KWD']) {
      for (const Explain of [false, true]) {
        const one = calculated({ ...terms, Currency, Explain });
        expect(written(one)).toEqual(plain(one));
      }
    }
  });

  it('are complete after an answer that failed, and after one of megabytes', () => {
    const small = calculated({});
    const wrong = { ...small, rows: [...small.rows, { ...(small.rows[0] as ScheduleRow), pmt: 0.5 }] };
    const large = calculated({ InstallmentsNo: 1_200, Commission: [COMMISSION], Explain: true });
    expect(() => renderScheduleBytes(wrong)).toThrow(RangeError);
    for (const one of [small, large, small]) expect(written(one)).toEqual(plain(one));
  });
});
