/** Flows other than zero with their times, the first of them drawn, as a survey of their rates reads them (A4). */

import { yearsOfPayments, type FlowFactors } from './flow-factors.ts';
import type { RateFlows } from './rate-flows.ts';

/** Amounts gained (above zero) and lost with their years after the start, ascending in time. */
export interface SignedFlows {
  readonly amounts: readonly number[];
  readonly years: readonly number[];
}

/** Amounts as whole numbers, and years as quotients of whole numbers. */
export interface ExactFlow {
  readonly amount: bigint;
  readonly time: bigint;
  readonly perYear: bigint;
}

/** The flows in binary floating point. */
export function signedFlows(factors: FlowFactors): SignedFlows {
  const amounts: number[] = [];
  const years: number[] = [];
  const times = yearsOfPayments(factors);
  const add = (amount: number, time: number): void => {
    if (amount === 0) return;
    amounts.push(amount);
    years.push(time);
  };
  add(-factors.drawn, 0);
  for (const [index, amount] of factors.amounts.entries()) add(amount, times[index] ?? 0);
  return { amounts, years };
}

/** The flows in whole numbers. */
export function exactFlows(flows: RateFlows): readonly ExactFlow[] {
  const exact: ExactFlow[] = [];
  const perYear = BigInt(flows.unitsPerYear);
  if (BigInt(flows.drawn) !== 0n) exact.push({ amount: -BigInt(flows.drawn), time: 0n, perYear });
  for (const [index, payment] of flows.payments.entries()) {
    const amount = BigInt(payment);
    if (amount === 0n) continue;
    const units = BigInt(flows.wholeUnits[index] ?? 0);
    const days = BigInt(flows.extraDays[index] ?? 0);
    const yearDays = BigInt(flows.yearDays[index] ?? 1);
    if (days === 0n) exact.push({ amount, time: units, perYear });
    else exact.push({ amount, time: units * yearDays + days * perYear, perYear: perYear * yearDays });
  }
  return exact;
}
