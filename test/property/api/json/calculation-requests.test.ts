import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import { toCalendarDate, type CalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { randomRequest } from '../../../support/random/request.ts';

/** Decimals of at most 15 digits, which every JSON parser preserves. */
const amount = fc
  .tuple(fc.integer({ min: -(10 ** 14), max: 10 ** 14 }), fc.integer({ min: 0, max: 18 }))
  .map(([digits, decimals]) => new Decimal(`${digits}e-${decimals}`));
const percent = fc.integer({ min: -100_000, max: 10 ** 9 }).map((digits) => new Decimal(digits).div(10_000));
const name = fc.string({ minLength: 1, maxLength: 200 });
const flag = fc.constantFrom(0, 1);
const day = fc
  .integer({ min: toCalendarDate(1900, 1, 1), max: toCalendarDate(2999, 12, 31) })
  .map((days) => days as CalendarDate);
const flow = fc.record({ Date: day, Amount: amount });
/** Not empty, because an empty list is read as absent. */
const listOf = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { minLength: 1, maxLength: 5 });

const REQUESTS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  CalculateRepaymentScheduleRequest: fc
    .record({ ScheduleType: name, InstallmentDay: fc.nat(), Amount: amount, MaturityDate: day })
    .chain((changes) => randomRequest.map((request) => ({ ...request, ...changes }))),
  CalculatePMTRequest: fc.record(
    {
      InstallmentsNo: fc.integer({ min: -5, max: 2_000 }),
      PeriodicityType: name,
      InterestCalculationMethod: name,
      FinancedAmount: amount,
      InterestPercent: percent,
      GracePeriodPrincipal: flag,
      FutureValue: amount,
      InterestType: flag,
      Precision: fc.integer({ min: 0, max: 10 }),
    },
    { requiredKeys: ['InstallmentsNo', 'PeriodicityType', 'InterestCalculationMethod'] },
  ),
  CalculateRateRequest: fc.record(
    { Rule: name, Unit: name, CashFlows: listOf(flow), PeriodicityType: name, Amounts: listOf(amount) },
    { requiredKeys: ['Rule'] },
  ),
};

test.each(Object.entries(REQUESTS))(
  '%s is unchanged after being written and read as JSON',
  (type, payloads) => {
    const form = MESSAGE_FORMS[type];
    fc.assert(
      fc.property(payloads, (payload) => {
        const read = form?.parse(JSON.parse(form.render(payload)));
        expect(read).toMatchObject({ kind: 'valid', warnings: [] });
        expect(read?.kind === 'valid' && read.payload).toEqual(payload);
      }),
      { numRuns: 1_000 },
    );
  },
);
