/** Cash flows for annual rates: amounts with their times. */

import type { RateInterval } from './time-between-flows.ts';

/** A flow at the time wholeUnits / unitsPerYear + extraDays / yearDays, in years after time 0. */
export interface RateFlow extends RateInterval {
  /** Negative if paid out. A whole number of minor units, or of a smaller unit. */
  readonly amount: number | bigint;
}

/** Flows in order of time, none before time 0; their whole units never decrease. */
export interface RateFlows {
  readonly flows: readonly RateFlow[];
  readonly unitsPerYear: number;
}

/** A flow without left-over days. */
export function flowAtUnits<Amount>(amount: Amount, wholeUnits: number) {
  return { amount, wholeUnits, extraDays: 0, yearDays: 1 };
}

/** Adds up amounts at the same time and removes zeros; returns the same object if there is nothing to do. */
export function mergeFlows(rateFlows: RateFlows): RateFlows {
  const { flows, unitsPerYear } = rateFlows;
  if (flows.every(({ amount }, at) => Number(amount) !== 0 && !isSameTime(flows, at))) return rateFlows;
  const merged: RateFlow[] = [];
  for (const [at, flow] of flows.entries()) {
    const before = isSameTime(flows, at) ? merged.pop() : undefined;
    if (before === undefined) merged.push(flow);
    else merged.push({ ...before, amount: BigInt(before.amount) + BigInt(flow.amount) });
  }
  return { flows: merged.filter(({ amount }) => Number(amount) !== 0), unitsPerYear };
}

function isSameTime(flows: readonly RateFlow[], at: number): boolean {
  const [before, flow] = [flows[at - 1], flows[at]];
  if (before === undefined || flow === undefined) return false;
  if (flow.wholeUnits !== before.wholeUnits || flow.extraDays !== before.extraDays) return false;
  return flow.extraDays === 0 || flow.yearDays === before.yearDays;
}

export function hasExtraDays({ flows }: RateFlows): boolean {
  return flows.some(({ extraDays }) => extraDays !== 0);
}
