/** Reports known fields without effect in a request, so that callers do not rely on them (E5). */

import { monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';
import { findEndDate, type EndDateRules } from '../due-dates/schedule-dates.ts';
import type { InputName } from '../formula/scope.ts';
import { explainsRows } from '../request/answer-shape.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { Validation } from '../request/validation.ts';
import type { DraftTerms } from './loan-terms.ts';
import type { RepaymentTerms } from './repayment-terms.ts';

const SHOWS_NO_RATE = 0;

/** Reports known fields without effect (E5). */
export function reportIgnoredFields(
  request: RepaymentScheduleRequest,
  { compiled, charges, periodicity }: DraftTerms,
  validation: Validation,
): void {
  const { AdvanceAmount, CalculateDAE, ContractPeriod, UpFrontValue } = request;
  const isExpiryRead = compiled?.type.useExpiryDate === true || charges?.hasUnusageFee === true;
  const isRead = (input: InputName): boolean => compiled?.namesRead.has(input) === true;
  const showsRate = CalculateDAE !== SHOWS_NO_RATE && request.LastDueDate === undefined;
  const isUpFrontUsed = showsRate || isRead('UpFrontValue');
  const warnIf = (isIgnored: boolean, path: string): void => {
    if (isIgnored) validation.warn(path);
  };
  const isAdvanceRead = charges?.isOnCreditValue === true || isRead('AdvanceAmount');
  const isPeriodRead = periodicity?.unit !== 'Once' || isRead('ContractPeriod');
  warnIf(AdvanceAmount?.isZero() === false && !isAdvanceRead, 'AdvanceAmount');
  warnIf(ContractPeriod !== undefined && ContractPeriod !== 0 && !isPeriodRead, 'ContractPeriod');
  warnIf(UpFrontValue?.isZero() === false && !isUpFrontUsed, 'UpFrontValue');
  warnIf(request.Currency !== undefined && request.Precision !== undefined, 'Currency');
  warnIf(request.ExpiryDateForOD !== undefined && !isExpiryRead, 'ExpiryDateForOD');
  warnIf(request.Explain === true && !explainsRows(request), 'Explain');
}

interface DateRules extends EndDateRules {
  readonly periodicity?: Periodicity | undefined;
  readonly repayment?: RepaymentTerms | undefined;
}

/** Reports date fields without effect (E5), except ExpiryDateForOD, which charges for unusage may read (F5). */
export function warnIgnoredDateFields(
  request: RepaymentScheduleRequest,
  rules: DateRules,
  validation: Validation,
): void {
  const { periodicity, repayment } = rules;
  const endDate = findEndDate(request, rules);
  const isInAdvance = repayment?.isInAdvance === true;
  // In advance only a residual row is due on the last date of the contract (B7).
  const isEndUsed = !isInAdvance || (repayment.residual > 0 && !repayment.residualInInstallment);
  const findsFirstMonth =
    request.FirstDueDate === undefined &&
    (request.BlockInstallmentNo ?? 0) <= (isInAdvance ? 1 : 0) &&
    periodicity !== undefined &&
    monthsPerPeriod(periodicity) >= 1;
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
  warnIf(
    request.MaturityDate !== undefined && (endDate?.path !== 'MaturityDate' || !isEndUsed),
    'MaturityDate',
  );
}
