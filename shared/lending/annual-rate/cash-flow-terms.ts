/** What a rate request means, after every member was checked (A6). */

import type { Decimal } from 'decimal.js';
import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { exactRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { periodsPerYear } from './internal-rate-of-return.ts';
import { checkName } from '../request/member-checks.ts';
import { findPeriodicity, type Periodicity } from '../dates/periodicity.ts';
import {
  intervalsFrom,
  UNITS_PER_YEAR,
  unitsInYear,
  type IntervalUnit,
  type RateInterval,
} from './rate-interval.ts';
import type { CashFlow, RateRequest } from '../request/rate-request.ts';
import type { Findings } from '../request/refusal.ts';

const RULES = ['DAE', 'XIRR', 'IRR'] as const;
type RateRule = (typeof RULES)[number];
const INTERVAL_UNITS = ['Years', 'Months', 'Weeks', 'Days'] as const;

/** Most flows of a request: more than any schedule has, few enough to answer at once. */
export const MOST_CASH_FLOWS = 5_000;
const FEWEST_CASH_FLOWS = 2;
/** Largest amount of a flow, either sign. */
export const LARGEST_CASH_FLOW = 1e15;
/** Decimals of an amount: more than any currency has, few enough to bound the work of exact numbers. */
const MOST_DECIMALS = 18;

/**
 * A flow with its time after time 0: wholeUnits / unitsPerYear + extraDays / yearDays years. Of a flow before time 0
 * both are zero or less.
 */
export interface TimedFlow extends RateInterval {
  /** Null where flows have no dates. */
  readonly date: CalendarDate | null;
  readonly amount: Decimal;
}

/** True of a flow before time 0. */
export function isBeforeStart({ wholeUnits, extraDays }: TimedFlow): boolean {
  return wholeUnits < 0 || extraDays < 0;
}

/** What is to be solved. */
export interface RateTerms {
  /** In the order of the request. */
  readonly flows: readonly TimedFlow[];
  readonly unitsPerYear: number;
  /** Periods in a year of an IRR, whose periodic rates are added (A3); 1 for the effective rates. */
  readonly periodsPerYear: ExactRatio;
}

const ONE = exactRatio(1n, 1n);

/** The terms of a request; undefined after a fault. Members without effect are reported (E5). */
export function checkRateRequest(
  request: RateRequest,
  periodicities: readonly Periodicity[],
  findings: Findings,
): RateTerms | undefined {
  const rule = checkName(findings, 'Rule', request.Rule, RULES);
  const unit = checkName(findings, 'Unit', request.Unit, INTERVAL_UNITS) ?? 'Months';
  if (rule === undefined) return undefined;
  if (rule !== 'DAE' && request.Unit !== undefined) findings.warn('Unit');
  excludeMembers(request, rule, findings);
  if (rule === 'IRR') return checkedAmounts(request, periodicities, findings);
  const flows = checkedCashFlows(request, rule, findings);
  if (flows === undefined) return undefined;
  const { cashFlows, start } = flows;
  if (rule === 'XIRR') return { ...dailyFlows(cashFlows, start), periodsPerYear: ONE };
  const intervalUnit = unit === 'Days' ? 'Years' : unit;
  const intervalTo = intervalsFrom(start, intervalUnit);
  return {
    flows: cashFlows.map(({ Date: date, Amount: amount }) => {
      const interval = date < start ? intervalBefore(start, date, intervalUnit) : intervalTo(date);
      return { date, amount, ...interval };
    }),
    unitsPerYear: UNITS_PER_YEAR[intervalUnit],
    periodsPerYear: ONE,
  };
}

/** A cost paid before the first drawdown: the interval between both dates (A1), counted back from time 0 (A6). */
function intervalBefore(start: CalendarDate, date: CalendarDate, unit: IntervalUnit): RateInterval {
  const { wholeUnits, extraDays, yearDays } = intervalsFrom(date, unit)(start);
  return { wholeUnits: 0 - wholeUnits, extraDays: 0 - extraDays, yearDays };
}

function dailyFlows(
  cashFlows: readonly CashFlow[],
  start: CalendarDate,
): Pick<RateTerms, 'flows' | 'unitsPerYear'> {
  const flows = cashFlows.map((flow) => ({
    date: flow.Date,
    amount: flow.Amount,
    wholeUnits: flow.Date - start,
    extraDays: 0,
    yearDays: 1,
  }));
  return { flows, unitsPerYear: unitsInYear('Days') };
}

/** Members of the other rules contradict the rule (E1). */
function excludeMembers(request: RateRequest, rule: RateRule, findings: Findings): void {
  if (rule === 'IRR') {
    if (request.CashFlows !== undefined) {
      findings.contradict('CashFlows', 'must be left out with rule IRR, which reads Amounts');
    }
    return;
  }
  for (const member of ['PeriodicityType', 'Amounts'] as const) {
    if (request[member] === undefined) continue;
    findings.contradict(member, `must be left out with rule ${rule}, which reads CashFlows`);
  }
}

/** Equal periods from time 0, which has to be paid out. */
function checkedAmounts(
  request: RateRequest,
  periodicities: readonly Periodicity[],
  findings: Findings,
): RateTerms | undefined {
  const perYear = checkedPeriodicity(request, periodicities, findings);
  const amounts = request.Amounts;
  if (amounts === undefined) {
    findings.missing('Amounts', 'is missing; must hold the flows from time 0 with rule IRR');
    return undefined;
  }
  const paths = amounts.map((_, index) => `Amounts[${index}]`);
  if (!areAmounts(findings, 'Amounts', amounts, paths)) return undefined;
  if (amounts[0]?.isNegative() !== true || amounts[0].isZero()) {
    findings.refuse('Amounts[0]', 'out-of-range', 'must be less than zero: the flow at time 0 is paid out');
    return undefined;
  }
  if (perYear === undefined) return undefined;
  const flows = amounts.map((amount, period) => ({
    date: null,
    amount,
    wholeUnits: period,
    extraDays: 0,
    yearDays: 1,
  }));
  return { flows, unitsPerYear: 1, periodsPerYear: perYear };
}

function checkedPeriodicity(
  request: RateRequest,
  periodicities: readonly Periodicity[],
  findings: Findings,
): ExactRatio | undefined {
  if (request.PeriodicityType === undefined) {
    findings.missing('PeriodicityType', 'is missing; must name the periods between Amounts with rule IRR');
    return undefined;
  }
  const periodicity = findPeriodicity(request.PeriodicityType, periodicities);
  const perYear = periodicity === undefined ? undefined : periodsPerYear(periodicity);
  if (perYear === undefined) {
    const allowed = periodicities.filter((known) => periodsPerYear(known) !== undefined);
    const code = periodicity === undefined ? 'unknown-periodicity' : 'not-allowed';
    const names = allowed.map((known) => known.name).join(', ');
    findings.refuse('PeriodicityType', code, `must be one of ${names}`);
  }
  return perYear;
}

/**
 * Dated flows and time 0, the date of the first one that is paid out. A DAE counts costs that are paid before it; XIRR
 * has no earlier flows (A6).
 */
function checkedCashFlows(
  request: RateRequest,
  rule: RateRule,
  findings: Findings,
): { readonly cashFlows: readonly CashFlow[]; readonly start: CalendarDate } | undefined {
  const cashFlows = request.CashFlows;
  if (cashFlows === undefined) {
    findings.missing('CashFlows', `is missing; must hold the dated flows with rule ${rule}`);
    return undefined;
  }
  const amounts = cashFlows.map((flow) => flow.Amount);
  const paths = cashFlows.map((_, index) => `CashFlows[${index}].Amount`);
  if (!areAmounts(findings, 'CashFlows', amounts, paths)) return undefined;
  let first: CalendarDate | undefined;
  for (const flow of cashFlows) {
    if (flow.Amount.lessThan(0) && (first === undefined || flow.Date < first)) first = flow.Date;
  }
  if (first === undefined) return undefined;
  const start = first;
  for (const [index, flow] of cashFlows.entries()) {
    if (flow.Date >= start || rule === 'DAE') continue;
    const allowed = `must be ${formatCalendarDate(start)} or later, when the first flow is paid out; only rule DAE counts earlier ones`;
    findings.refuse(`CashFlows[${index}].Date`, 'date-order', allowed);
  }
  return findings.faults.length > 0 ? undefined : { cashFlows, start };
}

/** True when there are enough amounts, each within the limits, and of both signs. */
function areAmounts(
  findings: Findings,
  listPath: string,
  amounts: readonly Decimal[],
  paths: readonly string[],
): boolean {
  const faultsBefore = findings.faults.length;
  if (amounts.length < FEWEST_CASH_FLOWS || amounts.length > MOST_CASH_FLOWS) {
    const allowed = `must hold from ${FEWEST_CASH_FLOWS} to ${MOST_CASH_FLOWS} flows`;
    findings.refuse(listPath, 'out-of-range', allowed);
    return false;
  }
  for (const [index, amount] of amounts.entries()) {
    const path = paths[index] ?? listPath;
    if (!amount.isFinite() || amount.abs().greaterThan(LARGEST_CASH_FLOW)) {
      findings.refuse(path, 'amount-too-large', `must be from -${LARGEST_CASH_FLOW} to ${LARGEST_CASH_FLOW}`);
    } else if (amount.decimalPlaces() > MOST_DECIMALS) {
      findings.refuse(path, 'too-many-decimals', `must have at most ${MOST_DECIMALS} decimals`);
    }
  }
  const isPaidOut = amounts.some((amount) => amount.lessThan(0));
  if (!isPaidOut || !amounts.some((amount) => amount.greaterThan(0))) {
    const missing = isPaidOut ? 'greater than zero, paid back' : 'less than zero, paid out';
    findings.refuse(listPath, 'one-sign', `must hold a flow that is ${missing}`);
  }
  return findings.faults.length === faultsBefore;
}
