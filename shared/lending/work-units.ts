/**
 * Estimates the work of a request in units, from its fields (E6). A unit is one figure of one row, about a microsecond.
 * Rate limits, the share of each caller and the choice of a thread depend on the estimate. It need not be exact, but it
 * must grow with every number and list that makes a calculation longer.
 */

import { readChargeInputs } from './charges/charge-input.ts';
import { explainsRows } from './request/answer-shape.ts';
import { MAX_INSTALLMENTS } from './request/field-checks.ts';
import type { RateRequest } from './request/rate-request.ts';
import type { RepaymentScheduleRequest } from './request/repayment-schedule-request.ts';
import type { CompiledScheduleType } from './schedule-types/schedule-type.ts';
import type { ScheduleCatalogue } from './schedule-types/schedule-catalogue.ts';

/** Number of figures in a row without charges. */
const COLUMNS = 8;
/** A figure with an explanation takes as long as ten without. */
const EXPLAINED = 10;
/** A figure calculated by a formula or an iteration takes as long as thirty others. */
const SOLVED = 30;
/** The most work of a schedule: explanations stop when the reply is full, and all iterations are bounded. */
const MAX_UNITS = 900_000;

/** Units of work that an ordinary server does in a millisecond. */
export const UNITS_PER_MS = 1_000;
/** A request with more units runs in a thread and counts as several calls; 100 calls a second occupy one processor. */
const UNITS_PER_CALL = 10_000;

/** Units of a repayment schedule. Formulas of its schedule type are counted only if the catalogue is given. */
export function scheduleUnits(request: RepaymentScheduleRequest, catalogue?: ScheduleCatalogue): number {
  const early = request.EarlyRepayments?.length ?? 0;
  const bands = request.BandedInterestRates?.length ?? 0;
  // A larger InstallmentsNo is refused without a calculation.
  const rows = Math.min(request.InstallmentsNo, MAX_INSTALLMENTS) + early;
  const figures = COLUMNS + readChargeInputs(request).length;
  // The payment is solved again after each prepayment and change of rate; with bands, perhaps in every row (S5).
  const payments = early + (request.MultipleInterestRates?.length ?? 0) + (bands > 0 ? rows / COLUMNS : 0);
  const formulas = countFormulas(catalogue?.findScheduleType(request.ScheduleType));
  const perRow = figures * (explainsRows(request) ? EXPLAINED : 1) + payments + bands + formulas * SOLVED;
  return Math.min(MAX_UNITS, rows * perRow);
}

/** Units of the rate of cash flows, including its proof (A6). */
export function rateUnits({ CashFlows, Amounts }: RateRequest): number {
  return ((CashFlows?.length ?? 0) + (Amounts?.length ?? 0)) * SOLVED;
}

/** Units of a simulation of ten offers, which is more than most products have. An annual rate takes half of the rest. */
export function simulationUnits({
  loanPeriod,
  jsonMultipleInterestRates: rates = [],
  Offer,
  Explain,
}: {
  readonly loanPeriod: number;
  readonly jsonMultipleInterestRates?: readonly unknown[] | undefined;
  readonly Offer?: boolean | undefined;
  readonly Explain?: boolean | undefined;
}): number {
  const offer = Offer === true ? SOLVED / 2 : 0;
  const perRow = SOLVED + rates.length + (Explain === true ? 2 : 1) * offer;
  return Math.min(Math.max(0, loanPeriod), MAX_INSTALLMENTS) * perRow;
}

function countFormulas(type: CompiledScheduleType | undefined): number {
  if (type?.hasFormulas !== true) return 0;
  const methods = [type.interest, type.payment, type.principal, ...type.extras.map(({ method }) => method)];
  return methods.filter(({ kind }) => kind === 'Formula').length;
}

/** Number of calls, at least one, that the rate limit counts for a request of these units (E6). */
export function callsOf(units: number): number {
  return Math.max(1, Math.ceil(units / UNITS_PER_CALL));
}

/** Whether a calculation runs in a thread, so that it does not block the event loop. */
export function needsThread(units: number): boolean {
  return units > UNITS_PER_CALL;
}
