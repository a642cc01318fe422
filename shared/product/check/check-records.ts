/** Checks the fields of Approved products and Active lists (L1, Q2, Q3, Q5, Q6, F1, F2, R1, R2). */

import { Decimal } from 'decimal.js';
import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import { findCalendar } from '../../lending/calendars/find-calendar.ts';
import { CHARGE_BASES } from '../../lending/charges/requested-charge-price.ts';
import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { HOLIDAY_METHODS } from '../../lending/due-dates/shift-due-date.ts';
import { compileFormula } from '../../lending/formula/compiler.ts';
import { parseFormula } from '../../lending/formula/parser.ts';
import { collectNames } from '../../lending/formula/tree.ts';
import {
  DEFAULT_CURRENCY_DIGITS,
  MAX_AMOUNT_MINOR,
  currencyDigits,
  formatMinorUnits,
} from '../../lending/numbers/money.ts';
import { MAX_INSTALLMENTS, MAX_RATE_PERCENT } from '../../lending/request/field-checks.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import {
  PRODUCT_TYPE_CODES,
  isProductType,
  servesProductType,
} from '../../lending/schedule-types/schedule-type.ts';
import { GRACE_TYPES } from '../../lending/terms/repayment-terms.ts';
import {
  KIND_FOLDERS,
  codeKey,
  type CatalogueRecord,
  type ListKind,
  type RecordKind,
} from '../catalogue/catalogue-record.ts';
import { selectEntries } from '../catalogue/catalogue-view.ts';
import type {
  CommissionRecord,
  DiscountRecord,
  InsuranceRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import type { Availability, ProductRecord } from '../catalogue/product-record.ts';
import type { FormulaRecord, ItemFilter, ValidDays } from '../catalogue/record-kinds.ts';
import { daysOverlap, isActive, startsBy, type WithStatus } from '../catalogue/version-in-force.ts';
import { BASES_AT_START, comesWithContract, readCharge } from '../simulation/charge-prices.ts';

export interface CheckContext {
  /** Undefined if schedule types, periodicities or calendars are faulty or unread; references to them are then not checked. */
  readonly lending: LendingCatalogue | undefined;
  readonly otherCalendars?: OtherCalendars | undefined;
  /** Kinds of which not all records could be read; every reference to them is valid. */
  readonly unknown?: ReadonlySet<RecordKind> | undefined;
}

/** A record, or a part of it, with what its references may name. */
export interface Place extends CheckContext {
  /** True also if a record with the code may exist because not all records of the kind could be read. */
  readonly hasProduct: (code: string) => boolean;
  readonly hasList: (kind: ListKind, code: string) => boolean;
  readonly charges: ChargeNames;
  /** `message` continues the name of the field: `must ...` or `names ...`. */
  readonly report: (field: string, message: string) => void;
}

/** Names, types and classes of the charges of Active lists, in lower case. */
type ChargeNames = Readonly<
  Record<'Commission' | 'CommissionType' | 'Insurance' | 'InsuranceClass', { has(name: string): boolean }>
>;

/** Limits of rates (percent, also negative), and of percentages and amounts of charges (M6). */
const RATE_LIMITS = { least: -MAX_RATE_PERCENT, most: MAX_RATE_PERCENT };
const PERCENT_LIMITS = { least: 0, most: MAX_RATE_PERCENT };
const MONEY_LIMITS = { least: 0, most: MAX_AMOUNT_MINOR };
type Limits = typeof RATE_LIMITS;

const MAX_DECIMALS = 20;
const WHOLE_PERCENT = 100;

/** Reports the faults of an Approved product or an Active list. Other records are not checked. */
export function checkRecord({ kind, record }: CatalogueRecord, place: Place): void {
  if (kind === 'product' && record.Status === 'Approved') checkProduct(record, place);
  if (!('Status' in record) || record.Status !== 'Active') return;
  if (kind === 'interest-list') checkInterests(record.Interests, place);
  else if (kind === 'commission-list') checkNamed('Commissions', record.Commissions, place, checkCommission);
  else if (kind === 'insurance-list') checkNamed('Insurances', record.Insurances, place, checkInsurance);
  else if (kind === 'discount-list') checkNamed('Discounts', record.Discounts, place, checkDiscount);
}

/** Collects the names that discounts may refer to. If lists are unreadable, any name may exist. */
export function collectChargeNames(
  records: readonly CatalogueRecord[],
  mayExist: (kind: RecordKind) => boolean,
): ChargeNames {
  const active = <Kind extends 'commission-list' | 'insurance-list'>(kind: Kind) =>
    selectEntries(records, kind).flatMap(({ record }) => (record.Status === 'Active' ? [record] : []));
  const commissions = active('commission-list').flatMap((list) => list.Commissions);
  const insurances = active('insurance-list').flatMap((list) => list.Insurances);
  const namesIn =
    <Item>(kind: ListKind, items: readonly Item[]) =>
    (nameOf: (item: Item) => string | null) =>
      mayExist(kind)
        ? { has: () => true }
        : new Set(items.flatMap((item) => nameOf(item)?.trim().toLowerCase() ?? []));
  const ofCommissions = namesIn('commission-list', commissions);
  const ofInsurances = namesIn('insurance-list', insurances);
  return {
    Commission: ofCommissions(({ Name }) => Name),
    CommissionType: ofCommissions(({ Type }) => Type),
    Insurance: ofInsurances(({ InsuranceName }) => InsuranceName),
    InsuranceClass: ofInsurances(({ Class }) => Class),
  };
}

function checkProduct(product: ProductRecord, place: Place): void {
  const { report } = place;
  checkDays(['StartDate', 'EndDate'], product, place);
  if (!isProductType(product.BankingProductType)) {
    report('BankingProductType', `must be one of ${PRODUCT_TYPE_CODES.join(', ')}, or the name of one`);
  }
  for (const field of ['CapitalPercent', 'ResidualPercent'] as const) {
    if ((product[field] ?? 0) > WHOLE_PERCENT) report(field, `must be at most ${WHOLE_PERCENT}, or null`);
  }
  checkAvailability(product.Availability, partOf('Availability', place));
  checkGeneralData(product, partOf('GeneralData', place));
  checkCalendars(product, place);
  checkScheduleTypes(product, place);
  checkOffer(product, place);
  checkItems('InterestsAndCommissions', product.InterestsAndCommissions, place, (item, at) => {
    if (item.InterestList === null && item.CommissionList === null) {
      at.report('InterestList', 'is missing; InterestList or CommissionList must name a list');
    }
    checkListName(['InterestList', 'interest-list', item.InterestList], at);
    checkListName(['CommissionList', 'commission-list', item.CommissionList], at);
    checkFilters(item.Filters, at);
  });
  checkItems('Insurances', product.Insurances, place, (item, at) => {
    checkDays(['StartDate', 'EndDate'], item, at);
    checkListName(['InsuranceList', 'insurance-list', item.InsuranceList], at);
    checkFilters(item.Filters, at);
  });
  // The second name of a list would have no effect (Q5).
  const lists = product.Discounts.map(codeKey);
  for (const [index, code] of product.Discounts.entries()) {
    const first = lists.indexOf(codeKey(code));
    const twice = `names the discount list ${code}, as Discounts[${first}] does: remove one of them`;
    if (first < index) report(`Discounts[${index}]`, twice);
    else checkListName([`Discounts[${index}]`, 'discount-list', code], place);
  }
  checkItems('AssociatedProducts', product.AssociatedProducts, place, ({ AssociatedProductCode }, at) => {
    const message = `names the product ${AssociatedProductCode}, which is not in the catalogue: add it to products, or name another`;
    if (!place.hasProduct(AssociatedProductCode)) at.report('AssociatedProductCode', message);
  });
}

function checkAvailability(availability: Availability, place: Place): void {
  checkCurrency(availability.Currency, place);
  for (const bound of ['Period', 'Amount', 'Advance'] as const) {
    const [least, most] = [`Minimum${bound}`, `Maximum${bound}`] as const;
    checkBounds([least, availability[least]], [most, availability[most]], place);
  }
  for (const field of ['MinimumAdvance', 'MaximumAdvance'] as const) {
    if ((availability[field] ?? 0) <= WHOLE_PERCENT) continue;
    place.report(field, `must be at most ${WHOLE_PERCENT}: it is a percentage of the amount`);
  }
  checkItems('ProductCovenants', availability.ProductCovenants, place, (covenant, at) =>
    checkDays(['ValidFrom', 'ValidTo'], covenant, at),
  );
}

function checkGeneralData({ GeneralData }: ProductRecord, place: Place): void {
  checkPeriodicity(GeneralData.PeriodicityType, place);
  const choices = { HolidayShiftMethod: HOLIDAY_METHODS, GraceType: GRACE_TYPES };
  for (const field of ['HolidayShiftMethod', 'GraceType'] as const) {
    const known: readonly string[] = choices[field];
    const chosen = GeneralData[field];
    if (chosen === null || known.includes(chosen)) continue;
    place.report(field, `must be one of ${known.join(', ')}, or null`);
  }
}

/** Each calendar must be known. All of them combined must leave business days to which due dates can be shifted (H2). */
function checkCalendars({ CountryCalendars }: ProductRecord, place: Place): void {
  const { lending, otherCalendars, report } = place;
  if (lending === undefined || CountryCalendars.length === 0) return;
  const isKnown = (name: string): boolean =>
    findCalendar(name, { catalogue: lending.calendars, others: otherCalendars }) !== undefined;
  const unknown = CountryCalendars.filter((name) => !isKnown(name));
  for (const name of unknown) {
    const message = `names the calendar ${name}, which is not known: add it to calendars, or name a country or TARGET`;
    report(`CountryCalendars[${CountryCalendars.indexOf(name)}]`, message);
  }
  if (unknown.length === 0 && !isKnown(CountryCalendars.join('+'))) {
    report('CountryCalendars', 'must leave at least one business day when combined: remove one');
  }
}

/** The schedule types must be known and support the product type (S1, S4). */
function checkScheduleTypes({ PaymentScheduleTypes, BankingProductType }: ProductRecord, place: Place): void {
  const { lending, report } = place;
  if (lending === undefined) return;
  for (const [index, name] of PaymentScheduleTypes.entries()) {
    const type = lending.findScheduleType(name)?.type;
    const field = `PaymentScheduleTypes[${index}]`;
    if (type === undefined) report(field, describeMissing('schedule-type', name));
    else if (isProductType(BankingProductType) && !servesProductType(type, BankingProductType)) {
      const message = `names ${name}, which does not support products of type ${BankingProductType}: name another`;
      report(field, message);
    }
  }
}

/** A simulation needs a schedule type and an interest (Q2, Q3). A product must have both or neither. */
function checkOffer({ PaymentScheduleTypes, InterestsAndCommissions }: ProductRecord, place: Place): void {
  const hasTypes = PaymentScheduleTypes.length > 0;
  const hasInterests = InterestsAndCommissions.some(({ InterestList }) => InterestList !== null);
  // An item without either list is reported separately.
  const isHalf = InterestsAndCommissions.some(
    ({ InterestList, CommissionList }) => InterestList === null && CommissionList === null,
  );
  const only = 'a product without both can only be looked up';
  if (hasInterests && !hasTypes) {
    const message = `must name a schedule type, or no item may have an InterestList: ${only}`;
    place.report('PaymentScheduleTypes', message);
  }
  if (hasTypes && !hasInterests && !isHalf) {
    const message = `must have an item with an InterestList, or PaymentScheduleTypes must be empty: ${only}`;
    place.report('InterestsAndCommissions', message);
  }
}

function checkCommission(commission: CommissionRecord, place: Place): void {
  const { ValueIsPercent, Percent, IsForUnusage, PercentAppliedTo } = commission;
  const { report } = place;
  checkCharge(commission, place);
  checkPercent('Percent', Percent, PERCENT_LIMITS, place);
  if ((commission.GracePeriodFee ?? 0) > MAX_INSTALLMENTS) {
    report('GracePeriodFee', `must be at most ${MAX_INSTALLMENTS}, or null`);
  }
  checkItems('Values', commission.Values, place, (value, at) => {
    checkPercent('CommissionPercent', value.CommissionPercent, PERCENT_LIMITS, at);
    checkMoney('CommissionValue', value.CommissionValue, commission.Currency, at);
    if (ValueIsPercent && value.CommissionPercent === null && Percent === null) {
      const message = 'is missing; must be set, or Percent of the commission, because ValueIsPercent is true';
      at.report('CommissionPercent', message);
    }
    if (!ValueIsPercent && value.CommissionValue === null) {
      at.report('CommissionValue', 'is missing; must be set, because ValueIsPercent is false');
    }
  });
  if (IsForUnusage && !ValueIsPercent) {
    report('ValueIsPercent', 'must be true: a commission on the unused amount is a percentage of it');
  }
  if (IsForUnusage && PercentAppliedTo !== null && PercentAppliedTo !== 'UnusedAmount') {
    report('PercentAppliedTo', 'must be UnusedAmount or null, because IsForUnusage is true');
  }
}

function checkInsurance(insurance: InsuranceRecord, place: Place): void {
  checkCharge(insurance, place);
  checkItems('Values', insurance.Values, place, ({ Value }, at) => {
    if (insurance.ValueIsPercentage) checkPercent('Value', Value, PERCENT_LIMITS, at);
    else checkMoney('Value', Value, insurance.Currency, at);
  });
  checkFilters(insurance.Filters, place);
}

function checkCharge(record: CommissionRecord | InsuranceRecord, place: Place): void {
  const { PercentAppliedTo: base, PeriodicityType } = record;
  const { isPercent } = readCharge(record);
  checkCurrency(record.Currency, place);
  checkPeriodicity(PeriodicityType, place);
  const refuseBase = (message: string): void => place.report('PercentAppliedTo', message);
  if (base !== null && !CHARGE_BASES.some((known) => known === base)) {
    refuseBase(`must be one of ${CHARGE_BASES.join(', ')}, or null for the financed amount`);
  }
  checkFormulaUse(record, isPercent ? PERCENT_LIMITS : MONEY_LIMITS, place);
  checkValues(record.Values, place);
  if (!isPercent || !comesWithContract(record)) return;
  // The percentage of a charge that comes with every contract must be applied to a figure of the simulation (Q6).
  const isOnce = findPeriodicity(PeriodicityType, place.lending?.periodicities)?.unit === 'Once';
  if (isOnce && base !== null && !BASES_AT_START.has(codeKey(base))) {
    refuseBase('must be FinancedAmount, RemainingValue or null, because a Once charge is paid at the start');
  } else if (base === 'UnusedAmount') {
    refuseBase('must be another figure: simulations include this charge, and have no unused amount');
  }
}

const DIMENSIONS = {
  InterestType: 'Interest',
  Commission: 'Commission',
  CommissionType: 'Commission',
  Insurance: 'Insurance',
  InsuranceClass: 'Insurance',
} as const;

const NAMED: Readonly<Record<keyof ChargeNames, string>> = {
  Commission: 'commission',
  CommissionType: 'type of commissions',
  Insurance: 'insurance',
  InsuranceClass: 'class of insurances',
};

function checkDiscount(discount: DiscountRecord, place: Place): void {
  const { DiscountValue, IsPercentage, Formula, AppliedToDimension } = discount;
  const { report } = place;
  checkDays(['StartDate', 'EndDate'], discount, place);
  checkFormulaUse(discount, IsPercentage ? PERCENT_LIMITS : MONEY_LIMITS, place);
  checkFilters(discount.Filters, place);
  if (DiscountValue === null && Formula === null) {
    report('DiscountValue', 'is missing; must be a number from 0, unless the discount has a Formula');
  }
  if (DiscountValue !== null && IsPercentage && DiscountValue > WHOLE_PERCENT) {
    report('DiscountValue', `must be at most ${WHOLE_PERCENT}, because IsPercentage is true`);
  }
  for (const field of Object.keys(DIMENSIONS) as (keyof typeof DIMENSIONS)[]) {
    const dimension = DIMENSIONS[field];
    if (dimension === AppliedToDimension || discount[field] === null) continue;
    report(field, `must be left out, because AppliedToDimension is ${AppliedToDimension}, not ${dimension}`);
  }
  for (const field of Object.keys(NAMED) as (keyof ChargeNames)[]) {
    const name = discount[field];
    if (name === null || place.charges[field].has(codeKey(name))) continue;
    const message = `names the ${NAMED[field]} ${name}, which no Active list of the catalogue has: add it, or name another`;
    report(field, message);
  }
}

/** True if a simulation without an interest type uses the interest (Q3). */
function isDefault(interest: InterestRecord): boolean {
  return interest.IsDefault && isActive(interest) && !interest.IsPenalty;
}

function checkInterests(interests: readonly InterestRecord[], place: Place): void {
  checkNames('Interests', interests, place);
  const first = interests.findIndex(isDefault);
  for (const [index, interest] of interests.entries()) {
    if (index === first || !isDefault(interest)) continue;
    const message = `must be false here or in Interests[${first}]: only one interest can be the default`;
    place.report(`Interests[${index}].IsDefault`, message);
  }
  // The rate of a range must be an interest with values.
  const rates = interests.filter(
    ({ Type, Status }) => (Type === 'Fixed' || Type === 'Variable') && Status === 'Active',
  );
  const rateNames = new Set(rates.map(({ Name }) => codeKey(Name)));
  checkItems('Interests', interests, place, (interest, at) => {
    checkValues(interest.Values, at);
    checkItems('Values', interest.Values, at, ({ Value }, atValue) =>
      checkPercent('Value', Value, RATE_LIMITS, atValue),
    );
    checkType(interest, at);
    checkRanges(interest, rateNames, at);
    checkBands(interest, at);
  });
}

/** The type of an interest determines which field holds its rate. The other fields would have no effect. */
function checkType(interest: InterestRecord, place: Place): void {
  const { Type, CollectionInterests, BandedInterests, Formula } = interest;
  const { report } = place;
  const isFormula = Type === 'BankingFormula';
  if (Type === 'Collection' && CollectionInterests.length > 0 === BandedInterests.length > 0) {
    const message = 'must have items, or BandedInterests must, but not both: the Type is Collection';
    report('CollectionInterests', message);
  }
  for (const field of ['CollectionInterests', 'BandedInterests'] as const) {
    if (Type === 'Collection' || interest[field].length === 0) continue;
    report(field, `must be left out, because the Type is ${Type}, not Collection`);
  }
  if (isFormula && Formula === null) {
    report('Formula', 'is missing; must be set, because the Type is BankingFormula');
  }
  if (!isFormula && Formula !== null) {
    report('Formula', `must be left out, because the Type is ${Type}, not BankingFormula`);
  }
  if (interest.UseBankingFormula !== isFormula) {
    report('UseBankingFormula', `must be ${isFormula ? 'true' : 'false'}: the Type is ${Type}`);
  }
  if (Formula !== null) checkFormula(Formula, RATE_LIMITS, place);
}

function checkRanges(
  { CollectionInterests: ranges }: InterestRecord,
  rates: ReadonlySet<string>,
  place: Place,
): void {
  checkItems('CollectionInterests', ranges, place, (range, at) => {
    const { InterestName, InterestStartPeriod: from, InterestEndPeriod: to } = range;
    const message = `names ${InterestName}, which is not an Active interest of Type Fixed or Variable in this list: add it, or name another`;
    if (!rates.has(codeKey(InterestName))) at.report('InterestName', message);
    if (from === 0) at.report('InterestStartPeriod', 'must be at least 1, or null');
    checkBounds(['InterestStartPeriod', from], ['InterestEndPeriod', to], at);
    checkDays(['InterestStartDate', 'InterestEndDate'], range, at);
  });
  const spans = ranges.map((range) => ({
    ValidFrom: range.InterestStartDate,
    ValidTo: range.InterestEndDate,
    from: range.InterestStartPeriod ?? 1,
    to: (range.InterestEndPeriod ?? Number.POSITIVE_INFINITY) + 1,
  }));
  checkSpans('CollectionInterests', spans, place);
}

function checkBands({ BandedInterests: bands }: InterestRecord, place: Place): void {
  checkItems('BandedInterests', bands, place, (band, at) => {
    const { MinUtilizedAmount: from, MaxUtilizedAmount: to } = band;
    checkBounds(['MinUtilizedAmount', from], ['MaxUtilizedAmount', to], at);
    if (to === (from ?? 0)) {
      at.report('MaxUtilizedAmount', 'must be above MinUtilizedAmount, or null: the band is empty');
    }
    checkPercent('Value', band.Value, RATE_LIMITS, at);
    checkDays(['CollectionValidFrom', 'CollectionValidTo'], band, at);
  });
  const spans = bands.map((band) => ({
    ValidFrom: band.CollectionValidFrom,
    ValidTo: band.CollectionValidTo,
    from: band.MinUtilizedAmount ?? 0,
    to: band.MaxUtilizedAmount ?? Number.POSITIVE_INFINITY,
  }));
  checkSpans('BandedInterests', spans, place);
}

/** An instalment, or an amount, may have only one rate on any day. `to` is not part of the span. */
function checkSpans(
  list: string,
  spans: readonly (ValidDays & { readonly from: number; readonly to: number })[],
  { report }: Place,
): void {
  for (const [index, span] of spans.entries()) {
    const earlier = spans
      .slice(0, index)
      .findIndex((other) => daysOverlap(span, other) && span.from < other.to && other.from < span.to);
    const message = `must not overlap ${list}[${earlier}]: end one before the other starts`;
    if (earlier >= 0) report(`${list}[${index}]`, message);
  }
}

/** At most one Active value may be valid on any day. */
function checkValues(values: readonly (ValidDays & WithStatus)[], place: Place): void {
  for (const [index, value] of values.entries()) {
    const field = `Values[${index}]`;
    checkDays(['ValidFrom', 'ValidTo'], value, partOf(field, place));
    if (!isActive(value)) continue;
    const earlier = values.slice(0, index).findIndex((other) => isActive(other) && daysOverlap(value, other));
    const message = `must not share a day with Values[${earlier}]: end one before the other starts`;
    if (earlier >= 0) place.report(field, message);
  }
}

function partOf(part: string, place: Place): Place {
  return { ...place, report: (field, message) => place.report(`${part}.${field}`, message) };
}

function checkItems<Item>(
  list: string,
  items: readonly Item[],
  place: Place,
  check: (item: Item, at: Place) => void,
): void {
  for (const [index, item] of items.entries()) check(item, partOf(`${list}[${index}]`, place));
}

type Named = { readonly Name: string } | { readonly InsuranceName: string };

function checkNamed<Item extends Named>(
  list: string,
  items: readonly Item[],
  place: Place,
  check: (item: Item, at: Place) => void,
): void {
  checkNames(list, items, place);
  checkItems(list, items, place, check);
}

/** Names of the items of a list must be unique, case-insensitively. */
function checkNames(list: string, items: readonly Named[], { report }: Place): void {
  const first = new Map<string, string>();
  for (const [index, item] of items.entries()) {
    const [field, name] = 'Name' in item ? ['Name', item.Name] : ['InsuranceName', item.InsuranceName];
    const path = `${list}[${index}].${field}`;
    const earlier = first.get(codeKey(name));
    if (earlier === undefined) first.set(codeKey(name), path);
    else report(path, `must be unique: ${name} is also ${earlier}`);
  }
}

function checkDays<Field extends string>(
  [from, to]: readonly [from: Field, to: Field],
  record: Readonly<Record<Field, string | null>>,
  { report }: Place,
): void {
  if (!startsBy(record[from], record[to])) report(to, `must not be before ${from}: swap the two days`);
}

function checkBounds(
  [least, most]: readonly [field: string, value: number | null],
  [largest, bound]: readonly [field: string, value: number | null],
  { report }: Place,
): void {
  if (most === null || bound === null || most <= bound) return;
  report(largest, `must not be below ${least}, which is ${most}: swap the two, or send null for no bound`);
}

function checkFilters(filters: readonly ItemFilter[], place: Place): void {
  checkItems('Filters', filters, place, (filter, at) => {
    if ('From' in filter) checkBounds(['From', filter.From], ['To', filter.To], at);
    if ('Values' in filter && filter.Values.length === 0) {
      at.report('Values', 'must have at least one number');
    }
    if ('List' in filter) checkListName(['List', 'custom-list', filter.List], at);
  });
}

function checkListName(
  [field, kind, code]: readonly [field: string, kind: ListKind, code: string | null],
  { hasList, report }: Place,
): void {
  if (code !== null && !hasList(kind, code)) report(field, describeMissing(kind, code));
}

function describeMissing(kind: RecordKind, code: string): string {
  const what = kind.replace('-', ' ');
  return `names the ${what} ${code}, which is not in the catalogue or not Active: add it to ${KIND_FOLDERS[kind]}, or name another`;
}

function checkPeriodicity(name: string, { lending, report }: Place): void {
  if (lending === undefined || findPeriodicity(name, lending.periodicities) !== undefined) return;
  const known = lending.periodicities.map((periodicity) => periodicity.name).join(', ');
  const message = `names the periodicity ${name}, which is not known: add it to periodicities, or name one of ${known}`;
  report('PeriodicityType', message);
}

/** An expression must use exactly the declared arguments. Without arguments its value must be within the limits. */
function checkFormula(formula: FormulaRecord, { least, most }: Limits, place: Place): void {
  const { report } = partOf('Formula', place);
  const inputs = new Set(formula.Inputs.map(codeKey));
  if (inputs.size < formula.Inputs.length) report('Inputs', 'must name each argument once');
  const tree = parseFormula(formula.Expression);
  if (tree.kind === 'formula-error') {
    return report('Expression', `cannot be read at position ${tree.at}: ${tree.message}`);
  }
  const names = [...collectNames(tree).keys()];
  const undeclared = names.filter((used) => !inputs.has(codeKey(used)));
  for (const name of undeclared) {
    report('Expression', `names ${name}, which is not one of Inputs: add it there, or correct the name`);
  }
  const used = new Set(names.map(codeKey));
  for (const name of formula.Inputs.filter((input) => !used.has(codeKey(input)))) {
    report('Inputs', `must not have ${name}, which Expression does not use: remove it`);
  }
  if (undeclared.length > 0) return undefined;
  const compiled = compileFormula(tree, { getSlot: () => 0, rounding: 'HALF_UP' });
  if ('kind' in compiled) {
    return report('Expression', `cannot be calculated at position ${compiled.at}: ${compiled.message}`);
  }
  if (compiled.constant === undefined) return undefined;
  const { numerator, denominator } = compiled.constant;
  const isWithin = numerator >= BigInt(least) * denominator && numerator <= BigInt(most) * denominator;
  return isWithin ? undefined : report('Expression', `must give a value from ${least} to ${most}`);
}

function checkFormulaUse(
  { UseBankingFormula, Formula }: { UseBankingFormula: boolean; Formula: FormulaRecord | null },
  limits: Limits,
  place: Place,
): void {
  if (Formula !== null) checkFormula(Formula, limits, place);
  if (UseBankingFormula && Formula === null) {
    place.report('Formula', 'is missing; must be set, or UseBankingFormula must be false');
  }
  if (!UseBankingFormula && Formula !== null) {
    place.report('UseBankingFormula', 'must be true, or Formula must be left out');
  }
}

function checkCurrency(currency: string, { report }: Place): void {
  if (currencyDigits(currency) !== undefined) return;
  report('Currency', 'must be a currency code of ISO 4217, such as EUR');
}

function checkPercent(field: string, value: number | null, { least, most }: Limits, place: Place): void {
  if (value === null) return;
  if (value < least || value > most) place.report(field, `must be from ${least} to ${most} percent`);
  else if (new Decimal(value).decimalPlaces() > MAX_DECIMALS) {
    place.report(field, `must have at most ${MAX_DECIMALS} decimals`);
  }
}

function checkMoney(field: string, value: number | null, currency: string, { report }: Place): void {
  const digits = currencyDigits(currency) ?? DEFAULT_CURRENCY_DIGITS;
  const largest = formatMinorUnits(MAX_AMOUNT_MINOR, digits);
  if (value !== null && value > Number(largest)) report(field, `must be at most ${largest} ${currency}`);
}
