/** Simulates products at both ends of their bounds, to find those that fail because of the catalogue alone (Q2-Q7). */

import { Decimal } from 'decimal.js';
import { findCalendar } from '../../lending/calendars/find-calendar.ts';
import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import {
  formatCalendarDate,
  parseCalendarDate,
  type CalendarDate,
} from '../../lending/dates/calendar-date.ts';
import { findPeriodicity, type Periodicity } from '../../lending/dates/periodicity.ts';
import { DEFAULT_CURRENCY_DIGITS, currencyDigits } from '../../lending/numbers/money.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/field-checks.ts';
import type { CatalogueEntry, CatalogueFault } from '../../lending/schedule-types/lending-catalogue.ts';
import type { CompiledScheduleType } from '../../lending/schedule-types/schedule-type.ts';
import { isSameCode } from '../catalogue/catalogue-record.ts';
import { findInsuranceItems, type CatalogueView } from '../catalogue/catalogue-view.ts';
import { INTEREST_OPTION_IDS } from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { chargeTitle, readCharge } from '../simulation/charge-prices.ts';
import { isOptional, type ChargeRecord } from '../simulation/charge-selection.ts';
import { findPeriodRange } from '../simulation/loan-within-bounds.ts';
import { FORMULA_INPUT_PARTS, type SimulateRequest } from '../simulation/simulation.ts';
import { simulate } from '../simulation/simulate-product.ts';
import { describeRecord } from './check-catalogue.ts';

interface SimulationCheck {
  readonly catalogue: CatalogueView;
  readonly otherCalendars?: OtherCalendars | undefined;
  /** The day of the simulations. A product that becomes valid later is simulated on its first day. */
  readonly today: CalendarDate;
}

type Loan = Pick<SimulateRequest, 'amount' | 'loanPeriod' | 'downPayment'>;

const LARGE_AMOUNT = 1_000_000;
const PERCENT = 100;
/** Stands for the default calendar, which each instance configures. */
const ANY_CALENDAR = 'TARGET';
const ANY_FIGURE = new Decimal(1);
/** Paths of faults that depend on what a caller sends, not on the catalogue alone. */
const BY_CALLER = /^(?:json|interestType$|installmentValue$|principalValue$)/;

/** For products valid today or later, reports the schedule types with which a loan at the bounds is refused. */
export function checkSimulations(
  products: readonly CatalogueEntry<ProductRecord>[],
  check: SimulationCheck,
): readonly CatalogueFault[] {
  return products.flatMap((entry) => {
    const messages = new Set(checkProduct(entry.record, check));
    const record = describeRecord({ kind: 'product', ...entry });
    return [...messages].map((message) => ({ source: entry.source, record, message }));
  });
}

function checkProduct(product: ProductRecord, check: SimulationCheck): readonly string[] {
  const { catalogue } = check;
  const first = parseCalendarDate(product.StartDate ?? '') ?? check.today;
  const requestDay = first > check.today ? first : check.today;
  const periodicity = findPeriodicity(product.GeneralData.PeriodicityType, catalogue.lending.periodicities);
  if (periodicity === undefined || catalogue.product(product.Code, requestDay) !== product) return [];
  const ofTypes = product.PaymentScheduleTypes.flatMap((name, place) => {
    const type = catalogue.lending.findScheduleType(name);
    if (type === undefined) return [];
    const loans = listLoans(product, { type, periodicity, start: requestDay });
    if (typeof loans === 'string') return [loans];
    // An offer has more charges than a simulation, but a deposit has none (Q8).
    const Offer = !type.type.interestCapitalization;
    const faults = loans.flatMap((loan) =>
      refusalsOf(product, { ...loan, scheduleType: name, Offer }, requestDay, check),
    );
    return faults
      .slice(0, 1)
      .map((fault) => `PaymentScheduleTypes[${place}] names ${type.type.name}, ${fault}`);
  });
  return [...ofTypes, ...listForeignChoices(product, catalogue)];
}

/** The simulations have no optional charge. One in another currency would be refused (Q6). */
function listForeignChoices(product: ProductRecord, catalogue: CatalogueView): readonly string[] {
  const { Currency } = product.Availability;
  if (product.PaymentScheduleTypes.length === 0) return [];
  const foreign = listCharges(product, catalogue).filter(
    (record) => isOptional(record) && !isSameCode(record.Currency, Currency),
  );
  return foreign.map(
    (record) =>
      `Availability.Currency is ${Currency}, but that of the ${chargeTitle(readCharge(record))}, which a request can choose, is ${record.Currency}: make them the same`,
  );
}

/** The charges that offers can have: without an interest there is none. */
function listCharges(product: ProductRecord, catalogue: CatalogueView): readonly ChargeRecord[] {
  const items = product.InterestsAndCommissions.filter(({ InterestList }) => InterestList !== null);
  const lists = items.map(({ CommissionList }) => catalogue.list('commission-list', CommissionList));
  return [
    ...lists.flatMap((list) => list?.Commissions ?? []),
    ...findInsuranceItems(product, catalogue).flatMap(({ list }) => list.Insurances),
  ];
}

/** Returns the smallest loan with the shortest term and the largest with the longest, or the fault if there is none. */
function listLoans(
  { Availability }: ProductRecord,
  { type, periodicity, start }: { type: CompiledScheduleType; periodicity: Periodicity; start: CalendarDate },
): readonly Loan[] | string {
  const { MinimumAmount, MaximumAmount, MinimumAdvance, Currency } = Availability;
  const digits = currencyDigits(Currency) ?? DEFAULT_CURRENCY_DIGITS;
  const unit = new Decimal(10).pow(-digits);
  const least = Decimal.max(unit, new Decimal(MinimumAmount ?? 0).toDecimalPlaces(digits, Decimal.ROUND_UP));
  const most =
    MaximumAmount === null
      ? Decimal.max(least, LARGE_AMOUNT)
      : new Decimal(MaximumAmount).toDecimalPlaces(digits, Decimal.ROUND_DOWN);
  if (most.lessThan(least)) {
    return `Availability.MaximumAmount must allow an amount above zero with at most ${digits} decimals, those of ${Currency}: raise it`;
  }
  const range = findPeriodRange({ periodicity, start }, Availability);
  if (range === undefined) {
    return `Availability.MaximumPeriod must allow a whole number of ${periodicity.name} periods from MinimumPeriod on, at most ${MAX_INSTALLMENTS}: change the bounds`;
  }
  const { shortest, longest } = range;
  const limit = periodicity.unit === 'Once' ? null : type.type.maximumInstallments;
  const ends = [
    [least, shortest],
    [most, Math.max(shortest, Math.min(longest, limit ?? longest))],
  ] as const;
  return ends.map(([amount, loanPeriod]) => ({
    amount,
    loanPeriod,
    downPayment: amount
      .times(MinimumAdvance ?? 0)
      .dividedBy(PERCENT)
      .toDecimalPlaces(digits, Decimal.ROUND_UP),
  }));
}

/** Simulates the loan with each interest type of the product, and returns the faults that the catalogue causes. */
function refusalsOf(
  product: ProductRecord,
  loan: Loan & Pick<SimulateRequest, 'scheduleType' | 'Offer'>,
  requestDay: CalendarDate,
  { catalogue, otherCalendars }: SimulationCheck,
): readonly string[] {
  const { types, jsonInputFormula } = readLists(product, catalogue);
  const calendars = {
    find: (name: string) =>
      findCalendar(name, { catalogue: catalogue.lending.calendars, others: otherCalendars }),
    defaultName: ANY_CALENDAR,
  };
  const faults = types.flatMap((type) => {
    const interestType = type && INTEREST_OPTION_IDS[type];
    const request = { ...loan, productCode: product.Code, interestType, jsonInputFormula };
    const outcome = simulate(request, { catalogue, calendars, requestDay, grantsUnstated: true });
    if (outcome.kind !== 'refused') return [];
    return outcome.faults.filter(({ path, code }) => !BY_CALLER.test(path) && code !== 'too-many-rows');
  });
  const { Currency } = product.Availability;
  const refused = `with which ${loan.amount.toString()} ${Currency} over ${loan.loanPeriod} periods from ${formatCalendarDate(requestDay)} cannot be simulated`;
  return faults.map(({ path, message }) => `${refused}: ${path} ${message}`);
}

/** Returns the types of the offered interests (`[undefined]` without any), and 1 for each argument of the formulas. */
function readLists(product: ProductRecord, catalogue: CatalogueView) {
  const items = product.InterestsAndCommissions;
  const interests = items.flatMap(
    (item) => catalogue.list('interest-list', item.InterestList)?.Interests ?? [],
  );
  const offered = interests.filter(({ Status, IsPenalty }) => Status === 'Active' && !IsPenalty);
  const priced = [
    ...interests,
    ...listCharges(product, catalogue),
    ...product.Discounts.flatMap((code) => catalogue.list('discount-list', code)?.Discounts ?? []),
  ];
  const names = new Set(
    priced.flatMap(({ Formula }) => Formula?.Inputs ?? []).map((name) => name.toLowerCase()),
  );
  const figures = [...names].map((name) => ({ name, value: ANY_FIGURE }));
  const jsonInputFormula = Object.fromEntries(FORMULA_INPUT_PARTS.map((part) => [part, figures]));
  const types = [...new Set(offered.map(({ Type }) => Type))];
  return { types: types.length === 0 ? [undefined] : types, jsonInputFormula };
}
