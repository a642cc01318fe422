import type { Decimal } from 'decimal.js';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { RepaymentScheduleRequest } from '../../../../shared/lending/request/repayment-schedule-request.ts';
import { toJsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { repaymentScheduleFields } from '../../../../shared/api/actions/schedule-request-fields.ts';
import { calculateRepaymentSchedule } from '../../../../shared/lending/calculate-repayment-schedule.ts';
import { BUILT_IN_ENVIRONMENT } from '../../../support/builders/lending-environment.ts';
import { loan, REQUEST_DAY } from '../../../support/builders/lending-loan.ts';

/** A type without readonly and optional modifiers, recursively. */
type Plain<T> = T extends Decimal | number | boolean | string
  ? T
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : { -readonly [K in keyof T]-?: Plain<Exclude<T[K], undefined>> };

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
type MandatoryKeys = Exclude<keyof RepaymentScheduleRequest, OptionalKeys<RepaymentScheduleRequest>>;
type ItemOf<T> = Exclude<T, undefined> extends readonly (infer Item)[] ? Item : never;

type Read = z.output<typeof repaymentScheduleFields>;
type Wanted = RepaymentScheduleRequest;

test('the parsed request has the fields and types of the engine request', () => {
  expectTypeOf<Plain<Read>>().toEqualTypeOf<Plain<Wanted>>();
  expectTypeOf<OptionalKeys<Read>>().toEqualTypeOf<OptionalKeys<Wanted>>();
  expectTypeOf<OptionalKeys<ItemOf<Read['Commission']>>>().toEqualTypeOf<
    OptionalKeys<ItemOf<Wanted['Commission']>>
  >();
  expectTypeOf<OptionalKeys<ItemOf<Read['Insurance']>>>().toEqualTypeOf<
    OptionalKeys<ItemOf<Wanted['Insurance']>>
  >();
  expectTypeOf<OptionalKeys<ItemOf<Read['EarlyRepayments']>>>().toEqualTypeOf<
    OptionalKeys<ItemOf<Wanted['EarlyRepayments']>>
  >();
  expect(toJsonSchema(repaymentScheduleFields).required?.toSorted()).toEqual([
    'Amount',
    'InstallmentDay',
    'InstallmentsNo',
    'PeriodicityType',
    'ScheduleType',
  ] satisfies MandatoryKeys[]);
});

/** Texts with names that the documents list. */
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
