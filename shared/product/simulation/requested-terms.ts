/** The dates and grace periods that a simulation request sets on the loan of its product (Q8, D3, D4, G1, G2). */

import { formatCalendarDate, toDateParts, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { monthsPerPeriod, type Periodicity } from '../../lending/dates/periodicity.ts';
import { MAX_INSTALLMENTS, checkWhole } from '../../lending/request/field-checks.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { SimulateRequest } from './simulation.ts';

const DAYS = { min: 1, max: 31 };

interface PlannedTerm {
  readonly periodicity: Periodicity | undefined;
  readonly start: CalendarDate;
  /** Undefined if loanPeriod has a fault. */
  readonly rows: number | undefined;
}

/**
 * Reports the faults that the schedule would have (422), and fields without effect (E5): dates, where loanPeriod determines
 * the due date (Once) or periods are days or weeks, and Explain without the figures of an offer.
 */
export function readRequestedTerms(
  request: SimulateRequest,
  { GeneralData }: ProductRecord,
  { periodicity, start, rows }: PlannedTerm,
  validation: Validation,
) {
  const { GracePeriodPrincipal, GracePeriodInterest, InstallmentDay, InterestType } = request;
  const isOnce = periodicity?.unit === 'Once';
  const FirstDueDate = isOnce ? undefined : request.FirstDueDate;
  if (FirstDueDate !== undefined && FirstDueDate <= start) {
    const message = `must be after the start of the loan, ${formatCalendarDate(start)}`;
    validation.reject('FirstDueDate', 'date-order', message);
  }
  checkWhole(validation, 'InstallmentDay', InstallmentDay, DAYS);
  for (const path of ['GracePeriodPrincipal', 'GracePeriodInterest'] as const) {
    if (InterestType === 1 && (request[path] ?? 0) > 0) {
      validation.reject(path, 'not-allowed', 'must be 0 with InterestType 1');
    } else checkWhole(validation, path, request[path], { min: 0, max: (rows ?? MAX_INSTALLMENTS) - 1 });
  }
  if (request.Explain === true && request.Offer !== true) validation.warn('Explain');
  if (isOnce && request.FirstDueDate !== undefined) validation.warn('FirstDueDate');
  const countsDays = periodicity !== undefined && monthsPerPeriod(periodicity) === 0;
  if (InstallmentDay !== undefined && countsDays) validation.warn('InstallmentDay');
  return {
    InstallmentDay: InstallmentDay ?? toDateParts(FirstDueDate ?? start).day,
    ...(FirstDueDate !== undefined && { FirstDueDate }),
    ...(GracePeriodPrincipal !== undefined && { GracePeriodPrincipal }),
    ...(GracePeriodInterest !== undefined && { GracePeriodInterest }),
    ...((GracePeriodInterest ?? 0) > 0 && { GraceType: GeneralData.GraceType ?? undefined }),
  };
}
