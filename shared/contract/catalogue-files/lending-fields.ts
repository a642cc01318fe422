/** The files of an institution's catalogue: what JSON they hold (docs/schedule-types.md). */

import { z } from 'zod';
import type { PeriodicityRecord } from '../../lending/schedule-types/lending-catalogue.ts';
import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { wanted } from '../json/field-kinds.ts';
import { recordOf, setFlag } from './record-field-kinds.ts';

const text = () => z.string({ error: wanted('text') });
/** What leads elsewhere in a path: names are parts of message keys. */
const LEADS_ELSEWHERE = /[/\\\p{Cc}]|\.\.|^\s+\S|\S\s+$/u;
/** A name that is part of a message key; an empty one is refused by the validation of its meaning. */
const keyText = () =>
  text().refine((value) => !LEADS_ELSEWHERE.test(value), {
    error: 'must not have slashes, backslashes, two dots together, control characters, or blanks at its ends',
  });
const optionalText = () => text().nullish();
const optionalCount = () => z.number({ error: wanted('a number') }).nullish();
const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: wanted('a list') });

const column = recordOf({
  PaymentScheduleTypeDetailId: text(),
  ColumnRepaymentSchedule: text(),
  CalculationMethod: text(),
  Fee: optionalText(),
  InsuranceClass: optionalText(),
  Source: optionalText(),
  Formula: optionalText(),
  Display: setFlag().nullish(),
  IsUpfront: setFlag().nullish(),
});

/** A file of schedule-types/, or an item of its list. */
export const SCHEDULE_TYPE_SHAPE: z.ZodType<ScheduleTypeRecord> = recordOf({
  PaymentScheduleTypeId: text(),
  PaymentScheduleCode: keyText(),
  PaymentScheduleTypeName: text(),
  Status: text(),
  ProductTypes: list(text()),
  ScheduleInterestCalculationType: text(),
  IsWithEqualInstallments: setFlag(),
  InstallmentValueCustom: setFlag(),
  UseMaturityDate: setFlag(),
  MeasurementUnit: optionalText(),
  Rounding: optionalText(),
  MaximumInstallments: optionalCount(),
  ResidualRequired: setFlag().nullish(),
  ResidualInInstallment: setFlag().nullish(),
  AcceptsCharges: setFlag().nullish(),
  UseExpiryDate: setFlag().nullish(),
  InterestCapitalization: setFlag().nullish(),
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
