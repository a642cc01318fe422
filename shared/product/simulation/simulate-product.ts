/** Simulates a product: an offer with rates, charges and schedule for each chosen interest (interface 4.4, Q3-Q6). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { KnownCalendars } from '../../lending/due-dates/shift-due-date.ts';
import { Validation } from '../../lending/request/validation.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import {
  collectInsuranceFilters,
  findInsuranceItems,
  type CatalogueView,
} from '../catalogue/catalogue-view.ts';
import { isProduct, selectProduct } from '../look-up/product-look-ups.ts';
import { chooseDiscounts, warnOfUnusedDiscounts, type Discount, appliesToInterest } from './discounts.ts';
import { chooseOffers, type Offer, calculateRates } from './offered-rates.ts';
import {
  appliesToCharge,
  listInsurances,
  priceCommissions,
  priceInsurances,
  type CatalogueCharge,
  toCommissionItems,
  toInsuranceItems,
  type DiscountedCharge,
  priceCharge,
  sumUpFrontCharges,
} from './charge-prices.ts';
import { calculateOffer } from './calculate-offer.ts';
import type { ChargeSelection } from './charge-selection.ts';
import { chooseCharges, warnOfCharges } from './chosen-charges.ts';
import { findLimits, warnOfUnusedIncome, type ProductLimits } from './national-limits.ts';
import { FormulaArguments } from './product-formula.ts';
import { readFilterFigures } from './decide-filters.ts';
import { buildLoan, type SimulatedLoan } from './loan-within-bounds.ts';
import {
  type FormulaInputPart,
  type SimulateRequest,
  type SimulationOutcome,
  type SimulationRecord,
  type SimulationRow,
} from './simulation.ts';
import { deduplicateFaults, addFaults } from './simulation-faults.ts';
import { internalRateOfReturn } from '../../lending/annual-rate/internal-rate-of-return.ts';
import {
  calculateRepaymentSchedule,
  type ScheduleContext,
} from '../../lending/calculate-repayment-schedule.ts';
import { formatMinorUnits, MAX_FIGURE_MINOR } from '../../lending/numbers/money.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import { INSTALLMENT_TYPE_IDS, type RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { CommissionListRecord } from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { fraction, scaledDecimal } from './exact-figures.ts';

export interface SimulateContext {
  readonly catalogue: CatalogueView;
  readonly calendars: KnownCalendars;
  /** UTC day of the request's timestamp. The loan starts on it (Q2), and records must be valid on it (L1). */
  readonly requestDay: CalendarDate;
  /** True: discounts with a missing figure are granted, so that a check of the catalogue finds their faults (L4). */
  readonly grantsUnstated?: boolean;
  /** Calculates only one offer, by its place among all, with changed terms (T5). */
  readonly variation?: OfferVariation | undefined;
}

export interface OfferVariation {
  readonly offer: number;
  readonly changeTerms: (terms: RepaymentScheduleRequest) => RepaymentScheduleRequest;
}

/** Row limit of all offers together (Q3). It bounds the time of a simulation and keeps its reply within one message. */
const MAX_ROWS = 36_000;
/** The payment is solved again for each rate in a request, which takes as long as a row for this many instalments. */
const INSTALLMENTS_PER_ROW = 100;

/** The part of the limit that remains with due dates in the rows of an offer, and with flows in its explanation (Q8). */
const OFFER_SHARE = 0.75;
const EXPLAINED_SHARE = 0.5;

type Inputs = Readonly<Record<FormulaInputPart, FormulaArguments>>;

/** Calculates all offers, or refuses the request. Offers are calculated only if the request itself has no fault. */
export function simulate(request: SimulateRequest, context: SimulateContext): SimulationOutcome {
  const steps = simulateInSteps(request, context);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Like {@link simulate}, but yields the remaining work, in rows, before each offer, so that other work can run. */
export function* simulateInSteps(
  request: SimulateRequest,
  current: SimulateContext,
): Generator<number, SimulationOutcome, undefined> {
  const context = { ...current, requestDay: request.Date ?? current.requestDay };
  const { catalogue, requestDay } = context;
  const selector = { code: { field: 'productCode', value: request.productCode } };
  const product = selectProduct(selector, catalogue, requestDay);
  if (!isProduct(product)) return { kind: 'refused', faults: product.faults, unknownProduct: true };
  const validation = new Validation();
  const refused = (): SimulationOutcome => ({
    kind: 'refused',
    faults: deduplicateFaults(validation.faults),
  });
  const inputs = readInputs(request, validation);
  const loan = buildLoan(request, product, context, validation);
  const offers = chooseOffers(request, product, context, validation);
  const items = findInsuranceItems(product, catalogue);
  const filters = collectInsuranceFilters(items);
  const figures = readFilterFigures('jsonInsuranceFilter', request, filters, validation);
  const listed = listInsurances(items, { figures, lists: catalogue }, requestDay);
  const charges = chooseCharges(request, { offers, insurances: listed, catalogue }, validation);
  const { selection } = charges;
  const complete = addCommissions(selectVaried(offers, current), { ...context, selection }, inputs);
  const prices = { requestDay, inputs: inputs.insuranceInput, selection };
  const insurances = priceInsurances(listed, prices, validation);
  const given = chooseDiscounts(request, product, { ...context, inputs: inputs.discountInput }, validation);
  const limits = findLimits(request, product, context, validation);
  if (loan === undefined) return refused();
  const recalculated = (request.jsonMultipleInterestRates?.length ?? 0) * loan.installmentsNo;
  const offerRows = loan.installmentsNo + Math.floor(recalculated / INSTALLMENTS_PER_ROW);
  refuseTooManyRows(offers.length, { ...loan, offerRows }, request, validation);
  if (validation.faults.length > 0) return refused();
  for (const input of Object.values(inputs)) input.warnOfUnused();
  const shared: SharedTerms = {
    request,
    product,
    loan,
    limits,
    discounts: given.discounts,
    insurances,
    inputs: inputs.interestInput,
    changeTerms: current.variation?.changeTerms ?? ((terms) => terms),
    schedule: createScheduleContext(context),
    cntInterestId: new Set(offers.map(({ interest }) => interest.Id)).size,
    cntInterestCommissionItemId: new Set(offers.map(({ item }) => item.Id)).size,
  };
  const records: SimulationRecord[] = [];
  for (const [index, offer] of complete.entries()) {
    yield (complete.length - index) * offerRows;
    const record = calculateRecord(offer, shared, validation);
    if (record !== undefined) records.push(record);
  }
  if (validation.faults.length > 0) return refused();
  warnOfUnusedDiscounts(given, validation);
  warnOfUnusedIncome(request, records, validation);
  const priced = [...insurances, ...complete.flatMap(({ commissions }) => commissions)];
  warnOfCharges(charges, { priced, product, loan }, validation);
  return { kind: 'simulation', records, calendar: records[0]?.calendar, warnings: validation.warnings };
}

function readInputs({ jsonInputFormula }: SimulateRequest, validation: Validation): Inputs {
  const read = (part: FormulaInputPart) => new FormulaArguments(part, jsonInputFormula, validation);
  return {
    interestInput: read('interestInput'),
    commissionInput: read('commissionInput'),
    insuranceInput: read('insuranceInput'),
    discountInput: read('discountInput'),
  };
}

function createScheduleContext({ catalogue, calendars, requestDay }: SimulateContext): ScheduleContext {
  return { requestDay, calendars: keepFound(calendars), catalogue: withoutCharges(catalogue.lending) };
}

function selectVaried(offers: readonly Offer[], { variation }: SimulateContext): readonly Offer[] {
  return variation === undefined ? offers : offers.slice(variation.offer, variation.offer + 1);
}

/** Leaves out the known charges: the terms of an offer contain all of its charges, so none is looked up by name. */
function withoutCharges(names: ScheduleCatalogue): ScheduleCatalogue {
  const { scheduleTypes, periodicities } = names;
  return { scheduleTypes, periodicities, findScheduleType: (name) => names.findScheduleType(name) };
}

/** Finds each calendar once, so that all offers use the same one even if the catalogue changes between them. */
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

function refuseTooManyRows(
  offers: number,
  { installmentsNo, offerRows }: { readonly installmentsNo: number; readonly offerRows: number },
  { Offer, Explain }: SimulateRequest,
  validation: Validation,
): void {
  const share = Offer !== true ? 1 : Explain === true ? EXPLAINED_SHARE : OFFER_SHARE;
  const maxRows = MAX_ROWS * share;
  if (offers * offerRows <= maxRows) return;
  if (offers * installmentsNo <= maxRows) {
    const message = `must have fewer items with ${offers} offers over ${installmentsNo} periods`;
    validation.reject('jsonMultipleInterestRates', 'too-many-rows', message);
    return;
  }
  const most = Math.floor(maxRows / offers);
  const message = `must be at most ${most} periods with ${offers} offers; use jsonFilterCommission to get fewer offers`;
  validation.reject('loanPeriod', 'too-many-rows', message);
}

/** Adds the commissions. Evaluates formulas of interests too, so that all missing arguments are reported together. */
function addCommissions(
  offers: readonly Offer[],
  { catalogue, requestDay, selection }: SimulateContext & { readonly selection: ChargeSelection },
  inputs: Inputs,
): readonly CompleteOffer[] {
  for (const { interest } of offers) {
    if (interest.Type === 'BankingFormula' && interest.Formula !== null) {
      inputs.interestInput.evaluate(interest.Formula);
    }
  }
  return offers.map((offer) => {
    const commissionList = catalogue.list('commission-list', offer.item.CommissionList);
    const prices = { requestDay, inputs: inputs.commissionInput, selection };
    const commissions = priceCommissions(commissionList, prices);
    return { ...offer, commissionList, commissions };
  });
}

interface CompleteOffer extends Offer {
  readonly commissionList: CommissionListRecord | undefined;
  readonly commissions: readonly CatalogueCharge[];
}

interface SharedTerms {
  readonly request: SimulateRequest;
  readonly product: ProductRecord;
  readonly loan: SimulatedLoan;
  readonly limits: ProductLimits | undefined;
  readonly discounts: readonly Discount[];
  readonly insurances: readonly CatalogueCharge[];
  readonly inputs: FormulaArguments;
  readonly changeTerms: OfferVariation['changeTerms'];
  readonly schedule: ScheduleContext;
  readonly cntInterestId: number;
  readonly cntInterestCommissionItemId: number;
}

function calculateRecord(
  offer: CompleteOffer,
  shared: SharedTerms,
  validation: Validation,
): SimulationRecord | undefined {
  const { interest, list, item } = offer;
  const { request, loan } = shared;
  const rates = calculateRates(interest, list, {
    requestDay: loan.start,
    installmentsNo: loan.installmentsNo,
    financed: fraction(loan.financed, 10 ** loan.digits),
    isOverdraft: loan.isOverdraft,
    sentRates: request.jsonMultipleInterestRates ?? [],
    inputs: shared.inputs,
    discounts: shared.discounts.filter(({ record }) => appliesToInterest(record, interest)),
  });
  const commissions = priceCharges(offer.commissions, shared, validation);
  const insurances = priceCharges(shared.insurances, shared, validation);
  if (rates === undefined || validation.faults.length > 0) return undefined;
  const charges = [...commissions, ...insurances];
  const toTerms = (fees: readonly DiscountedCharge[], covers: readonly DiscountedCharge[]) =>
    shared.changeTerms({ ...loan.terms, ...rates.terms, ...buildChargeTerms(fees, covers, loan) });
  const terms = toTerms(commissions, insurances);
  const outcome = calculateRepaymentSchedule(terms, shared.schedule);
  if (outcome.kind === 'refused') {
    const charged = { commissions: selectRepeated(commissions), insurances: selectRepeated(insurances) };
    addFaults(outcome.faults, { request, terms, interest, ...charged }, validation);
    return undefined;
  }
  // The warnings of the calculation are dropped: they concern terms of the product, not fields of the request.
  const figures = summariseSchedule(outcome, loan);
  const { product, limits } = shared;
  const origin = { productVersion: product.Version, explains: request.Explain === true, limits, terms };
  const offered = request.Offer === true ? calculateOffer(outcome, charges, loan, origin) : undefined;
  if (Math.max(figures.total, offered?.totalAmountPayable ?? 0) > MAX_FIGURE_MINOR) {
    const largest = formatMinorUnits(MAX_FIGURE_MINOR, loan.digits);
    return validation.reject('amount', 'amount-too-large', `must give a total of at most ${largest}`);
  }
  return {
    interestPercent: rates.percent,
    ...figures,
    interestId: interest.Id,
    interestListId: list.Id,
    interestCommissionItemId: item.Id,
    commissionListId: offer.commissionList?.Id ?? null,
    cntInterestId: shared.cntInterestId,
    cntInterestCommissionItemId: shared.cntInterestCommissionItemId,
    interest: rates.shown,
    commissions: commissions.map(({ shown }) => shown),
    insurances: insurances.map(({ shown }) => shown),
    calendar: outcome.calendar,
    // Without the charges that only the cost has, the rows are the same.
    terms: charges.every(isInSchedule)
      ? terms
      : toTerms(commissions.filter(isInSchedule), insurances.filter(isInSchedule)),
    ...(offered && { offer: offered }),
  };
}

function isInSchedule({ charge }: DiscountedCharge): boolean {
  return charge.place.inSchedule;
}

function selectRepeated(charges: readonly DiscountedCharge[]): readonly DiscountedCharge[] {
  return charges.filter(({ isOnce }) => !isOnce);
}

function priceCharges(
  charges: readonly CatalogueCharge[],
  { discounts, loan }: SharedTerms,
  validation: Validation,
): readonly DiscountedCharge[] {
  return charges.flatMap((charge) => {
    const lowering = discounts.filter(({ record }) => appliesToCharge(record, charge));
    return priceCharge(charge, lowering, loan, validation) ?? [];
  });
}

function buildChargeTerms(
  commissions: readonly DiscountedCharge[],
  insurances: readonly DiscountedCharge[],
  loan: SimulatedLoan,
): Pick<RepaymentScheduleRequest, 'AdvanceAmount' | 'Commission' | 'Insurance' | 'UpFrontValue'> {
  const Commission = toCommissionItems(selectRepeated(commissions), loan);
  const Insurance = toInsuranceItems(selectRepeated(insurances), loan);
  const upFront = sumUpFrontCharges([...commissions, ...insurances].filter(isInSchedule), loan);
  const isOnCreditValue = [...Commission, ...Insurance].some(
    ({ PercentAppliedTo }) => PercentAppliedTo === 'CreditValue',
  );
  return {
    ...(Commission.length > 0 && { Commission }),
    ...(Insurance.length > 0 && { Insurance }),
    ...(isOnCreditValue && { AdvanceAmount: scaledDecimal(BigInt(loan.downPayment), loan.digits) }),
    ...(upFront !== 0n && { UpFrontValue: scaledDecimal(upFront, loan.digits) }),
  };
}

/** The first figures are those of row 1; totals are column sums. Only `total` includes row 0's down payment (Q4). */
function summariseSchedule(schedule: RepaymentSchedule, loan: SimulatedLoan) {
  const { amount, downPayment, terms } = loan;
  const isInAdvance = terms.InterestType === 1;
  // Row 0 shows the whole amount and the down payment (Q1).
  const down: SimulationRow = {
    InstallmentNo: 0,
    remainingValue: amount,
    pmt: 0,
    interest: 0,
    principal: downPayment,
    managementFee: 0,
    totalInstallment: downPayment,
    dueDate: schedule.startDate,
  };
  const rows: SimulationRow[] = [down];
  const flows: number[] = [];
  const sums = { insurance: 0, fee: 0, total: down.totalInstallment };
  for (const row of schedule.rows) {
    rows.push(row);
    // The lender's share, without premiums, which go to the insurer (A3).
    const flow = row.interest + row.principal + row.managementFee;
    // In arrears a residual row is due on the day of the row before it, so it belongs to the same period (A3, B1).
    const isSameDay = !isInAdvance && row.installmentTypeId === INSTALLMENT_TYPE_IDS.Residual;
    flows.push(isSameDay ? (flows.pop() ?? 0) + flow : flow);
    sums.insurance += row.insurance ?? 0;
    sums.fee += row.managementFee;
    sums.total += row.totalInstallment;
  }
  const [first] = schedule.rows;
  // In advance row 1 is due at the start, on which the loan is paid out (B7).
  const drawn = loan.financed - (isInAdvance ? (flows.shift() ?? 0) : 0);
  return {
    currencyDigits: schedule.currencyDigits,
    // Its periods are equal ones (A3).
    irr: loan.startsRegular ? internalRateOfReturn(drawn, flows, loan.periodicity) : null,
    firstInstallment: first?.totalInstallment ?? 0,
    firstInsurance: first?.insurance ?? 0,
    totalInsurance: sums.insurance,
    firstFee: first?.managementFee ?? 0,
    totalFee: sums.fee,
    total: sums.total,
    rows,
  };
}
