/** Calculates the rate of cash flows and its proof (A6), so that a rate disclosed to a consumer can be verified. */

import {
  isBeforeStart,
  parseCashFlowTerms,
  type CashFlowTerms,
  type TimedFlow,
} from './annual-rate/cash-flow-terms.ts';
import type { RateFlows } from './annual-rate/rate-flows.ts';
import { proveRate } from './annual-rate/discounted-flows.ts';
import { solveRate } from './annual-rate/proven-rate.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from './dates/periodicity.ts';
import { scaleToInteger } from './numbers/money.ts';
import type { RateOutcome, RateRequest } from './request/rate-request.ts';
import { Validation } from './request/validation.ts';

const PERCENT_DECIMALS = 10;

/** Never throws: an invalid request is refused with its faults (E1, E3). The rate is null if none is found (A4). */
export function calculateRate(
  request: RateRequest,
  periodicities: readonly Periodicity[] = BUILT_IN_PERIODICITIES,
): RateOutcome {
  const validation = new Validation();
  const terms = parseCashFlowTerms(request, periodicities, validation);
  const { faults, warnings } = validation;
  if (terms === undefined || faults.length > 0) return { kind: 'refused', faults };
  const scale = { percentDecimals: PERCENT_DECIMALS, unitsAdded: terms.periodsPerYear };
  const rate = solveRate(sortFlows(terms), scale).percent;
  if (rate === null) return { kind: 'rate', rate, proof: [], residual: null, warnings };
  return { kind: 'rate', rate, ...proveRate(terms, rate), warnings };
}

/** Returns the flows other than zero in order of time, with their amounts scaled to whole numbers. */
function sortFlows(terms: CashFlowTerms): RateFlows {
  const others = terms.flows.filter(({ amount }) => !amount.isZero());
  const flows = moveAfterStart({ ...terms, flows: others }).toSorted(compareTimes);
  const decimals = Math.max(...flows.map((flow) => flow.amount.decimalPlaces()));
  return {
    flows: flows.map((flow) => ({ ...flow, amount: scaleToInteger(flow.amount, decimals) })),
    unitsPerYear: terms.unitsPerYear,
  };
}

/** Moves all flows by the same time, so that none is before time 0. The rate and each `yearDays` stay the same. */
function moveAfterStart({ flows, unitsPerYear }: CashFlowTerms): readonly TimedFlow[] {
  if (!flows.some(isBeforeStart)) return flows;
  const least = flows.reduce((units, flow) => Math.min(units, flow.wholeUnits), 0);
  return flows.map((flow) => {
    const wholeUnits = flow.wholeUnits - least;
    return isBeforeStart(flow)
      ? { ...flow, wholeUnits, extraDays: flow.yearDays + flow.extraDays }
      : { ...flow, wholeUnits: wholeUnits + unitsPerYear };
  });
}

function compareTimes(a: TimedFlow, b: TimedFlow): number {
  return a.wholeUnits - b.wholeUnits || a.extraDays / a.yearDays - b.extraDays / b.yearDays;
}
