import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import { toCalendarDate, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';

const day = fc
  .integer({ min: toCalendarDate(1900, 1, 1), max: toCalendarDate(2999, 12, 31) })
  .map((days) => days as ReturnType<typeof toCalendarDate>);
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
