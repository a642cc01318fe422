/** Simulates a product for a customer: one offer for each of its interests that fit the request (interface 4.4). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { KnownCalendars } from '../../lending/due-dates/shift-due-date.ts';
import { Validation } from '../../lending/request/validation.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import {
  collectInsuranceFilters,
  findInsuranceItems,
  type CatalogueView,
} from '../catalogue/catalogue-view.ts';
import { isProduct, selectProduct } from '../look-up/product-selection.ts';
import { chooseDiscounts, warnOfUnusedDiscounts } from './discounts.ts';
import { chooseOffers, type Offer } from './interest-choice.ts';
import { priceCommissions, priceInsurances, type CatalogueCharge } from './contract-charges.ts';
import { FormulaArguments } from './product-formula.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { readFigures } from '../catalogue/item-filters.ts';
import { buildLoan } from './simulated-loan.ts';
import { type CompleteOffer, calculateOffer, type SharedTerms } from './offer.ts';
import type { FormulaInputPart, SimulateRequest } from './simulate-request.ts';
import { deduplicateFaults } from './simulation-faults.ts';
import type { SimulationOutcome, SimulationRecord } from './simulation-result.ts';

/** The context of a simulation besides its request. */
export interface SimulateContext {
  readonly catalogue: CatalogueView;
  readonly calendars: KnownCalendars;
  /** UTC day of the request's own timestamp: the start of the loan (Q2), and the day on which validity is determined (L1). */
  readonly requestDay: CalendarDate;
}

/**
 * Maximum number of rows of all offers together: limits the time of a simulation and keeps its reply within one
 * message.
 */
const MAX_ROWS = 36_000;
/**
 * The payment is recalculated for each rate of the request; doing so for this many instalments takes as long as one
 * row.
 */
const INSTALLMENTS_PER_ROW = 100;

type Inputs = Readonly<Record<FormulaInputPart, FormulaArguments>>;

/**
 * Simulates a product for a customer. Never throws for bad input: an invalid request is refused with all of its
 * faults (E1, E3). Either all offers are calculated or none. Offers are in catalogue order.
 */
export function simulate(request: SimulateRequest, context: SimulateContext): SimulationOutcome {
  const steps = simulateInSteps(request, context);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Simulates like {@link simulate}, but yields before each offer so that a long simulation does not block the event loop.
 * Each yielded value is the remaining work in rows of a plain schedule.
 */
export function* simulateInSteps(
  request: SimulateRequest,
  context: SimulateContext,
): Generator<number, SimulationOutcome, undefined> {
  const { catalogue, calendars, requestDay } = context;
  const selector = { code: { field: 'productCode', value: request.productCode } };
  const product = selectProduct(selector, catalogue, requestDay);
  if (!isProduct(product)) return { kind: 'refused', faults: product.faults, unknownProduct: true };
  const validation = new Validation();
  const refused = (): SimulationOutcome => ({
    kind: 'refused',
    faults: deduplicateFaults(validation.faults),
  });
  const inputs = readFormulaInputs(request, validation);
  const loan = buildLoan(request, product, context, validation);
  const offers = chooseOffers(request, product, context, validation);
  const complete = addCommissions(offers, context, inputs);
  const insurances = chooseInsurances(request, product, context, { validation, inputs });
  const discounted = { catalogue, requestDay, inputs: inputs.discountInput };
  const given = chooseDiscounts(request, product, discounted, validation);
  const offerRows = loan === undefined ? 0 : countRows(request, loan.installmentsNo);
  if (loan !== undefined) refuseTooManyRows(offers.length, { ...loan, offerRows }, validation);
  if (loan === undefined || validation.faults.length > 0) return refused();
  for (const input of Object.values(inputs)) input.warnOfUnused();
  const shared: SharedTerms = {
    request,
    loan,
    discounts: given.discounts,
    insurances,
    inputs: inputs.interestInput,
    schedule: {
      requestDay,
      calendars: keepFound(calendars),
      catalogue: withoutCharges(catalogue.lending),
    },
    cntInterestId: new Set(offers.map(({ interest }) => interest.Id)).size,
    cntInterestCommissionItemId: new Set(offers.map(({ item }) => item.Id)).size,
  };
  const records: SimulationRecord[] = [];
  for (const [index, offer] of complete.entries()) {
    yield (complete.length - index) * offerRows;
    const record = calculateOffer(offer, shared, validation);
    if (record !== undefined) records.push(record);
  }
  if (validation.faults.length > 0) return refused();
  warnOfUnusedDiscounts(given, validation);
  return { kind: 'simulation', records, calendar: records[0]?.calendar, warnings: validation.warnings };
}

/** The catalogue without charges: the terms of an offer contain all of its charges, so none is looked up by name. */
function withoutCharges(names: ScheduleCatalogue): ScheduleCatalogue {
  const { scheduleTypes, periodicities } = names;
  return { scheduleTypes, periodicities, findScheduleType: (name) => names.findScheduleType(name) };
}

/** Finds each calendar once: all offers have the same one, although the catalogue may change between them. */
function keepFound(calendars: KnownCalendars): KnownCalendars {
  const found = new Map<string, ReturnType<KnownCalendars['find']>>();
  return {
    ...calendars,
    find: (name) => {
      if (!found.has(name)) found.set(name, calendars.find(name));
      return found.get(name);
    },
  };
}

/** The work of one offer in rows of a plain schedule. */
function countRows({ jsonMultipleInterestRates }: SimulateRequest, installmentsNo: number): number {
  const recalculated = (jsonMultipleInterestRates?.length ?? 0) * installmentsNo;
  return installmentsNo + Math.floor(recalculated / INSTALLMENTS_PER_ROW);
}

function refuseTooManyRows(
  offers: number,
  { installmentsNo, offerRows }: { readonly installmentsNo: number; readonly offerRows: number },
  validation: Validation,
): void {
  if (offers * offerRows <= MAX_ROWS) return;
  if (offers * installmentsNo <= MAX_ROWS) {
    const message = `must have fewer items with ${offers} offers over ${installmentsNo} periods`;
    validation.reject('jsonMultipleInterestRates', 'too-many-rows', message);
    return;
  }
  const most = Math.floor(MAX_ROWS / offers);
  const message = `must be at most ${most} periods with ${offers} offers; use jsonFilterCommission to get fewer offers`;
  validation.reject('loanPeriod', 'too-many-rows', message);
}

function readFormulaInputs({ jsonInputFormula }: SimulateRequest, validation: Validation): Inputs {
  return {
    interestInput: new FormulaArguments('interestInput', jsonInputFormula, validation),
    commissionInput: new FormulaArguments('commissionInput', jsonInputFormula, validation),
    insuranceInput: new FormulaArguments('insuranceInput', jsonInputFormula, validation),
    discountInput: new FormulaArguments('discountInput', jsonInputFormula, validation),
  };
}

/** The offers with their commissions; formulas are evaluated here, so that all missing arguments are reported together (Q7). */
function addCommissions(
  offers: readonly Offer[],
  { catalogue, requestDay }: SimulateContext,
  inputs: Inputs,
): readonly CompleteOffer[] {
  const commissionsByCode = new Map<string, readonly CatalogueCharge[]>();
  for (const { interest } of offers) {
    if (interest.Type === 'BankingFormula' && interest.Formula !== null) {
      inputs.interestInput.evaluate(interest.Formula);
    }
  }
  return offers.map((offer) => {
    const code = offer.item.CommissionList;
    const commissionList = catalogue.list('commission-list', code);
    const known = commissionsByCode.get(commissionList?.Code ?? '');
    const commissions =
      known ?? priceCommissions(commissionList, { requestDay, inputs: inputs.commissionInput });
    commissionsByCode.set(commissionList?.Code ?? '', commissions);
    return { ...offer, commissionList, commissions };
  });
}

function chooseInsurances(
  request: SimulateRequest,
  product: ProductRecord,
  { catalogue, requestDay }: SimulateContext,
  { validation, inputs }: { readonly validation: Validation; readonly inputs: Inputs },
): readonly CatalogueCharge[] {
  const items = findInsuranceItems(product, catalogue);
  const sent = request.jsonInsuranceFilter;
  const figures = readFigures('jsonInsuranceFilter', sent, collectInsuranceFilters(items), validation);
  return priceInsurances(items, { figures, lists: catalogue }, { requestDay, inputs: inputs.insuranceInput });
}
