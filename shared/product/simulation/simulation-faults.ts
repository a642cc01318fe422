/**
 * Translates faults of a schedule calculation into faults of the simulation (E1): each names a field of the simulation
 * request, or the product whose record is at fault, and what the caller can do.
 */

import type { RequestFault, Validation, RequestWarning } from '../../lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { InterestRecord } from '../catalogue/list-records.ts';
import type { CatalogueCharge } from './offered-charges.ts';
import { formulaPath, type PricedCharge, chargeTitle } from './priced-charges.ts';
import type { SimulateRequest } from './simulate-request.ts';

/** The simulation that a calculation belongs to. */
export interface FaultContext {
  readonly request: SimulateRequest;
  readonly terms: RepaymentScheduleRequest;
  readonly interest: InterestRecord;
  /** In the order of the terms' Commission and Insurance. */
  readonly commissions: readonly PricedCharge[];
  readonly insurances: readonly PricedCharge[];
}

type Translate = (fault: RequestFault, context: FaultContext) => RequestFault;

/** Translations by the fault's path in the schedule request; the first match applies. */
const TRANSLATIONS: readonly (readonly [path: RegExp, translate: Translate])[] = [
  [/^(installmentValue|principalValue)$/, translateLock],
  [/^Amount$/, (fault) => ({ ...fault, path: 'amount', status: 422 })],
  [/^InstallmentsNo$/, (fault) => ({ ...fault, path: 'loanPeriod', status: 422 })],
  [/^ScheduleType$/, (fault) => ({ ...fault, path: 'scheduleType', status: 422 })],
  [/^ProductType$/, translateProductType],
  [/^PeriodicityType$/, translatePeriodicity],
  [/^(ResidualValue|CapitalPercent)$/, translateNeed],
  [/^UnusedAmount$/, () => refusal('productCode', 'not-allowed', WITHOUT_UNUSED)],
  [/^UpFrontValue$/, ({ code, message }) => refusal('productCode', code, `${AT_START}: ${message}`)],
  [/^Currency$/, translateCurrency],
  [/^Holiday(Country|Method)$/, translateHolidays],
  [/^InterestPercent$/, translateRate],
  [/^MultipleInterestRates\b/, translateRanges],
  [/^BandedInterestRates\b/, translateBands],
  [/^(Commission|Insurance)$/, translateChargeList],
  [/^(Commission|Insurance)\[\d+\]/, translateCharge],
];

const WITHOUT_UNUSED =
  'must be a product without charges on the unused amount, which a simulation does not have';
const AT_START = 'must be a product whose charges at the start can be calculated with';
const PLACE = /^(?<list>Commission|Insurance)\[(?<place>\d+)\]\.?(?<field>.*)$/;

/** Fields of charges in a schedule request by their names in the catalogue. */
const CHARGE_FIELDS: Readonly<Record<string, string>> = {
  SourceValue: 'its value',
  SourcePercent: 'its percentage',
  FeePeriodicityType: 'PeriodicityType',
  InsurancePeriodicityType: 'PeriodicityType',
  PercentAppliedTo: 'PercentAppliedTo',
  PerAnnum: 'PerAnnum',
  IsUpfront: 'IsUpfront',
  GracePeriodFee: 'GracePeriodFee',
};

/** Adds the translated faults of a calculation. */
export function addFaults(
  faults: readonly RequestFault[],
  context: FaultContext,
  validation: Validation,
): void {
  validation.faults.push(...faults.map((fault) => translateFault(fault, context)));
}

/** Each fault once: a faulty charge is reported for every offer that it belongs to. */
export function deduplicateFaults(faults: readonly RequestFault[]): readonly RequestFault[] {
  return [
    ...new Map(faults.map((fault) => [`${fault.path} ${fault.code} ${fault.message}`, fault])).values(),
  ];
}

/** Adds warnings about fields that the caller sent; terms of the product do not concern the caller. */
export function addWarnings(warnings: readonly RequestWarning[], validation: Validation): void {
  for (const { path, code } of warnings) {
    const isSent = path === 'installmentValue' || path === 'principalValue';
    if (isSent && !validation.warnings.some((known) => known.path === path)) validation.warn(path, code);
  }
}

/** The fault as the caller of the simulation receives it. */
function translateFault(fault: RequestFault, context: FaultContext): RequestFault {
  const translation = TRANSLATIONS.find(([path]) => path.test(fault.path));
  if (translation !== undefined) return translation[1](fault, context);
  return refusal('productCode', translateCode(fault), 'must be a product whose terms can be calculated with');
}

function refusal(path: string, code: RequestFault['code'], message: string): RequestFault {
  return { path, code, message, status: 422 };
}

/** A field that the schedule lacks is the product's fault: the simulation request has no such field. */
function translateCode({ code }: RequestFault): RequestFault['code'] {
  return code === 'missing' ? 'not-allowed' : code;
}

/** A locked value is the caller's own field; only one that formulas of the type read can be missing (400, Q2). */
function translateLock(fault: RequestFault): RequestFault {
  if (fault.code !== 'payment-below-interest') return fault;
  const [covering = ''] = fault.message.split(',', 1);
  return { ...fault, message: `${covering}; leave it out for a payment that does` };
}

function translateProductType(fault: RequestFault, { terms }: FaultContext): RequestFault {
  if (fault.code === 'unknown-product-type') {
    const message = `must be a product whose BankingProductType is known, not ${terms.ProductType}`;
    return refusal('productCode', fault.code, message);
  }
  const message = `must be a schedule type that is made for the product's BankingProductType, ${terms.ProductType}`;
  return refusal('scheduleType', fault.code, message);
}

function translatePeriodicity({ code }: RequestFault, { terms }: FaultContext): RequestFault {
  const message = `must be a schedule type that goes with the product's PeriodicityType, ${terms.PeriodicityType}`;
  return refusal('scheduleType', code, message);
}

function translateNeed({ path, code }: RequestFault): RequestFault {
  if (code !== 'missing') {
    const field = path === 'ResidualValue' ? 'ResidualPercent' : path;
    return refusal('productCode', code, `must be a product whose ${field} is from 0 to 100`);
  }
  const reason = `must not be a type that needs ${path}, which the product does not have`;
  return refusal('scheduleType', 'not-allowed', reason);
}

function translateCurrency({ code }: RequestFault, { terms }: FaultContext): RequestFault {
  const message = `must be a product whose Currency is the ISO 4217 code of a currency, not ${terms.Currency}`;
  return refusal('productCode', code, message);
}

function translateHolidays({ path, code, message }: RequestFault): RequestFault {
  const field = path === 'HolidayCountry' ? 'CountryCalendars' : 'HolidayShiftMethod';
  return refusal('productCode', code, `must be a product whose due dates can be moved: ${field} ${message}`);
}

/** A rate by formula depends on the caller's arguments; any other is the catalogue's. */
function translateRate(fault: RequestFault, { interest, request }: FaultContext): RequestFault {
  const isSent = (request.jsonInputFormula?.interestInput?.length ?? 0) > 0;
  if (interest.Type === 'BankingFormula' && isSent) {
    return refusal('jsonInputFormula.interestInput', fault.code, `must give a rate: it ${fault.message}`);
  }
  return blameRate(fault, interest);
}

function blameRate(fault: RequestFault, interest: InterestRecord): RequestFault {
  const needs = `must be a product whose interest ${interest.Name}`;
  if (fault.code === 'missing') {
    return refusal('productCode', 'not-allowed', `${needs} has a rate for every installment`);
  }
  return refusal('productCode', fault.code, `${needs} has rates to calculate with: each ${fault.message}`);
}

/** Ranges that the caller sent keep their positions; the term may exceed the last range of the catalogue. */
function translateRanges(fault: RequestFault, { request, terms, interest }: FaultContext): RequestFault {
  if ((request.jsonMultipleInterestRates?.length ?? 0) > 0) {
    return { ...fault, path: fault.path.replace('MultipleInterestRates', 'jsonMultipleInterestRates') };
  }
  if (fault.path.endsWith('.InterestRate')) return blameRate(fault, interest);
  if (fault.code === 'rates-incomplete' && fault.path.endsWith('.ToInstNo')) {
    const last = Math.max(...(terms.MultipleInterestRates ?? []).map(({ ToInstNo }) => ToInstNo ?? 0));
    const message = `must be at most ${last} periods, up to the last installment that the interest ${interest.Name} has a rate for`;
    return refusal('loanPeriod', fault.code, message);
  }
  const message = `must be a product whose interest ${interest.Name} has one rate for every installment`;
  return refusal('productCode', translateCode(fault), message);
}

function translateBands(fault: RequestFault, { interest }: FaultContext): RequestFault {
  const { path, code } = fault;
  if (path === 'BandedInterestRates' && code === 'not-allowed') {
    const message = `must be a schedule type that takes rates by amount, as the interest ${interest.Name} has them`;
    return refusal('scheduleType', code, message);
  }
  if (path === 'BandedInterestRates') {
    const message = `must be smaller: the interest ${interest.Name} has no rate for every balance of the schedule`;
    return refusal('amount', code, message);
  }
  if (path.endsWith('.Value')) return blameRate(fault, interest);
  const message = `must be a product whose interest ${interest.Name} has one rate for every amount`;
  return refusal('productCode', translateCode(fault), message);
}

function translateChargeList({ path, code }: RequestFault, context: FaultContext): RequestFault {
  const isFee = path === 'Commission';
  const what = isFee ? 'commissions' : 'insurances';
  if (code === 'amount-too-large')
    return refuseLargeCharges(isFee ? context.commissions : context.insurances, what);
  const message =
    code === 'not-allowed'
      ? `must be a product without ${what}, which the schedule type does not take; or name another scheduleType`
      : `must be a product with fewer ${what}`;
  return refusal('productCode', code, message);
}

function translateCharge({ path, code, message }: RequestFault, context: FaultContext): RequestFault {
  const { list, place, field = '' } = PLACE.exec(path)?.groups ?? {};
  const priced = (list === 'Commission' ? context.commissions : context.insurances)[Number(place)];
  const needs = 'must be a product whose terms can be calculated';
  if (priced === undefined) return refusal('productCode', code, needs);
  const title = chargeTitle(priced.charge);
  if (code === 'amount-too-large') return refuseLargeCharges([priced], title);
  if (field.startsWith('Source') && priced.charge.isByFormula) {
    return refusal(formulaPath(priced.charge), code, `must give the ${title} a price: it ${message}`);
  }
  if (field === 'PercentAppliedTo' && code === 'not-allowed') {
    const reason = `must be a schedule type that can charge the ${title}: its PercentAppliedTo ${message}`;
    return refusal('scheduleType', code, reason);
  }
  const known = CHARGE_FIELDS[field] ?? 'its record';
  return refusal(
    'productCode',
    translateCode({ path, code, message, status: 422 }),
    `${needs}: ${title}, ${known}, ${message}`,
  );
}

/** Percentages grow with the amount, formulas depend on their arguments, and prices are the catalogue's. */
function refuseLargeCharges(charges: readonly PricedCharge[], what: string): RequestFault {
  const isSome = (test: (charge: CatalogueCharge) => boolean) =>
    charges.some((priced) => test(priced.charge));
  const reason = 'one installment pays more than can be calculated with';
  const code = 'amount-too-large';
  const byFormula = charges.find((priced) => priced.charge.isByFormula);
  if (byFormula !== undefined) {
    return refusal(formulaPath(byFormula.charge), code, `must give smaller ${what}: ${reason}`);
  }
  if (isSome(({ isPercent }) => isPercent)) {
    return refusal('amount', code, `must be smaller: with ${what} ${reason}`);
  }
  return refusal('productCode', code, `must be a product with smaller ${what}: ${reason}`);
}
