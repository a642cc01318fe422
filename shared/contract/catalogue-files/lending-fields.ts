/** The JSON of schedule types, periodicities and calendars (docs/schedule-types.md). */

import { z } from 'zod';
import type { PeriodicityRecord } from '../../lending/schedule-types/lending-catalogue.ts';
import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { anyText, wanted } from '../json/field-kinds.ts';
import { recordOf, setFlag } from './record-field-kinds.ts';

/** Separators, parent folders, control characters and outer blanks, which message keys and paths cannot contain. */
const UNSAFE_IN_KEY = /[/\\\p{Cc}]|\.\.|^\s+\S|\S\s+$/u;
/** A name that is part of a message key; the semantic validation refuses an empty one. */
const keyText = () =>
  anyText().refine((value) => !UNSAFE_IN_KEY.test(value), {
    error: 'must not have slashes, backslashes, two dots together, control characters, or blanks at its ends',
  });
const optionalText = () => anyText().nullish();
const optionalCount = () => z.number({ error: wanted('a number') }).nullish();
const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: wanted('a list') });

const column = recordOf({
  PaymentScheduleTypeDetailId: anyText(),
  ColumnRepaymentSchedule: anyText(),
  CalculationMethod: anyText(),
  Fee: optionalText(),
  InsuranceClass: optionalText(),
  Source: optionalText(),
  Formula: optionalText(),
  Display: setFlag().nullish(),
  IsUpfront: setFlag().nullish(),
});

/** A record of schedule-types/. */
export const SCHEDULE_TYPE_SHAPE: z.ZodType<ScheduleTypeRecord> = recordOf({
  PaymentScheduleTypeId: anyText(),
  PaymentScheduleCode: keyText(),
  PaymentScheduleTypeName: anyText(),
  Status: anyText(),
  ProductTypes: list(anyText()),
  ScheduleInterestCalculationType: anyText(),
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

/** A record of periodicities/. */
export const PERIODICITY_SHAPE: z.ZodType<PeriodicityRecord> = recordOf({
  name: keyText(),
  count: optionalCount(),
  unit: anyText(),
});

/** A record of calendars/. */
export const CALENDAR_SHAPE: z.ZodType<CalendarRecord> = recordOf({
  name: keyText(),
  version: anyText(),
  weekend: list(anyText()).optional(),
  holidays: list(anyText()),
  base: anyText().optional(),
});
