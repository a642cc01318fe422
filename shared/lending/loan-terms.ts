/** The checked terms of a loan: names resolved, amounts in minor units, the rate an exact fraction. */

import { BUILT_IN_SCHEDULE_TYPES } from './built-in-schedule-types.ts';
import { currencyDigits, DEFAULT_CURRENCY_DIGITS } from './currency-digits.ts';
import { DAY_COUNT_NAMES, findDayCount, type DayCountName } from './day-count.ts';
import type { ExactRatio } from './exact-ratio.ts';
import { checkAmount, checkRate, checkWhole } from './member-checks.ts';
import { BUILT_IN_PERIODICITIES, findPeriodicity, type Periodicity } from './periodicity.ts';
import type { Findings } from './refusal.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';
import { findScheduleType, isProductType, servesProductType, type ScheduleType } from './schedule-type.ts';

/** Most installments of a schedule (M6). */
export const MOST_INSTALLMENTS = 1200;
/** Most digits after the point that `Precision` may ask for (M5). */
const MOST_PRECISION_DIGITS = 10;

/** Terms that every schedule is calculated from. */
export interface LoanTerms {
  readonly scheduleType: ScheduleType;
  readonly periodicity: Periodicity;
  readonly dayCount: DayCountName;
  readonly currencyDigits: number;
  /** Financed amount in minor units. */
  readonly amount: number;
  /** Costs paid at the start in minor units; none in a recalculation. */
  readonly upFront: number;
  readonly annualRate: ExactRatio;
  readonly installmentsNo: number;
}

/** The terms as far as they hold: what is wrong is undefined. */
export type DraftTerms = { readonly [Term in keyof LoanTerms]: LoanTerms[Term] | undefined };

/** Reads the terms of a request and notes all faults in them. */
export function draftTermsOf(
  request: RepaymentScheduleRequest,
  maxRows: number,
  findings: Findings,
): DraftTerms {
  const scheduleType = scheduleTypeOf(request, findings);
  const periodicity = periodicityOf(request, scheduleType, findings);
  const digits = currencyDigitsOf(request, findings);
  const assumedDigits = digits ?? DEFAULT_CURRENCY_DIGITS;
  return {
    scheduleType,
    periodicity,
    dayCount: dayCountOf(request, scheduleType, findings),
    currencyDigits: digits,
    amount: amountOf(request, assumedDigits, findings),
    upFront: upFrontOf(request, assumedDigits, findings),
    annualRate: annualRateOf(request, findings),
    installmentsNo: installmentsNoOf(request, periodicity, maxRows, findings),
  };
}

/** The terms when all of them hold, else undefined. */
export function completeTerms(draft: DraftTerms): LoanTerms | undefined {
  return hasAllTerms(draft) ? draft : undefined;
}

function hasAllTerms(draft: DraftTerms): draft is LoanTerms {
  return Object.values(draft).every((term) => term !== undefined);
}

function scheduleTypeOf(request: RepaymentScheduleRequest, findings: Findings): ScheduleType | undefined {
  const found = findScheduleType(request.ScheduleType, BUILT_IN_SCHEDULE_TYPES);
  if (found === undefined) {
    const names = BUILT_IN_SCHEDULE_TYPES.map((type) => type.name).join(', ');
    findings.refuse(
      'ScheduleType',
      'unknown-schedule-type',
      `must be an active schedule type; known are ${names}`,
    );
    return undefined;
  }
  const { ProductType } = request;
  if (ProductType !== undefined && !servesProductType(found, ProductType)) {
    const allowed = found.productTypes.join(', ');
    const code = isProductType(ProductType) ? 'product-type-mismatch' : 'unknown-product-type';
    findings.refuse('ProductType', code, `must be a product type that ${found.name} serves: ${allowed}`);
  }
  return found;
}

function periodicityOf(
  request: RepaymentScheduleRequest,
  scheduleType: ScheduleType | undefined,
  findings: Findings,
): Periodicity | undefined {
  const found = findPeriodicity(request.PeriodicityType);
  if (found === undefined) {
    const names = BUILT_IN_PERIODICITIES.map((known) => known.name).join(', ');
    findings.refuse('PeriodicityType', 'unknown-periodicity', `must be one of ${names}`);
    return undefined;
  }
  const unit = scheduleType?.measurementUnit ?? null;
  const isDayUnit = found.unit === 'Days' || found.unit === 'Weeks';
  if (unit !== null && found.unit !== 'Once' && isDayUnit !== (unit === 'Days')) {
    findings.refuse(
      'PeriodicityType',
      'wrong-unit',
      `must be counted in ${unit.toLowerCase()} with this schedule type`,
    );
  }
  return found;
}

function dayCountOf(
  request: RepaymentScheduleRequest,
  scheduleType: ScheduleType | undefined,
  findings: Findings,
): DayCountName | undefined {
  const method = request.InterestCalculationMethod;
  if (method === undefined) return scheduleType?.dayCount;
  const found = findDayCount(method);
  if (found === undefined) {
    findings.refuse(
      'InterestCalculationMethod',
      'unknown-day-count',
      `must be one of ${DAY_COUNT_NAMES.join(', ')}`,
    );
  }
  return found;
}

/** Precision wins over Currency; without both, two digits (M2). */
function currencyDigitsOf(request: RepaymentScheduleRequest, findings: Findings): number | undefined {
  const { Currency, Precision } = request;
  const byCurrency = Currency === undefined ? DEFAULT_CURRENCY_DIGITS : currencyDigits(Currency);
  if (byCurrency === undefined) {
    findings.refuse('Currency', 'unknown-currency', 'must be the ISO 4217 code of a currency');
  }
  if (Precision === undefined) return byCurrency;
  return checkWhole(findings, 'Precision', Precision, { least: 0, greatest: MOST_PRECISION_DIGITS });
}

function amountOf(request: RepaymentScheduleRequest, digits: number, findings: Findings): number | undefined {
  if (!request.Amount.greaterThan(0)) {
    findings.refuse('Amount', 'out-of-range', 'must be more than zero');
    return undefined;
  }
  return checkAmount(findings, 'Amount', request.Amount, digits);
}

/** The costs of a running contract were paid at its start: its rates are those of the rows left, on Amount (A4). */
function upFrontOf(request: RepaymentScheduleRequest, digits: number, findings: Findings): number {
  const upFront = checkAmount(findings, 'UpFrontValue', request.UpFrontValue, digits) ?? 0;
  return request.LastDueDate === undefined ? upFront : 0;
}

/** The rate may be left out only where ranges or bands take its place (S4). */
function annualRateOf(request: RepaymentScheduleRequest, findings: Findings): ExactRatio | undefined {
  const hasOtherRates =
    (request.MultipleInterestRates?.length ?? 0) > 0 || (request.BandedInterestRates?.length ?? 0) > 0;
  if (request.InterestPercent === undefined && !hasOtherRates) {
    findings.missing(
      'InterestPercent',
      'is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent',
    );
  }
  return checkRate(findings, 'InterestPercent', request.InterestPercent);
}

function installmentsNoOf(
  request: RepaymentScheduleRequest,
  periodicity: Periodicity | undefined,
  maxRows: number,
  findings: Findings,
): number | undefined {
  const range = { least: 1, greatest: MOST_INSTALLMENTS };
  const installmentsNo = checkWhole(findings, 'InstallmentsNo', request.InstallmentsNo, range);
  if (installmentsNo === undefined) return undefined;
  if (periodicity?.unit === 'Once' && installmentsNo !== 1) {
    findings.refuse('InstallmentsNo', 'out-of-range', 'must be 1 with the periodicity Once');
  }
  if (installmentsNo > maxRows) {
    findings.refuse('InstallmentsNo', 'too-many-rows', `must be at most ${maxRows} here`);
  }
  return installmentsNo;
}
