/** The JSON of schedule types, periodicities and calendars (docs/schedule-types.md). */

import type { z } from 'zod';
import type { PeriodicityRecord } from '../../lending/schedule-types/lending-catalogue.ts';
import type { CalendarRecord } from '../../lending/calendars/catalogue-calendars.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { anyList, anyNumber, anyText } from '../../platform/json-kinds.ts';
import { recordOf, setFlag } from '../../product/catalogue/record-kinds.ts';

/** Separators, parent folders, control characters and outer blanks, which message keys and paths cannot contain. */
const UNSAFE_IN_KEY = /[/\\\p{Cc}]|\.\.|^\s+\S|\S\s+$/u;
/** A name that is part of a message key; the semantic validation refuses an empty one. */
const keyText = () =>
  anyText().refine((value) => !UNSAFE_IN_KEY.test(value), {
    error: 'must not have slashes, backslashes, two dots together, control characters, or blanks at its ends',
  });
const optionalText = () => anyText().nullish();
const optionalCount = () => anyNumber().nullish();

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

/** A record in the folder schedule-types/. */
export const SCHEDULE_TYPE_SHAPE: z.ZodType<ScheduleTypeRecord> = recordOf({
  PaymentScheduleTypeId: anyText(),
  PaymentScheduleCode: keyText(),
  PaymentScheduleTypeName: anyText(),
  Status: anyText(),
  ProductTypes: anyList(anyText()),
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
  PaymentScheduleTypeDetails: anyList(column),
});

/** A record in the folder periodicities/. */
export const PERIODICITY_SHAPE: z.ZodType<PeriodicityRecord> = recordOf({
  name: keyText(),
  count: optionalCount(),
  unit: anyText(),
});

/** A record in the folder calendars/. */
export const CALENDAR_SHAPE: z.ZodType<CalendarRecord> = recordOf({
  name: keyText(),
  version: anyText(),
  weekend: anyList(anyText()).optional(),
  holidays: anyList(anyText()),
  base: anyText().optional(),
});
