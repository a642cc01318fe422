/** The checked terms of a loan: names resolved, amounts in minor units, rates exact fractions. */

import { parseChargeTerms, type ChargeTerms } from '../charges/charge-terms.ts';
import {
  isProductType,
  servesProductType,
  type CompiledScheduleType,
} from '../schedule-types/schedule-type.ts';
import { DEFAULT_CURRENCY_DIGITS, currencyDigits } from '../numbers/money.ts';
import { DAY_COUNT_NAMES, findDayCount, type DayCountName } from '../dates/day-count.ts';
import { MAX_INSTALLMENTS, checkAmount, checkPeriodicity, checkWhole } from '../request/field-checks.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import { parseRateTerms, type RateTerms } from './rate-ranges.ts';
import type { Validation } from '../request/validation.ts';
import { parseRepaymentTerms, type RepaymentTerms } from './repayment-terms.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { ScheduleCatalogue } from '../schedule-types/schedule-catalogue.ts';

export const MAX_PRECISION_DIGITS = 10;
/** Largest ContractPeriod: the days of a hundred years. */
export const MAX_CONTRACT_PERIODS = 36_525;

export interface LoanTerms {
  readonly compiled: CompiledScheduleType;
  readonly periodicity: Periodicity;
  readonly dayCount: DayCountName;
  readonly currencyDigits: number;
  /** Financed amount in minor units. */
  readonly amount: number;
  /** Costs paid at the start in minor units; 0 in a recalculation. */
  readonly upFront: number;
  readonly rates: RateTerms;
  readonly installmentsNo: number;
  readonly repayment: RepaymentTerms;
  readonly charges: ChargeTerms;
  /** AdvanceAmount in minor units; 0 if absent. */
  readonly advance: number;
  /** Periods of the contract: ContractPeriod, else InstallmentsNo (D8). */
  readonly contractPeriods: number;
}

/** A term is undefined if it cannot be read. */
export type DraftTerms = { readonly [Term in keyof LoanTerms]: LoanTerms[Term] | undefined };

interface Reading extends ParsingContext {
  readonly request: RepaymentScheduleRequest;
  readonly validation: Validation;
}

export interface ParsingContext {
  readonly catalogue: ScheduleCatalogue;
  readonly maxRows: number;
}

/** Reports the faults of all terms, so that a caller gets them together (E3). */
export function parseLoanTerms(
  request: RepaymentScheduleRequest,
  context: ParsingContext,
  validation: Validation,
): DraftTerms {
  const reading = { ...context, request, validation };
  const method = request.InterestCalculationMethod;
  const compiled = parseScheduleType(reading);
  const periodicity = parsePeriodicity(reading, compiled);
  const digits = parseCurrencyDigits(reading);
  const assumedDigits = digits ?? DEFAULT_CURRENCY_DIGITS;
  const amount = parseAmount(reading, assumedDigits);
  const installmentsNo = parseInstallmentsNo(reading, compiled, periodicity);
  const known = { compiled, amount, installmentsNo, currencyDigits: assumedDigits, validation };
  const { periodicities, knownCharges } = context.catalogue;
  const chargeContext = { digits: assumedDigits, periodicities, rules: compiled, knownCharges, validation };
  return {
    compiled,
    periodicity,
    dayCount: method === undefined ? compiled?.type.dayCount : parseDayCount(method, validation),
    currencyDigits: digits,
    amount,
    upFront: parseUpFront(reading, assumedDigits),
    rates: parseRateTerms(request, known),
    installmentsNo,
    repayment: parseRepaymentTerms(request, known),
    charges: parseChargeTerms(request, chargeContext),
    advance: checkAmount(validation, 'AdvanceAmount', request.AdvanceAmount, assumedDigits) ?? 0,
    contractPeriods: parseContractPeriods(reading, installmentsNo, periodicity),
  };
}

export function isComplete(draft: DraftTerms): draft is LoanTerms {
  return Object.values(draft).every((term) => term !== undefined);
}

function parseScheduleType({ request, catalogue, validation }: Reading): CompiledScheduleType | undefined {
  const found = catalogue.findScheduleType(request.ScheduleType);
  if (found === undefined) {
    const names = catalogue.scheduleTypes.map(({ type }) => type.name).join(', ');
    const message = `must be an active schedule type; known: ${names}`;
    return validation.reject('ScheduleType', 'unknown-schedule-type', message);
  }
  const { ProductType } = request;
  if (ProductType !== undefined && !servesProductType(found.type, ProductType)) {
    const allowed = found.type.productTypes.join(', ');
    const code = isProductType(ProductType) ? 'product-type-mismatch' : 'unknown-product-type';
    const message = `must be a product type that ${found.type.name} serves: ${allowed}`;
    validation.reject('ProductType', code, message);
  }
  return found;
}

function parsePeriodicity(
  { request, catalogue, validation }: Reading,
  compiled: CompiledScheduleType | undefined,
): Periodicity | undefined {
  const field = { path: 'PeriodicityType', name: request.PeriodicityType };
  const found = checkPeriodicity(validation, field, catalogue.periodicities);
  if (found === undefined) return undefined;
  if (found.unit === 'Once' && request.InterestType === 1) {
    validation.reject('InterestType', 'not-allowed', 'must be 0 with the periodicity Once');
  }
  const unit = compiled?.type.measurementUnit ?? null;
  const isDayUnit = found.unit === 'Days' || found.unit === 'Weeks';
  if (unit !== null && found.unit !== 'Once' && isDayUnit !== (unit === 'Days')) {
    const message = `must be counted in ${unit.toLowerCase()} with this schedule type`;
    validation.reject('PeriodicityType', 'wrong-unit', message);
  }
  return found;
}

/** Undefined, with a fault of InterestCalculationMethod, if the name is unknown (C1). */
export function parseDayCount(name: string, validation: Validation): DayCountName | undefined {
  const message = `must be one of ${DAY_COUNT_NAMES.join(', ')}`;
  return findDayCount(name) ?? validation.reject('InterestCalculationMethod', 'unknown-day-count', message);
}

/** Precision takes precedence over Currency; without either, amounts have two decimals (M2). */
function parseCurrencyDigits({ request, validation }: Reading): number | undefined {
  const { Currency, Precision } = request;
  const byCurrency = Currency === undefined ? DEFAULT_CURRENCY_DIGITS : currencyDigits(Currency);
  if (byCurrency === undefined) {
    validation.reject('Currency', 'unknown-currency', 'must be the ISO 4217 code of a currency');
  }
  if (Precision === undefined) return byCurrency;
  return checkWhole(validation, 'Precision', Precision, { min: 0, max: MAX_PRECISION_DIGITS });
}

function parseAmount({ request, validation }: Reading, digits: number): number | undefined {
  if (!request.Amount.isPositive() || request.Amount.isZero()) {
    return validation.reject('Amount', 'out-of-range', 'must be more than zero');
  }
  return checkAmount(validation, 'Amount', request.Amount, digits);
}

/** Zero in a recalculation, because its annual rates are based on Amount and the remaining rows (A4). */
function parseUpFront({ request, validation }: Reading, digits: number): number {
  const upFront = checkAmount(validation, 'UpFrontValue', request.UpFrontValue, digits) ?? 0;
  return request.LastDueDate === undefined ? upFront : 0;
}

function parseInstallmentsNo(
  { request, maxRows, validation }: Reading,
  compiled: CompiledScheduleType | undefined,
  periodicity: Periodicity | undefined,
): number | undefined {
  const range = { min: 1, max: MAX_INSTALLMENTS };
  const installmentsNo = checkWhole(validation, 'InstallmentsNo', request.InstallmentsNo, range);
  if (installmentsNo === undefined) return undefined;
  const most = compiled?.type.maximumInstallments ?? MAX_INSTALLMENTS;
  if (periodicity?.unit === 'Once' && installmentsNo !== 1) {
    validation.reject('InstallmentsNo', 'out-of-range', 'must be 1 with the periodicity Once');
  } else if (installmentsNo > most) {
    validation.reject('InstallmentsNo', 'out-of-range', `must be at most ${most} with this schedule type`);
  }
  if (installmentsNo > maxRows) {
    validation.reject('InstallmentsNo', 'too-many-rows', `must be at most ${maxRows} on this server`);
  }
  return installmentsNo;
}

/** Each instalment ends a period, so another number contradicts them; a single repayment has no period to count (D8). */
function parseContractPeriods(
  { request, validation }: Reading,
  installmentsNo: number | undefined,
  periodicity: Periodicity | undefined,
): number | undefined {
  const range = { min: 0, max: MAX_CONTRACT_PERIODS };
  const sent = checkWhole(validation, 'ContractPeriod', request.ContractPeriod, range) ?? 0;
  if (sent === 0 || installmentsNo === undefined || periodicity === undefined) return installmentsNo;
  if (sent === installmentsNo || periodicity.unit === 'Once') return sent;
  const message = `must be ${installmentsNo}, the periods of InstallmentsNo, or left out`;
  return validation.reject('ContractPeriod', 'out-of-range', message);
}
