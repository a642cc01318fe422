/** Translates faults of a schedule for the simulation (E1). Those that only the catalogue can cure name productCode. */

import type { RequestFault, Validation } from '../../lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { InterestRecord } from '../catalogue/list-records.ts';
import { formulaPath, type DiscountedCharge, chargeTitle } from './charge-prices.ts';
import type { SimulateRequest } from './simulation.ts';

interface FaultContext {
  readonly request: SimulateRequest;
  readonly terms: RepaymentScheduleRequest;
  readonly interest: InterestRecord;
  /** In the order of `terms.Commission`, as `insurances` are in that of `terms.Insurance`. */
  readonly commissions: readonly DiscountedCharge[];
  readonly insurances: readonly DiscountedCharge[];
}

type Translate = (fault: RequestFault, context: FaultContext) => RequestFault;

const TRANSLATIONS: readonly (readonly [path: RegExp, translate: Translate])[] = [
  [/^(installmentValue|principalValue)$/, translateFixedInstalment],
  [/^InterestType$/, (fault) => fault],
  [/^Amount$/, (fault) => ({ ...fault, path: 'amount', status: 422 })],
  [/^InstallmentsNo$/, translateTerm],
  [/^ScheduleType$/, (fault) => ({ ...fault, path: 'scheduleType', status: 422 })],
  [
    /^ProductType$/,
    ({ code }, { terms }) =>
      code === 'unknown-product-type'
        ? refuseProduct(code, `whose BankingProductType is known, not ${terms.ProductType}`)
        : refuseType(code, `for the product's BankingProductType, ${terms.ProductType}`),
  ],
  [
    /^PeriodicityType$/,
    ({ code }, { terms }) => refuseType(code, `for the product's PeriodicityType, ${terms.PeriodicityType}`),
  ],
  [/^(ResidualValue|CapitalPercent)$/, translatePercentage],
  [
    /^UnusedAmount$/,
    () =>
      refuseProduct('not-allowed', 'without charges on the unused amount, which a simulation does not have'),
  ],
  [
    /^UpFrontValue$/,
    ({ code, message }) =>
      refuseProduct(code, `with charges at the start within the limits: the sum ${message}`),
  ],
  [
    /^Currency$/,
    ({ code }, { terms }) =>
      refuseProduct(code, `whose Currency is the ISO 4217 code of a currency, not ${terms.Currency}`),
  ],
  [
    /^Holiday(Country|Method)$/,
    ({ path, code, message }) => {
      const field = path === 'HolidayCountry' ? 'CountryCalendars' : 'HolidayShiftMethod';
      return refuseProduct(code, `whose due dates can be shifted: ${field} ${message}`);
    },
  ],
  [/^(FirstDueDate|InstallmentDay|GracePeriod(Principal|Interest))$/, (fault) => fault],
  [/^InterestPercent$/, translateRate],
  [/^MultipleInterestRates\b/, translateRanges],
  [/^BandedInterestRates\b/, translateBands],
  [/^(Commission|Insurance)$/, translateChargeList],
  [/^(Commission|Insurance)\[\d+\]/, translateCharge],
];

const CHARGE_PATH = /^(?<list>Commission|Insurance)\[(?<place>\d+)\]\.?(?<field>.*)$/;

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

/** Adds the translated faults; one with an unknown path becomes a fault of productCode. */
export function addFaults(
  faults: readonly RequestFault[],
  context: FaultContext,
  validation: Validation,
): void {
  for (const fault of faults) {
    const translation = TRANSLATIONS.find(([path]) => path.test(fault.path));
    const own =
      translation?.[1](fault, context) ?? refuseProduct(fault.code, 'whose terms can be calculated');
    validation.faults.push(own);
  }
}

/** Removes repeated faults: a faulty charge is reported for each offer that has it. */
export function deduplicateFaults(faults: readonly RequestFault[]): readonly RequestFault[] {
  return [
    ...new Map(faults.map((fault) => [`${fault.path} ${fault.code} ${fault.message}`, fault])).values(),
  ];
}

function refusal(path: string, code: RequestFault['code'], message: string): RequestFault {
  return { path, code, message, status: 422 };
}

function refuseType(code: RequestFault['code'], requirement: string): RequestFault {
  return refusal('scheduleType', code, `must be a schedule type ${requirement}`);
}

/** `missing` becomes `not-allowed`: the product, not the simulation request, lacks the field of the schedule. */
function refuseProduct(code: RequestFault['code'], requirement: string): RequestFault {
  const own = code === 'missing' ? 'not-allowed' : code;
  return refusal('productCode', own, `must be a product ${requirement}`);
}

/** A loan that ends too late is corrected by the day from which the request counts it, if it sends one. */
function translateTerm(fault: RequestFault, { request, terms }: FaultContext): RequestFault {
  const endsTooLate = fault.message.startsWith('must be smaller');
  const isFirst = request.FirstDueDate !== undefined && request.FirstDueDate === terms.FirstDueDate;
  const sent = isFirst ? 'FirstDueDate' : request.Date === undefined ? undefined : 'Date';
  if (!endsTooLate || sent === undefined) return { ...fault, path: 'loanPeriod', status: 422 };
  const message = fault.message.replace('smaller', 'earlier, or loanPeriod smaller');
  return { ...fault, path: sent, message };
}

/** The simulation request has this field too. A type whose formulas read it requires it (400 `missing`, Q2). */
function translateFixedInstalment(fault: RequestFault): RequestFault {
  if (fault.code !== 'payment-below-interest') return fault;
  const [covering = ''] = fault.message.split(',', 1);
  return { ...fault, message: `${covering}; leave it out for a payment that does` };
}

function translatePercentage({ path, code }: RequestFault): RequestFault {
  if (code === 'missing') {
    const message = `must not be a type that needs ${path}, which the product does not have`;
    return refusal('scheduleType', 'not-allowed', message);
  }
  const field = path === 'ResidualValue' ? 'ResidualPercent' : path;
  return refuseProduct(code, `whose ${field} is from 0 to 100`);
}

/** A rate by formula depends on the caller's arguments, if any; any other rate only on the catalogue. */
function translateRate(fault: RequestFault, { interest, request }: FaultContext): RequestFault {
  const hasArguments = (request.jsonInputFormula?.interestInput?.length ?? 0) > 0;
  if (interest.Type === 'BankingFormula' && hasArguments) {
    return refusal('jsonInputFormula.interestInput', fault.code, `must give a rate: it ${fault.message}`);
  }
  return refuseRate(fault, interest);
}

function refuseRate({ code, message }: RequestFault, { Name }: InterestRecord): RequestFault {
  if (code === 'missing')
    return refuseProduct(code, `whose interest ${Name} has a rate for every instalment`);
  return refuseProduct(code, `whose interest ${Name} has valid rates: each ${message}`);
}

/** Ranges of the request keep their positions. Ranges of the catalogue may end before the term does. */
function translateRanges(fault: RequestFault, { request, terms, interest }: FaultContext): RequestFault {
  if ((request.jsonMultipleInterestRates?.length ?? 0) > 0) {
    return { ...fault, path: fault.path.replace('MultipleInterestRates', 'jsonMultipleInterestRates') };
  }
  if (fault.path.endsWith('.InterestRate')) return refuseRate(fault, interest);
  if (fault.code === 'rates-incomplete' && fault.path.endsWith('.ToInstNo')) {
    const last = Math.max(...(terms.MultipleInterestRates ?? []).map(({ ToInstNo }) => ToInstNo ?? 0));
    const message = `must be at most ${last} periods: the interest ${interest.Name} has no rate for later instalments`;
    return refusal('loanPeriod', fault.code, message);
  }
  return refuseProduct(fault.code, `whose interest ${interest.Name} has one rate for every instalment`);
}

function translateBands(fault: RequestFault, { interest }: FaultContext): RequestFault {
  const { path, code } = fault;
  if (path === 'BandedInterestRates') {
    if (code === 'not-allowed')
      return refuseType(code, `that accepts rates by band, such as those of the interest ${interest.Name}`);
    const message = `must be smaller: the interest ${interest.Name} has no rate for every balance of the schedule`;
    return refusal('amount', code, message);
  }
  if (path.endsWith('.Value')) return refuseRate(fault, interest);
  return refuseProduct(code, `whose interest ${interest.Name} has one rate for every amount`);
}

function translateChargeList({ path, code }: RequestFault, context: FaultContext): RequestFault {
  const isFee = path === 'Commission';
  const title = isFee ? 'commissions' : 'insurances';
  const charges = isFee ? context.commissions : context.insurances;
  if (code === 'amount-too-large') return refuseLargeCharges(charges, title);
  const choice = findChoice(charges);
  if (choice !== undefined && code === 'not-allowed') {
    return refusal(choice, code, `must be left out, or scheduleType be one that accepts ${title}`);
  }
  const other = 'which the schedule type does not accept; or use another scheduleType';
  return refuseProduct(code, code === 'not-allowed' ? `without ${title}, ${other}` : `with fewer ${title}`);
}

function translateCharge({ path, code, message }: RequestFault, context: FaultContext): RequestFault {
  const { list, place, field = '' } = CHARGE_PATH.exec(path)?.groups ?? {};
  const priced = (list === 'Commission' ? context.commissions : context.insurances)[Number(place)];
  if (priced === undefined) return refuseProduct(code, 'whose terms can be calculated');
  const title = chargeTitle(priced.charge);
  if (code === 'amount-too-large') return refuseLargeCharges([priced], title);
  if (field.startsWith('Source') && priced.charge.isByFormula) {
    return refusal(formulaPath(priced.charge), code, `must give the ${title} a price: it ${message}`);
  }
  const name = CHARGE_FIELDS[field] ?? 'its record';
  const { chosenAt } = priced.charge;
  if (chosenAt !== undefined) {
    return refusal(chosenAt, code, `must be left out: ${title}, ${name}, ${message}`);
  }
  if (field === 'PercentAppliedTo' && code === 'not-allowed') {
    return refuseType(code, `that supports the ${title}: its PercentAppliedTo ${message}`);
  }
  return refuseProduct(code, `whose terms can be calculated: ${title}, ${name}, ${message}`);
}

/** A price by formula depends on the arguments, a percentage on the amount, any other price only on the catalogue. */
function refuseLargeCharges(charges: readonly DiscountedCharge[], title: string): RequestFault {
  const code = 'amount-too-large';
  const reason = 'otherwise an instalment exceeds the largest supported amount';
  const byFormula = charges.find(({ charge }) => charge.isByFormula);
  if (byFormula !== undefined) {
    return refusal(formulaPath(byFormula.charge), code, `must give smaller ${title}: ${reason}`);
  }
  if (charges.some(({ charge }) => charge.isPercent)) {
    return refusal('amount', code, `must be smaller, because of ${title}: ${reason}`);
  }
  const choice = findChoice(charges);
  if (choice !== undefined) return refusal(choice, code, `must be left out: ${reason}`);
  return refuseProduct(code, `with smaller ${title}: ${reason}`);
}

/** The path of a choice, if the request chooses all of the charges. */
function findChoice(charges: readonly DiscountedCharge[]): string | undefined {
  const paths = charges.map(({ charge }) => charge.chosenAt);
  return paths.includes(undefined) ? undefined : paths[0];
}
