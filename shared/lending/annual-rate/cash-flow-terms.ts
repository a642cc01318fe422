/** Validates the fields of a rate request, and gives each cash flow its time (A6). */

import type { Decimal } from 'decimal.js';
import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { periodsPerYear } from './internal-rate-of-return.ts';
import { checkName, checkPeriodicity } from '../request/field-checks.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import { flowAtUnits } from './rate-flows.ts';
import { intervalsFrom, UNITS_PER_YEAR, type IntervalUnit, type RateInterval } from './time-between-flows.ts';
import type { RateRequest } from '../request/rate-request.ts';
import type { Validation } from '../request/validation.ts';

const RULES = ['DAE', 'XIRR', 'IRR'] as const;
const INTERVAL_UNITS = ['Years', 'Months', 'Weeks', 'Days'] as const;

/** Maximum number of flows of a request: more than a usual schedule has, few enough for an interactive call. */
export const MAX_CASH_FLOWS = 5_000;
const MIN_CASH_FLOWS = 2;
/** Largest absolute amount of a flow; amounts have no currency (A6). */
export const MAX_CASH_FLOW = 1e15;
/** More decimals than any currency has, and few enough to bound the size of exact numbers. */
const MAX_DECIMALS = 18;

/** A flow at the time wholeUnits / unitsPerYear + extraDays / yearDays in years; before time 0 no part is positive. */
export interface TimedFlow extends RateInterval {
  /** Null for rule IRR, whose flows have no dates. */
  readonly date: CalendarDate | null;
  readonly amount: Decimal;
}

export interface CashFlowTerms {
  /** In the order of the request. */
  readonly flows: readonly TimedFlow[];
  readonly unitsPerYear: number;
  /** Periods in a year, by which rule IRR multiplies the rate of a period (A3); 1 for DAE and XIRR. */
  readonly periodsPerYear: ExactRatio;
}

const ONE = reduceRatio(1n, 1n);

interface Reading {
  readonly request: RateRequest;
  readonly periodicities: readonly Periodicity[];
  readonly validation: Validation;
}

/** Reports faults, and fields without effect (E5). Use the terms only if `validation` has no faults after the call. */
export function parseCashFlowTerms(
  request: RateRequest,
  periodicities: readonly Periodicity[],
  validation: Validation,
): CashFlowTerms | undefined {
  const reading = { request, periodicities, validation };
  const rule = checkName(validation, 'Rule', request.Rule, RULES);
  const unit = checkName(validation, 'Unit', request.Unit, INTERVAL_UNITS) ?? 'Months';
  if (rule === undefined) return undefined;
  if (rule !== 'DAE' && request.Unit !== undefined) validation.warn('Unit');
  const others = rule === 'IRR' ? (['CashFlows'] as const) : (['PeriodicityType', 'Amounts'] as const);
  for (const field of others) {
    if (request[field] === undefined) continue;
    const flows = rule === 'IRR' ? 'Amounts' : 'CashFlows';
    validation.reportConflict(field, `must be left out with rule ${rule}, which reads ${flows}`);
  }
  if (rule === 'IRR') return parseAmounts(reading);
  const dated = checkDatedFlows(reading, rule);
  if (dated === undefined) return undefined;
  const { cashFlows, start } = dated;
  if (rule === 'XIRR') {
    const daily = cashFlows.map(({ Date: date, Amount }) => ({ date, ...flowAtUnits(Amount, date - start) }));
    return { flows: daily, unitsPerYear: UNITS_PER_YEAR.Days, periodsPerYear: ONE };
  }
  const intervalUnit = unit === 'Days' ? 'Years' : unit;
  const intervalTo = intervalsFrom(start, intervalUnit);
  const flows = cashFlows.map(({ Date: date, Amount: amount }) => {
    const interval = date < start ? intervalBefore(start, date, intervalUnit) : intervalTo(date);
    return { date, amount, ...interval };
  });
  return { flows, unitsPerYear: UNITS_PER_YEAR[intervalUnit], periodsPerYear: ONE };
}

export function isBeforeStart({ wholeUnits, extraDays }: TimedFlow): boolean {
  return wholeUnits < 0 || extraDays < 0;
}

/** The interval of A1 with a negative sign, for a cost that is paid before the first drawdown (A6). */
function intervalBefore(start: CalendarDate, date: CalendarDate, unit: IntervalUnit): RateInterval {
  const { wholeUnits, extraDays, yearDays } = intervalsFrom(date, unit)(start);
  return { wholeUnits: 0 - wholeUnits, extraDays: 0 - extraDays, yearDays };
}

/** Time 0 is the first flow other than zero, which must be a drawdown. */
function parseAmounts(reading: Reading): CashFlowTerms | undefined {
  const perYear = parsePeriodsPerYear(reading);
  const { validation } = reading;
  const amounts = reading.request.Amounts;
  if (amounts === undefined) {
    return validation.reportMissing('Amounts', 'is missing; must hold the flows from time 0 with rule IRR');
  }
  if (!areAmounts(amounts, 'Amounts', '', validation)) return undefined;
  const first = amounts.findIndex((amount) => !amount.isZero());
  if (amounts[first]?.lessThan(0) !== true) {
    const message = 'must be less than zero: the first flow other than zero is paid out';
    return validation.reject(`Amounts[${first}]`, 'out-of-range', message);
  }
  if (perYear === undefined) return undefined;
  const flows = amounts.map((amount, period) => ({ date: null, ...flowAtUnits(amount, period - first) }));
  return { flows, unitsPerYear: 1, periodsPerYear: perYear };
}

function parsePeriodsPerYear({ request, periodicities, validation }: Reading): ExactRatio | undefined {
  const path = 'PeriodicityType';
  const name = request.PeriodicityType;
  if (name === undefined) {
    return validation.reportMissing(path, 'is missing; must name the periods between Amounts with rule IRR');
  }
  const field = { path, name };
  const found = checkPeriodicity(
    validation,
    field,
    periodicities,
    (one) => periodsPerYear(one) !== undefined,
  );
  return found && periodsPerYear(found);
}

/** Time 0 is the first drawdown. A DAE includes costs paid before it; with XIRR, earlier flows must be zero (A6). */
function checkDatedFlows({ request, validation }: Reading, rule: 'DAE' | 'XIRR') {
  const cashFlows = request.CashFlows;
  if (cashFlows === undefined) {
    return validation.reportMissing('CashFlows', `is missing; must hold the dated flows with rule ${rule}`);
  }
  const amounts = cashFlows.map((flow) => flow.Amount);
  if (!areAmounts(amounts, 'CashFlows', '.Amount', validation)) return undefined;
  const paidOut = cashFlows.filter((flow) => flow.Amount.lessThan(0));
  const start = paidOut.map((flow) => flow.Date).reduce((a, b) => (a < b ? a : b));
  for (const [index, flow] of cashFlows.entries()) {
    if (flow.Date >= start || rule === 'DAE' || flow.Amount.isZero()) continue;
    const allowed = `must be ${formatCalendarDate(start)} or later, the date of the first flow that is paid out; only rule DAE allows earlier flows`;
    validation.reject(`CashFlows[${index}].Date`, 'date-order', allowed);
  }
  return validation.faults.length > 0 ? undefined : { cashFlows, start };
}

function areAmounts(
  amounts: readonly Decimal[],
  list: string,
  field: string,
  validation: Validation,
): boolean {
  const faultsBefore = validation.faults.length;
  if (amounts.length < MIN_CASH_FLOWS || amounts.length > MAX_CASH_FLOWS) {
    validation.reject(list, 'out-of-range', `must hold from ${MIN_CASH_FLOWS} to ${MAX_CASH_FLOWS} flows`);
    return false;
  }
  for (const [index, amount] of amounts.entries()) {
    const path = `${list}[${index}]${field}`;
    if (!amount.isFinite() || amount.abs().greaterThan(MAX_CASH_FLOW)) {
      const allowed = `must be from -${MAX_CASH_FLOW} to ${MAX_CASH_FLOW}`;
      validation.reject(path, 'amount-too-large', allowed);
    } else if (amount.decimalPlaces() > MAX_DECIMALS) {
      validation.reject(path, 'too-many-decimals', `must have at most ${MAX_DECIMALS} decimals`);
    }
  }
  const isPaidOut = amounts.some((amount) => amount.lessThan(0));
  if (!isPaidOut || !amounts.some((amount) => amount.greaterThan(0))) {
    const missing = isPaidOut ? 'above zero, which is paid back' : 'below zero, which is paid out';
    validation.reject(list, 'one-sign', `must hold a flow ${missing}`);
  }
  return validation.faults.length === faultsBefore;
}
