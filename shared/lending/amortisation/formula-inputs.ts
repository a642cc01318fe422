/** The named inputs of formulas that are the same in every row of a schedule (S2). */

import type { Decimal } from 'decimal.js';
import { SLOTS } from '../formula/formula-scope.ts';
import type { FormulaValue } from '../formula/formula-values.ts';
import type { LoanTerms } from '../terms/loan-terms.ts';
import { monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

const MONTHS_PER_YEAR = 12;
const WEEKS_PER_YEAR = 52;
const DAYS_PER_YEAR = 365;

/** Slots with their values, money in major units; what a request leaves out stays zero. */
export function formulaInputsOf(
  request: RepaymentScheduleRequest,
  { periodicity, installmentsNo }: LoanTerms,
): readonly (readonly [slot: number, value: FormulaValue])[] {
  return [
    [SLOTS.Amount, valueOf(request.Amount)],
    [SLOTS.InstallmentsNo, { numerator: BigInt(installmentsNo), denominator: 1n }],
    [SLOTS.ResidualValue, valueOf(request.ResidualValue)],
    [SLOTS.CapitalPercent, valueOf(request.CapitalPercent)],
    [SLOTS.UnusedAmount, valueOf(request.UnusedAmount)],
    [SLOTS.AdvanceAmount, valueOf(request.AdvanceAmount)],
    [SLOTS.UpFrontValue, valueOf(request.UpFrontValue)],
    [SLOTS.LockedInstallment, valueOf(request.installmentValue)],
    [SLOTS.LockedPrincipal, valueOf(request.principalValue)],
    [SLOTS.PeriodsPerYear, periodsPerYear(periodicity)],
  ];
}

function valueOf(sent: Decimal | undefined): FormulaValue {
  if (sent === undefined) return { numerator: 0n, denominator: 1n };
  const digits = Math.max(0, sent.decimalPlaces());
  return { numerator: BigInt(sent.toFixed(digits).replace('.', '')), denominator: 10n ** BigInt(digits) };
}

function periodsPerYear(periodicity: Periodicity): FormulaValue {
  const perYear = { Days: DAYS_PER_YEAR, Weeks: WEEKS_PER_YEAR, Months: MONTHS_PER_YEAR, Years: 1, Once: 1 };
  const months = monthsPerPeriod(periodicity);
  if (months > 0) return { numerator: BigInt(MONTHS_PER_YEAR), denominator: BigInt(months) };
  const count = Math.max(1, periodicity.count);
  return { numerator: BigInt(perYear[periodicity.unit]), denominator: BigInt(count) };
}
