/** DAE and EIR of the reference (A1, A2): bisected in floating point, proven with 60 digits. */

import { dateOf, endsMonth, monthsLater, partsOf, type Period } from './dates.ts';
import { Exact, NONE } from './decimal.ts';

const MONTHS_PER_YEAR = 12;
const STEPS_PER_WHOLE = 1_000_000;
/** Above this number of steps a rate has more digits than a floating-point estimate. */
const MAX_STEP = 1e13;
const MAX_HALVINGS = 400;
/** A net present value below this share of the drawn amount does not prove a sign. */
const UNDECIDED = new Exact('1e-30');

/** A time in years: units / perYear + extra / yearDays. */
export interface FlowTime {
  readonly units: number;
  readonly perYear: number;
  readonly extra: number;
  readonly yearDays: number;
}

export interface TimedPayment {
  readonly time: FlowTime;
  readonly amount: number;
}

/** Days over 365 (A2). */
export function daysOver365(start: number, end: number): FlowTime {
  return { units: end - start, perYear: 365, extra: 0, yearDays: 365 };
}

/** The time of a payment by A1: whole units counted back from the payment, and the remaining days. */
export function intervalOf(start: number, end: number, rateUnit: Period['rateUnit']): FlowTime {
  if (rateUnit === 'Weeks') {
    const weeks = Math.floor((end - start) / 7);
    return leftOver(start, end - weeks * 7, { units: weeks, perYear: 52 });
  }
  const months = rateUnit === 'Months' ? 1 : MONTHS_PER_YEAR;
  const perYear = MONTHS_PER_YEAR / months;
  const [y1, m1] = partsOf(start);
  const [y2, m2] = partsOf(end);
  const apart = (y2 - y1) * MONTHS_PER_YEAR + m2 - m1;
  if (endsMonth(start) && endsMonth(end) && apart % months === 0) {
    return { units: apart / months, perYear, extra: 0, yearDays: 365 };
  }
  let units = 0;
  while (monthsLater(end, -(units + 1) * months) >= start) units += 1;
  return leftOver(start, monthsLater(end, -units * months), { units, perYear });
}

function leftOver(start: number, reached: number, whole: { units: number; perYear: number }): FlowTime {
  const [year, month, day] = partsOf(reached);
  const lastYear = month === 1 && day === 29 ? dateOf(year - 1, 1, 28) : dateOf(year - 1, month, day);
  return { ...whole, extra: reached - start, yearDays: reached - lastYear };
}

function yearsOf({ units, perYear, extra, yearDays }: FlowTime): number {
  return units / perYear + extra / yearDays;
}

/** ln(1 + r) by bisection in floating point. */
function estimate(drawn: number, flows: readonly TimedPayment[]): number {
  const presentValue = (log: number) =>
    flows.reduce((sum, { time, amount }) => sum + amount * Math.exp(-log * yearsOf(time)), 0);
  let low = -1;
  let high = 1;
  while (presentValue(low) < drawn && low > -1e4) low *= 2;
  while (presentValue(high) > drawn && high < 700) high *= 2;
  for (let halving = 0; halving < MAX_HALVINGS && high - low > 1e-15; halving += 1) {
    const middle = (low + high) / 2;
    if (presentValue(middle) > drawn) low = middle;
    else high = middle;
  }
  return high;
}

/** The present value of the payments less the drawn amount, for an annual growth factor of 1 + r. */
function netValue(drawn: number, flows: readonly TimedPayment[], growth: Exact): Exact {
  const roots = new Map<number, Exact>();
  const root = (degree: number) => {
    const known = roots.get(degree) ?? growth.pow(new Exact(1).div(degree)).pow(-1);
    roots.set(degree, known);
    return known;
  };
  return flows.reduce((sum, { time, amount }) => {
    const whole = root(time.perYear).pow(time.units);
    const extra = time.extra === 0 ? whole : whole.times(root(time.yearDays).pow(time.extra));
    return sum.plus(extra.times(amount));
  }, NONE.minus(drawn));
}

/** Percent with four decimals; null if nothing was drawn or paid; undefined if this search does not apply. */
export function annualPercent(drawn: number, flows: readonly TimedPayment[]): string | null | undefined {
  const atOnce = flows.filter(({ time }) => yearsOf(time) === 0);
  if (atOnce.length > 0) {
    const paid = atOnce.reduce((sum, { amount }) => sum + amount, 0);
    return annualPercent(
      drawn - paid,
      flows.filter((flow) => !atOnce.includes(flow)),
    );
  }
  if (drawn <= 0 || flows.every(({ amount }) => amount === 0)) return null;
  if (flows.some(({ amount, time }) => amount < 0 || yearsOf(time) <= 0)) return undefined;
  let step = Math.round(Math.expm1(estimate(drawn, flows)) * STEPS_PER_WHOLE);
  if (!(Math.abs(step) < MAX_STEP) || step <= 1 - STEPS_PER_WHOLE) return undefined;
  const sideOf = (boundary: number) => {
    const net = netValue(drawn, flows, new Exact(boundary).div(STEPS_PER_WHOLE).plus(1)).div(drawn);
    return net.abs().lt(UNDECIDED) ? 0 : net.cmp(0);
  };
  for (let turn = 0; turn < MAX_HALVINGS; turn += 1) {
    const below = sideOf(step - 0.5);
    const above = sideOf(step + 0.5);
    if (below === 0 || above === 0) return undefined;
    if (below > 0 && above < 0) return new Exact(step + 0).div(STEPS_PER_WHOLE / 100).toFixed(4);
    step += above > 0 ? 1 : -1;
  }
  return undefined;
}
