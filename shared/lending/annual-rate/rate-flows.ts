/** Cash flows for annual rates: amounts with their times after the first one. */

import type { RateInterval } from './rate-interval.ts';

/** A flow wholeUnits / unitsPerYear + extraDays / yearDays years after the first one. */
export interface RateFlow extends RateInterval {
  /** Negative if paid out; a whole number of minor units, or of a smaller unit. */
  readonly amount: number | bigint;
}

/** Flows in order of time, the first at time 0. Their whole units never decrease. */
export interface RateFlows {
  readonly flows: readonly RateFlow[];
  readonly unitsPerYear: number;
}

export function flowAtUnits<Amount>(amount: Amount, wholeUnits: number) {
  return { amount, wholeUnits, extraDays: 0, yearDays: 1 };
}

/** The flows with amounts at the same time added up and zeros removed. */
export function mergeFlows({ flows, unitsPerYear }: RateFlows): RateFlows {
  const merged: RateFlow[] = [];
  for (const flow of flows) {
    const before = merged.at(-1);
    if (before === undefined || !isSameTime(flow, before)) merged.push(flow);
    else merged[merged.length - 1] = { ...before, amount: BigInt(before.amount) + BigInt(flow.amount) };
  }
  return { flows: merged.filter(({ amount }) => Number(amount) !== 0), unitsPerYear };
}

function isSameTime({ wholeUnits, extraDays, yearDays }: RateFlow, before: RateFlow): boolean {
  if (wholeUnits !== before.wholeUnits || extraDays !== before.extraDays) return false;
  return extraDays === 0 || yearDays === before.yearDays;
}

export function hasExtraDays({ flows }: RateFlows): boolean {
  return flows.some(({ extraDays }) => extraDays !== 0);
}
