import type { Decimal } from 'decimal.js';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { PaymentValueRequest } from '../../../../shared/lending/request/payment-value-request.ts';
import type { RateRequest } from '../../../../shared/lending/request/rate-request.ts';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { toJsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { paymentValueFields } from '../../../../shared/api/actions/pmt-action.ts';
import { rateFields } from '../../../../shared/api/actions/rate-action.ts';
import { repaymentScheduleFields } from '../../../../shared/api/actions/schedule-request-fields.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { BUILT_IN_ENVIRONMENT } from '../../../support/builders/lending-environment.ts';
import { loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';

/** A type without readonly modifiers, recursively, in which each field is marked as optional or mandatory. */
type Plain<T> = T extends Decimal | number | boolean | string
  ? T
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : {
        -readonly [K in keyof T]-?: [
          undefined extends T[K] ? 'may' : 'must',
          Plain<Exclude<T[K], undefined>>,
        ];
      };

type Read<Fields extends z.ZodType> = Plain<z.output<Fields>>;

test('the parsed requests have the fields and types of the engine requests', () => {
  type Schedule = z.output<typeof repaymentScheduleFields>;
  type Wanted = RepaymentScheduleRequest;
  type Others<T> = Plain<Omit<T, 'BandedInterestRates'>>;
  expectTypeOf<Others<Schedule>>().toEqualTypeOf<Others<Wanted>>();
  // Only the calculation lets a band be without its rate.
  type Band<T extends Pick<Wanted, 'BandedInterestRates'>> = NonNullable<T['BandedInterestRates']>[number];
  type Complete<T> = { -readonly [K in keyof T]-?: Exclude<T[K], undefined> };
  expectTypeOf<Complete<Band<Schedule>>>().toEqualTypeOf<Complete<Band<Wanted>>>();
  expectTypeOf<Read<typeof paymentValueFields>>().toEqualTypeOf<Plain<PaymentValueRequest>>();
  expectTypeOf<Read<typeof rateFields>>().toEqualTypeOf<Plain<RateRequest>>();
  const mandatory = [repaymentScheduleFields, paymentValueFields, rateFields].map((fields) =>
    toJsonSchema(fields).required?.toSorted().join(' '),
  );
  expect(mandatory).toEqual([
    'Amount InstallmentDay InstallmentsNo PeriodicityType ScheduleType',
    'InstallmentsNo InterestCalculationMethod PeriodicityType',
    'Rule',
  ]);
});

const NAMED = Object.entries(toJsonSchema(repaymentScheduleFields).properties ?? {}).flatMap(
  ([name, { type, enum: closed, examples, pattern }]) => {
    const names = closed ?? examples;
    const isNamed = [type].flat().includes('string') && names !== undefined && pattern === undefined;
    return isNamed ? [{ name, names: names.filter((one) => one !== null) }] : [];
  },
);

test.each(NAMED)('the engine knows each $name that the documents list, and no other', ({ name, names }) => {
  const isUnknown = (value: unknown): boolean => {
    const request = loan({ HolidayShift: true, HolidayCountry: 'RO', [name]: value });
    const outcome = calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY, ...BUILT_IN_ENVIRONMENT });
    const faults = outcome.kind === 'refused' ? outcome.faults : [];
    return faults.some(({ path, code }) => path === name && code.startsWith('unknown-'));
  };
  expect(names.filter(isUnknown)).toEqual([]);
  expect(isUnknown('no such name')).toBe(true);
});
