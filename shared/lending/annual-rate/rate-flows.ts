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

/** The flows with amounts at the same time added up and zeros removed; the same object if there are none of these. */
export function mergeFlows(rateFlows: RateFlows): RateFlows {
  const { flows, unitsPerYear } = rateFlows;
  if (flows.every(({ amount }, at) => Number(amount) !== 0 && !isSameTime(flows, at))) return rateFlows;
  const merged: RateFlow[] = [];
  for (const [at, flow] of flows.entries()) {
    const before = merged.at(-1);
    if (before === undefined || !isSameTime(flows, at)) merged.push(flow);
    else merged[merged.length - 1] = { ...before, amount: BigInt(before.amount) + BigInt(flow.amount) };
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
