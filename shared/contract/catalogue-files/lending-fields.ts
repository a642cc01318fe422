/** The files of an institution's catalogue: what JSON they hold (docs/schedule-types.md). */

import { z } from 'zod';
import type { PeriodicityRecord } from '../../lending/schedule-types/catalogue-periodicities.ts';
import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { wanted } from '../json/field-kinds.ts';

const text = () => z.string({ error: wanted('text') });
/** What leads elsewhere in a path: names are parts of message keys. */
const LEADS_ELSEWHERE = /[/\\\p{Cc}]|\.\.|^\s+\S|\S\s+$/u;
/** A name that is part of a message key; whether it is empty is a matter of its meaning. */
const keyText = () =>
  text().refine((value) => !LEADS_ELSEWHERE.test(value), {
    error: 'must not have slashes, backslashes, two dots together, control characters, or blanks at its ends',
  });
const optionalText = () => text().nullish();
/** true and 1, false and 0 are interchangeable (M6). */
const flag = () =>
  z
    .literal([true, false, 0, 1], { error: wanted('true or false') })
    .transform((value) => value === true || value === 1);
const optionalCount = () => z.number({ error: wanted('a number') }).nullish();
const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: wanted('a list') });

/** Members that are not named are a fault: a misspelt setting would otherwise have no effect. */
const recordOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: wanted('an object') });

const column = recordOf({
  PaymentScheduleTypeDetailId: text(),
  ColumnRepaymentSchedule: text(),
  CalculationMethod: text(),
  Fee: optionalText(),
  InsuranceClass: optionalText(),
  Source: optionalText(),
  Formula: optionalText(),
  Display: flag().nullish(),
  IsUpfront: flag().nullish(),
});

/** A file of schedule-types/, or an item of its list. */
export const SCHEDULE_TYPE_SHAPE: z.ZodType<ScheduleTypeRecord> = recordOf({
  PaymentScheduleTypeId: text(),
  PaymentScheduleCode: keyText(),
  PaymentScheduleTypeName: text(),
  Status: text(),
  ProductTypes: list(text()),
  ScheduleInterestCalculationType: text(),
  IsWithEqualInstallments: flag(),
  InstallmentValueCustom: flag(),
  UseMaturityDate: flag(),
  MeasurementUnit: optionalText(),
  Rounding: optionalText(),
  MaximumInstallments: optionalCount(),
  ResidualRequired: flag().nullish(),
  ResidualInInstallment: flag().nullish(),
  AcceptsCharges: flag().nullish(),
  UseExpiryDate: flag().nullish(),
  InterestCapitalization: flag().nullish(),
  PaymentScheduleTypeDetails: list(column),
});

/** A file of periodicities/, or an item of its list. */
export const PERIODICITY_SHAPE: z.ZodType<PeriodicityRecord> = recordOf({
  name: keyText(),
  count: optionalCount(),
  unit: text(),
});

/** A file of calendars/, or an item of its list. */
export const CALENDAR_SHAPE: z.ZodType<CalendarRecord> = recordOf({
  name: keyText(),
  version: text(),
  weekend: list(text()).optional(),
  holidays: list(text()),
  base: text().optional(),
});
