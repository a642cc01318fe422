/** The repayment schedule of a request: one pure function from members to rows and rates. */

import { assertNever } from './assert-never.ts';
import { amortiseByEqualInstallments, amortiseByEqualPrincipal } from './amortisation.ts';
import type { AnswerShape } from './answer-shape.ts';
import type { CalendarDate } from './calendar-date.ts';
import { checkMembers } from './check-members.ts';
import { dayCountDenominator, dayCountNumerator } from './day-count.ts';
import type { DueDates } from './due-dates.ts';
import { effectiveAnnualRate } from './effective-annual-rate.ts';
import { effectiveInterestRate } from './effective-interest-rate.ts';
import { growthNumerator, interestAccrual, type InterestAccrual } from './interest-accrual.ts';
import { completeTerms, MOST_INSTALLMENTS, type LoanTerms } from './loan-terms.ts';
import { LARGEST_FIGURE_MINOR } from './money.ts';
import { Findings } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';
import type { ScheduleOutcome, ScheduleRow } from './repayment-schedule.ts';
import { scheduleDatesOf } from './schedule-dates.ts';
import { scheduleRowsOf } from './schedule-rows.ts';

/** What a calculation knows besides the request. */
export interface ScheduleContext {
  /** UTC day of the request message's own timestamp, so that a replay gives the same answer (D2). */
  readonly requestDay: CalendarDate;
  /** Most rows that the caller can carry; default {@link MOST_INSTALLMENTS}. */
  readonly maxRows?: number;
}

/** The rates that an answer shows. */
interface CalculatedRates {
  readonly dae?: string | null;
  readonly eir?: string | null;
}

/**
 * Calculates a repayment schedule. Never throws for bad input: a request that cannot be calculated is refused with
 * every fault that was found (E1, E3). Rows hold minor units, rates are percent text with four decimals.
 */
export function calculateRepaymentSchedule(
  request: RepaymentScheduleRequest,
  context: ScheduleContext,
): ScheduleOutcome {
  const findings = new Findings();
  const { shape, draft } = checkMembers(request, context.maxRows ?? MOST_INSTALLMENTS, findings);
  const dates = scheduleDatesOf(request, { ...draft, requestDay: context.requestDay }, findings);
  const terms = completeTerms(draft);
  if (terms === undefined || dates === undefined || shape === undefined) {
    return { kind: 'refused', faults: findings.faults };
  }
  const accrual = accrualOf(terms, dates);
  checkFigures(terms, accrual, findings);
  if (findings.faults.length > 0) return { kind: 'refused', faults: findings.faults };
  const amortise = terms.scheduleType.isWithEqualInstallments
    ? amortiseByEqualInstallments
    : amortiseByEqualPrincipal;
  const rows = scheduleRowsOf(terms.amount, dates, amortise(terms.amount, accrual));
  return {
    kind: 'schedule',
    ...shape,
    currencyDigits: terms.currencyDigits,
    scheduleTypeId: terms.scheduleType.id,
    startDate: dates.startDate,
    rows,
    ...ratesOf(shape, terms, dates, rows),
    warnings: findings.warnings,
  };
}

function accrualOf(terms: LoanTerms, dates: DueDates): InterestAccrual {
  const lastRow = dates.dueDates.length - 1;
  const counts: number[] = [];
  let from = dates.startDate;
  for (const [row, to] of dates.dueDates.entries()) {
    const regularMonths = dates.regularMonths[row] ?? 0;
    counts.push(
      dayCountNumerator(terms.dayCount, { from, to, regularMonths, endsOnTermination: row === lastRow }),
    );
    from = to;
  }
  const denominator = dayCountDenominator(terms.dayCount);
  return interestAccrual(terms.annualRate, counts, denominator, terms.scheduleType.rounding);
}

/**
 * A negative rate must leave something of the balance in every period (R3). No figure of a row exceeds the amount
 * grown over one period, the bound of both the interest and the level payment.
 */
function checkFigures(terms: LoanTerms, accrual: InterestAccrual, findings: Findings): void {
  const one = accrual.perCount.denominator;
  let greatest = one;
  let least = one;
  for (let row = 0; row < accrual.counts.length; row += 1) {
    const growth = growthNumerator(accrual, row);
    if (growth > greatest) greatest = growth;
    if (growth < least) least = growth;
  }
  if (least <= 0n) {
    findings.refuse('InterestPercent', 'rate-too-low', 'must leave something of the balance in every period');
  }
  if (BigInt(terms.amount) * greatest > BigInt(LARGEST_FIGURE_MINOR) * one) {
    findings.refuse(
      'Amount',
      'amount-too-large',
      'must be smaller: with the interest of one period it is beyond what can be calculated with',
    );
  }
}

function ratesOf(
  shape: AnswerShape,
  terms: LoanTerms,
  dates: DueDates,
  rows: readonly ScheduleRow[],
): CalculatedRates {
  const loan = { startDate: dates.startDate, drawn: terms.amount - terms.upFront, rows };
  switch (shape.show) {
    case 'rows':
      return {};
    case 'dae':
    case 'rows-with-dae':
      return { dae: effectiveAnnualRate(loan, terms.periodicity) };
    case 'rows-with-eir':
      return { eir: effectiveInterestRate(loan) };
    default:
      return assertNever(shape.show);
  }
}
