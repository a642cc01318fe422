/**
 * The work of a request in units, counted from its fields (E6). A unit is one figure of one row, about a microsecond.
 * Rate limits, the share of a caller and the choice of a thread are based on it, so it has to grow with whatever a
 * caller can send more of; it need not be exact.
 */

import { readChargeInputs } from './charges/charge-input.ts';
import { explainsRows } from './request/answer-shape.ts';
import { MAX_INSTALLMENTS } from './request/field-checks.ts';
import type { RateRequest } from './request/rate-request.ts';
import type { RepaymentScheduleRequest } from './request/repayment-schedule-request.ts';
import type { CompiledScheduleType } from './schedule-types/schedule-type.ts';
import type { ScheduleCatalogue } from './schedule-types/schedule-catalogue.ts';

/** The figures of a row without charges. */
const COLUMNS = 8;
/** An explained figure takes as long as ten others. */
const EXPLAINED = 10;
/** A figure that a formula or an iteration finds takes as long as thirty others. */
const SOLVED = 30;
/** The most work of any request: explanations stop when the reply is full, and all iterations are bounded. */
const MAX_UNITS = 900_000;

/** Units of work that an ordinary server does in a millisecond. */
export const UNITS_PER_MS = 1_000;
/** A request with more units runs in a thread and counts as several calls; 100 calls a second occupy one processor. */
const UNITS_PER_CALL = 10_000;

/** The units of a repayment schedule; with a catalogue, the formulas of its schedule type are included. */
export function scheduleUnits(request: RepaymentScheduleRequest, catalogue?: ScheduleCatalogue): number {
  const early = request.EarlyRepayments?.length ?? 0;
  const bands = request.BandedInterestRates?.length ?? 0;
  // A larger number is refused without a calculation.
  const rows = Math.min(request.InstallmentsNo, MAX_INSTALLMENTS) + early;
  const figures = COLUMNS + readChargeInputs(request).length;
  // The payment is solved again after each prepayment and change of rate, and with bands perhaps in every row (S5).
  const payments = early + (request.MultipleInterestRates?.length ?? 0) + (bands > 0 ? rows / COLUMNS : 0);
  const formulas = countFormulas(catalogue?.findScheduleType(request.ScheduleType));
  const perRow = figures * (explainsRows(request) ? EXPLAINED : 1) + payments + bands + formulas * SOLVED;
  return Math.min(MAX_UNITS, rows * perRow);
}

/** The units of the rate of cash flows with its proof (A6). */
export function rateUnits({ CashFlows, Amounts }: RateRequest): number {
  return ((CashFlows?.length ?? 0) + (Amounts?.length ?? 0)) * SOLVED;
}

/** The units of a simulation with ten offers; most products have fewer. */
export function simulationUnits({
  loanPeriod,
  jsonMultipleInterestRates: rates = [],
}: {
  readonly loanPeriod: number;
  readonly jsonMultipleInterestRates?: readonly unknown[] | undefined;
}): number {
  return Math.min(Math.max(0, loanPeriod), MAX_INSTALLMENTS) * (SOLVED + rates.length);
}

function countFormulas(type: CompiledScheduleType | undefined): number {
  if (type?.hasFormulas !== true) return 0;
  const methods = [type.interest, type.payment, type.principal, ...type.extras.map(({ method }) => method)];
  return methods.filter(({ kind }) => kind === 'Formula').length;
}

/** The number of calls, at least one, as which a request counts in the rate limit (E6). */
export function callsOf(units: number): number {
  return Math.max(1, Math.ceil(units / UNITS_PER_CALL));
}

/** Whether a calculation runs in a thread, so that it does not block the event loop. */
export function needsThread(units: number): boolean {
  return units > UNITS_PER_CALL;
}
