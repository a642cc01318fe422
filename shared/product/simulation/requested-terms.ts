/** The dates and grace periods that a simulation request sets on the loan of its product (Q8, D3, D4, G1, G2). */

import { toDateParts, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { monthsPerPeriod, type Periodicity } from '../../lending/dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { SimulateRequest } from './simulation.ts';

/**
 * Reports fields without effect (E5): dates, where loanPeriod determines the due date (Once) or periods are days or weeks,
 * and Explain without the figures of an offer.
 */
export function readRequestedTerms(
  request: SimulateRequest,
  { GeneralData }: ProductRecord,
  { periodicity, start }: { readonly periodicity: Periodicity; readonly start: CalendarDate },
  validation: Validation,
): Pick<
  RepaymentScheduleRequest,
  'InstallmentDay' | 'FirstDueDate' | 'GracePeriodPrincipal' | 'GracePeriodInterest' | 'GraceType'
> {
  const { GracePeriodPrincipal, GracePeriodInterest } = request;
  if (request.Explain === true && request.Offer !== true) validation.warn('Explain');
  const isOnce = periodicity.unit === 'Once';
  if (isOnce && request.FirstDueDate !== undefined) validation.warn('FirstDueDate');
  const hasDay = request.InstallmentDay !== undefined;
  if (hasDay && monthsPerPeriod(periodicity) === 0) validation.warn('InstallmentDay');
  const FirstDueDate = isOnce ? undefined : request.FirstDueDate;
  return {
    InstallmentDay: request.InstallmentDay ?? toDateParts(FirstDueDate ?? start).day,
    ...(FirstDueDate !== undefined && { FirstDueDate }),
    ...(GracePeriodPrincipal !== undefined && { GracePeriodPrincipal }),
    ...(GracePeriodInterest !== undefined && { GracePeriodInterest }),
    ...((GracePeriodInterest ?? 0) > 0 && { GraceType: GeneralData.GraceType ?? undefined }),
  };
}
