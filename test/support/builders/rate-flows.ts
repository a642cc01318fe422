/** Helpers to write the cash flows of annual rates, and requests for the rates of such flows. */

import type { Decimal } from 'decimal.js';
import { flowAtUnits, type RateFlows } from '../../../shared/lending/annual-rate/rate-flows.ts';
import { calculateRate } from '../../../shared/lending/calculate-rate.ts';
import type { CashFlow, ProvenRate, RateRequest } from '../../../shared/lending/request/rate-request.ts';
import { date, decimal } from './lending-loan.ts';

/** Decimals of effective rates: those that a schedule shows, and those to which a calculated rate is proven. */
export const FOUR_DECIMALS = { percentDecimals: 4, unitsAdded: { numerator: 1n, denominator: 1n } };
export const TEN_DECIMALS = { ...FOUR_DECIMALS, percentDecimals: 10 };

/** A drawdown, and payments whole units of time after it. */
export function flowsAtUnits(
  drawn: number,
  payments: readonly number[],
  units: readonly number[],
  unitsPerYear: number,
): RateFlows {
  const paid = payments.map((payment, index) => flowAtUnits(payment, units[index] ?? 0));
  return { flows: [flowAtUnits(-drawn, 0), ...paid], unitsPerYear };
}

export function flowsByDays(drawn: number, payments: readonly number[], days: readonly number[]): RateFlows {
  return flowsAtUnits(drawn, payments, days, 365);
}

export function monthly(drawn: number, payments: readonly number[]): RateFlows {
  return flowsAtUnits(drawn, payments, countPeriods(payments), 12);
}

export function yearly(drawn: number, payments: readonly number[]): RateFlows {
  return flowsAtUnits(drawn, payments, countPeriods(payments), 1);
}

function countPeriods(payments: readonly number[]): readonly number[] {
  return payments.map((_, index) => index + 1);
}

/** Flows that have exactly these rates per period, in percent: the product of 1 + r - (1 + rate). */
export function flowsOfRates(rates: readonly number[]): RateFlows {
  let product = [-1n];
  for (const rate of rates) {
    const grown = product.map((amount) => -amount * BigInt(100 + rate));
    product = [...product.map((amount) => 100n * amount), 0n].map(
      (amount, index) => amount + (grown[index - 1] ?? 0n),
    );
  }
  return { flows: product.map(flowAtUnits), unitsPerYear: 1 };
}

/** The cash flows of a request with the given dates and amounts. */
export function cashFlows(...dated: readonly (readonly [string, string | number])[]): readonly CashFlow[] {
  return dated.map(([day, amount]) => ({ Date: date(day), Amount: decimal(amount) }));
}

export function amounts(...values: readonly (string | number)[]): readonly Decimal[] {
  return values.map((value) => decimal(value));
}

/** The rate of a request; throws if it cannot be calculated. */
export function rateOf(request: RateRequest): ProvenRate {
  const outcome = calculateRate(request);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}
