/** Builders of commissions and insurances, and the amounts that the given rows collect. */

import { addMonths, type CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import {
  parseChargeTerms,
  type ChargeContext,
  type ChargeRules,
} from '../../../shared/lending/charges/charge-terms.ts';
import { collectRowCharges, type ChargedFigures } from '../../../shared/lending/charges/charge-amounts.ts';
import type { DayCountName } from '../../../shared/lending/dates/day-count.ts';
import { BUILT_IN_PERIODICITIES } from '../../../shared/lending/dates/periodicity.ts';
import {
  refuseLateCharges,
  refuseTooLargeCharges,
  scheduleCharges,
  type ChargeSchedule,
} from '../../../shared/lending/charges/schedule-charges.ts';
import { Validation } from '../../../shared/lending/request/validation.ts';
import type {
  CommissionItem,
  InsuranceItem,
  RepaymentScheduleRequest,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import { date, decimal, loan } from './lending-loan.ts';

/** A monthly fee of 5.00 from 1 January 2025, with changes. */
export function fee(changes: Partial<CommissionItem> = {}): CommissionItem {
  const price = changes.SourcePercent === undefined ? { SourceValue: decimal(5) } : {};
  return {
    ...price,
    FeePeriodicityType: 'Monthly',
    FeeDate: date('2025-01-01'),
    FeeName: 'Account fee',
    ...changes,
  };
}

/** An annual premium of 60.00 from 1 January 2025, with changes. */
export function premium(changes: Partial<InsuranceItem> = {}): InsuranceItem {
  const price = changes.SourcePercent === undefined ? { SourceValue: decimal(60) } : {};
  return {
    ...price,
    InsurancePeriodicityType: 'Annual',
    InsuranceDate: date('2025-01-01'),
    InsuranceName: 'Life',
    ...changes,
  };
}

/** The charge rules of a schedule type without settings for charges, with changes. */
export function chargeRules(changes: Partial<ChargeRules> = {}): ChargeRules {
  const steps = (['interest', 'payment', 'principal', 'charges'] as const).map((kind) => ({ kind }));
  const upfront = { fees: false, insurances: false, byFee: new Map(), byInsuranceClass: new Map() };
  const namesRead = new Set<string>();
  return { type: { acceptsCharges: true }, extras: [], steps, upfront, namesRead, ...changes };
}

/** The default context of charges, with changes. */
export function chargeContext(changes: Partial<ChargeContext> = {}): ChargeContext {
  const validation = new Validation();
  return { validation, digits: 2, periodicities: BUILT_IN_PERIODICITIES, rules: chargeRules(), ...changes };
}

/** Regular monthly rows from a start. */
export function monthlyRows(start: string, rows: number): ChargeSchedule {
  const from = date(start);
  return rowsOn(
    from,
    Array.from({ length: rows }, (_, row) => addMonths(from, row + 1)),
  );
}

const CREDIT = { amount: 100_000, creditValue: 125_000 };

/** Rows with the given due dates; amount 1000.00, 30/360. */
export function rowsOn(start: CalendarDate, dueDates: readonly CalendarDate[]): ChargeSchedule {
  const dates = {
    accrualStart: start,
    accrualDates: dueDates,
    dueDates,
    regularMonths: dueDates.map(() => 1),
    rowCount: dueDates.length,
    settledRows: 0,
    termEnd: undefined,
  };
  const dayCount: DayCountName = '30/360';
  return { dates, start, isRecalculation: false, dayCount, ...CREDIT, rounding: 'HALF_UP' };
}

export function scheduleOn(
  schedule: ChargeSchedule,
  changes: Partial<RepaymentScheduleRequest>,
  context: Partial<ChargeContext> = {},
) {
  const validation = new Validation();
  const terms = parseChargeTerms(loan(changes), chargeContext({ ...context, validation }));
  const lastDueDate = schedule.dates.dueDates[schedule.dates.rowCount - 1];
  if (lastDueDate !== undefined) refuseLateCharges(loan(changes), lastDueDate, validation);
  const scheduled = terms === undefined ? undefined : scheduleCharges(terms, schedule, validation);
  return { scheduled, validation };
}

/** Figures of a row: 1000.00 outstanding, 10.00 interest, 246.28 principal. */
export const FIGURES: ChargedFigures = { remaining: 100_000, interest: 1000, principal: 24_628 };

function collector(name: 'managementFee' | 'insurance') {
  return (
    schedule: ChargeSchedule,
    changes: Partial<RepaymentScheduleRequest>,
    figures: ChargedFigures = FIGURES,
  ): readonly number[] => {
    const { scheduled, validation } = scheduleOn(schedule, changes);
    if (scheduled === undefined) throw new Error(JSON.stringify(validation.faults));
    const sums = schedule.dates.dueDates
      .slice(0, schedule.dates.rowCount)
      .map((_, row) => collectRowCharges(scheduled, row, figures)[name]);
    refuseTooLargeCharges(scheduled, validation);
    if (validation.faults.length > 0) throw new Error(JSON.stringify(validation.faults));
    return sums;
  };
}

/** Commissions of every row in minor units; the charges must be valid. */
export const feesOn = collector('managementFee');
export const premiumsOn = collector('insurance');

/** Numbers of the rows that have an amount. */
export function rowsWith(amounts: readonly number[]): readonly number[] {
  return amounts.flatMap((amount, row) => (amount === 0 ? [] : row + 1));
}

/** Faults of the charges on four monthly rows, as `path code status`. */
export function chargeFaults(
  changes: Partial<RepaymentScheduleRequest>,
  context: Partial<ChargeContext> = {},
): readonly string[] {
  const { validation } = scheduleOn(monthlyRows('2025-01-01', 4), changes, context);
  return validation.faults.map(({ path, code, status }) => `${path} ${code} ${status}`);
}

export function chargeWarnings(
  changes: Partial<RepaymentScheduleRequest>,
  context: Partial<ChargeContext> = {},
): readonly string[] {
  const { validation } = scheduleOn(monthlyRows('2025-01-01', 4), changes, context);
  if (validation.faults.length > 0) throw new Error(JSON.stringify(validation.faults));
  return validation.warnings.map(({ path, code }) => `${path} ${code}`);
}
