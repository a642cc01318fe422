import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import { renderRepaymentSchedule } from '../../../../shared/api/actions/render-schedule.ts';
import { toCalendarDate, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import type {
  RepaymentSchedule,
  ScheduleRow,
} from '../../../../shared/lending/request/repayment-schedule.ts';

const money = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -1_000, max: 1_000 }));
const day = fc
  .integer({ min: toCalendarDate(1900, 1, 1), max: toCalendarDate(2999, 12, 31) })
  .map((days) => days as ReturnType<typeof toCalendarDate>);
const rate = fc.oneof(
  fc.constant(null),
  fc
    .integer({ min: -1_000_000, max: 1_000_000_000 })
    .map((tenThousandths) => new Decimal(tenThousandths).div(10_000).toFixed(4)),
);

const row: fc.Arbitrary<ScheduleRow> = fc.record(
  {
    InstallmentNo: fc.integer({ min: 0, max: 4_000 }),
    dueDate: day,
    noDays: fc.integer({ min: 0, max: 4_000 }),
    installmentTypeId: fc.string(),
    remainingValue: money,
    pmt: money,
    interest: money,
    principal: money,
    managementFee: money,
    totalInstallment: money,
    insurance: money,
    capitalisedInterest: money,
    isEarlyRepayment: fc.boolean(),
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

const schedule: fc.Arbitrary<RepaymentSchedule> = fc.record({
  casing: fc.constantFrom('lower', 'capitalised'),
  show: fc.constantFrom('rows', 'dae', 'rows-with-dae', 'rows-with-eir'),
  currencyDigits: fc.integer({ min: 0, max: 10 }),
  scheduleTypeId: fc.string(),
  startDate: day,
  rows: fc.array(row, { maxLength: 5 }),
  dae: rate,
  eir: rate,
  warnings: fc.constant([]),
});

const rateOf = (text: string | null | undefined) => (typeof text === 'string' ? Number(text) : null);

/** Builds the answer field by field, as the interface describes it. */
function plainAnswer({
  casing,
  show,
  currencyDigits,
  scheduleTypeId,
  rows,
  dae,
  eir,
}: RepaymentSchedule): unknown {
  if (show === 'dae') return [{ dae: rateOf(dae) }];
  const amount = (minor: number) => new Decimal(minor).div(new Decimal(10).pow(currencyDigits)).toNumber();
  return rows.map((one) => {
    const own = {
      remainingValue: amount(one.remainingValue),
      pMT: amount(one.pmt),
      interest: amount(one.interest),
      ...(one.capitalisedInterest === undefined
        ? {}
        : { capitalisedInterest: amount(one.capitalisedInterest) }),
      principal: amount(one.principal),
      managementFee: amount(one.managementFee),
      ...(one.insurance === undefined ? {} : { insurance: amount(one.insurance) }),
      totalInstallment: amount(one.totalInstallment),
      isEarlyRepayment: String(one.isEarlyRepayment),
    };
    const spelled = Object.entries(own).map(([name, value]) => [
      casing === 'lower' ? name : name.charAt(0).toUpperCase() + name.slice(1),
      value,
    ]);
    return {
      InstallmentNo: one.InstallmentNo,
      DueDate: `${formatCalendarDate(one.dueDate)}T00:00:00${casing === 'lower' ? '' : 'Z'}`,
      NoDays: one.noDays,
      InstallmentTypeId: one.installmentTypeId,
      ...(Object.fromEntries(spelled) as object),
      ...(show === 'rows-with-dae' ? { dae: rateOf(dae) } : {}),
      ...(show === 'rows-with-eir' ? { EIR: rateOf(eir) } : {}),
      ScheduleTypeId: scheduleTypeId,
    };
  });
}

test('the written answer equals the answer built field by field', () => {
  fc.assert(
    fc.property(schedule, (one) => {
      // JSON.stringify writes minus zero as zero, like the writer.
      const unsigned = JSON.parse(JSON.stringify(plainAnswer(one))) as unknown;
      expect(JSON.parse(renderRepaymentSchedule(one))).toEqual(unsigned);
    }),
  );
});

test('amounts are written with the decimals of the currency', () => {
  fc.assert(
    fc.property(schedule, fc.integer({ min: 0, max: 10 }), (one, currencyDigits) => {
      const text = renderRepaymentSchedule({ ...one, show: 'rows', casing: 'lower', currencyDigits });
      const decimals = [...text.matchAll(/"(?:pMT|totalInstallment)":-?\d+(\.\d+)?[,}]/g)];
      expect(decimals).toHaveLength(2 * one.rows.length);
      for (const [, fraction = '.'] of decimals) expect(fraction.length - 1).toBe(currencyDigits);
    }),
  );
});

const number = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((value) => value / 1_000);
const dateText = day.map((date) => formatCalendarDate(date));
const fee = fc.record(
  {
    FeePeriodicityType: fc.constant('Monthly'),
    FeeDate: dateText,
    FeeName: fc.string({ minLength: 1 }),
    SourceValue: number,
    IsUpfront: fc.boolean(),
    GracePeriodFee: fc.nat(),
  },
  { requiredKeys: ['FeePeriodicityType', 'FeeDate', 'FeeName', 'SourceValue'] },
);
const fields = fc.record(
  {
    ScheduleType: fc.string({ minLength: 1, maxLength: 200 }),
    InterestPercent: number,
    Amount: number,
    InstallmentsNo: fc.nat(),
    PeriodicityType: fc.string({ minLength: 1 }),
    InstallmentDay: fc.nat(),
    FirstDueDate: dateText,
    HolidayShift: fc.boolean(),
    CalculateDAE: fc.nat(),
    Commission: fc.array(fee, { minLength: 1, maxLength: 3 }),
    MultipleInterestRates: fc.array(fc.record({ InterestRate: number, ToInstNo: fc.nat() }), {
      minLength: 1,
    }),
  },
  {
    requiredKeys: [
      'ScheduleType',
      'InterestPercent',
      'Amount',
      'InstallmentsNo',
      'PeriodicityType',
      'InstallmentDay',
    ],
  },
);

test('a request is unchanged after being written and read', () => {
  fc.assert(
    fc.property(fields, (sent) => {
      const read = repaymentScheduleRequest.read({ jsonParam: sent });
      if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
      const written = JSON.parse(repaymentScheduleRequest.render(read.payload)) as unknown;
      expect(written).toEqual({ jsonParam: JSON.parse(JSON.stringify(sent)) as unknown });
      expect(repaymentScheduleRequest.read(written)).toEqual(read);
    }),
  );
});

const NAMES = [
  'Amount',
  'InterestPercent',
  'ActivationDate',
  'IsLocked',
  'Commission',
  'Insurance',
  'EarlyRepayments',
];

const FAULT_RULES = {
  path: /^(body|jsonParam(\.[A-Za-z]+(\[\d+\])?)*)$/,
  message: /^(must |is missing; |is too large )/,
};
/** The path of an unknown field contains its name, but the message does not. */
const UNKNOWN_RULES = {
  path: /^/,
  message: /^is not known here and has no effect(; did you mean [A-Za-z]+\?)?$/,
};

test('any JSON yields either a payload or faults that do not contain its values', () => {
  const anyFields = fc.dictionary(fc.constantFrom(...NAMES, '__proto__', 'x'), fc.jsonValue());
  const body = fc.oneof(fc.jsonValue(), fc.record({ jsonParam: fc.oneof(fc.jsonValue(), anyFields) }));
  fc.assert(
    fc.property(body, (sent) => {
      const read = repaymentScheduleRequest.read(sent);
      if (read.kind === 'valid') return;
      expect(read.faults.length).toBeGreaterThan(0);
      for (const { path, code, message } of read.faults) {
        const rules = code === 'unknown-member' ? UNKNOWN_RULES : FAULT_RULES;
        expect(path).toMatch(rules.path);
        expect(message).toMatch(rules.message);
      }
    }),
  );
});
