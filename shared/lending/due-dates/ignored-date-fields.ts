/** Known date fields without effect in a request: they are reported, so that callers do not rely on them (E5). */

import { monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { findEndDate, type EndDateRules } from './schedule-dates.ts';

/** The settings that determine whether a date field has an effect. */
interface DateRules extends EndDateRules {
  readonly periodicity?: Periodicity | undefined;
}

/**
 * Reports the date fields without effect. They are validated only where they have an effect. An expiry
 * that does not end the schedule is not reported, since unused amounts may read it (F5).
 */
export function warnIgnoredDateFields(
  request: RepaymentScheduleRequest,
  rules: DateRules,
  validation: Validation,
): void {
  const { periodicity } = rules;
  const endDate = findEndDate(request, rules);
  const findsFirstMonth =
    request.FirstDueDate === undefined &&
    (request.BlockInstallmentNo ?? 0) === 0 &&
    periodicity !== undefined &&
    monthsPerPeriod(periodicity) > 0;
  const isShiftAsked = request.HolidayShift === true;
  const shifts = isShiftAsked && request.HolidayMethod?.trim().toLowerCase() !== 'none';
  const isOnce = periodicity?.unit === 'Once';
  const warnIf = (isIgnored: boolean, path: string): void => {
    if (isIgnored) validation.warn(path);
  };
  warnIf(request.ActivationDate !== undefined && request.LastDueDate !== undefined, 'ActivationDate');
  warnIf(request.HolidayMethod !== undefined && !isShiftAsked, 'HolidayMethod');
  warnIf(request.HolidayCountry !== undefined && !shifts, 'HolidayCountry');
  warnIf(request.DeferDueDate === true && !shifts, 'DeferDueDate');
  warnIf(request.InstallmentMethod !== undefined && !findsFirstMonth, 'InstallmentMethod');
  warnIf(request.FirstDueDate !== undefined && isOnce && endDate !== undefined, 'FirstDueDate');
  warnIf(request.MaturityDate !== undefined && endDate?.path !== 'MaturityDate', 'MaturityDate');
}
