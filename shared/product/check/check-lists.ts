/** Checks the fields of Active lists (Q3, Q5, Q6, Q9, F1, F2, N9, R1, R2). */

import { Decimal } from 'decimal.js';
import { CHARGE_BASES } from '../../lending/charges/charge-base.ts';
import { findPeriodicity } from '../../lending/dates/periodicity.ts';
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
import { codeKey, type CatalogueRecord, type RecordKind } from '../catalogue/catalogue-record.ts';
import { selectEntries } from '../catalogue/catalogue-view.ts';
import type {
  CommissionRecord,
  DiscountRecord,
  InsuranceRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import type { LimitRecord } from '../catalogue/limit-list.ts';
import { namesIn, type NotificationTemplateRecord } from '../catalogue/notification-template.ts';
import type { FormulaRecord, ValidDays } from '../catalogue/record-kinds.ts';
import { daysOverlap, isActive, type WithStatus } from '../catalogue/version-in-force.ts';
import { BASES_AT_START, readCharge } from '../simulation/charge-prices.ts';
import { canBeCharged } from '../simulation/charge-selection.ts';
import {
  WHOLE_PERCENT,
  checkBounds,
  checkCurrency,
  checkDays,
  checkFilters,
  checkItems,
  checkPeriodicity,
  checkProductType,
  partOf,
  type Place,
} from './check-fields.ts';

const MAX_DECIMALS = 20;
/** Limits of values and formulas (M6): rates may be negative; charges and discounts, in percent or money, may not. */
const RATE_LIMITS = { least: -MAX_RATE_PERCENT, most: MAX_RATE_PERCENT };
const PERCENT_LIMITS = { least: 0, most: MAX_RATE_PERCENT };
const MONEY_LIMITS = { least: 0, most: MAX_AMOUNT_MINOR };
type Limits = typeof RATE_LIMITS;

/** Reports the faults of an Active list; does nothing for other records. */
export function checkList({ kind, record }: CatalogueRecord, place: Place): void {
  if (!('Status' in record) || record.Status !== 'Active') return;
  if (kind === 'interest-list') checkInterests(record.Interests, place);
  else if (kind === 'commission-list') checkNamed('Commissions', record.Commissions, place, checkCommission);
  else if (kind === 'insurance-list') checkNamed('Insurances', record.Insurances, place, checkInsurance);
  else if (kind === 'discount-list') checkNamed('Discounts', record.Discounts, place, checkDiscount);
  else if (kind === 'limit-list') checkLimits(record.Limits, place);
  else if (kind === 'notification-template') checkTemplate(record, place);
}

/** Its texts must use exactly its fields, each language has one text of a channel, and there is a text. */
function checkTemplate({ Fields, Sms, Email }: NotificationTemplateRecord, place: Place): void {
  const unused = new Set(Fields.map(({ Name }) => Name));
  const known = new Set(unused);
  if (unused.size < Fields.length) place.report('Fields', 'must not repeat a name: remove one');
  if (Sms.length + Email.length === 0) place.report('Sms', 'must have a text, or Email');
  const checkTexts = (texts: Readonly<Record<string, string>>, at: Place): void => {
    for (const [field, text] of Object.entries(texts)) {
      for (const name of namesIn(text)) {
        if (!known.has(name))
          at.report(field, `must not have {{${name}}}, which is not in Fields: add it there`);
        unused.delete(name);
      }
    }
  };
  for (const [field, texts] of Object.entries({ Sms, Email })) {
    checkItems<Readonly<Record<string, string>>>(field, texts, place, checkTexts);
    const languages = new Set(texts.map(({ Language }) => codeKey(Language)));
    if (languages.size < texts.length) place.report(field, 'must have one text of each language: remove one');
  }
  for (const name of unused) place.report('Fields', `must not have ${name}, which no text uses: remove it`);
}

/** Collects the names that discounts may use. If not all lists of a kind could be read, any name counts as known. */
export function collectChargeNames(
  records: readonly CatalogueRecord[],
  mayExist: (kind: RecordKind) => boolean,
): Place['charges'] {
  const active = <Kind extends 'commission-list' | 'insurance-list'>(kind: Kind) =>
    selectEntries(records, kind).flatMap(({ record }) => (record.Status === 'Active' ? [record] : []));
  const commissions = active('commission-list').flatMap((list) => list.Commissions);
  const insurances = active('insurance-list').flatMap((list) => list.Insurances);
  const namesOf = <Item>(kind: RecordKind, items: readonly Item[], nameOf: (item: Item) => string | null) =>
    mayExist(kind)
      ? { has: () => true }
      : new Set(items.flatMap((item) => nameOf(item)?.trim().toLowerCase() ?? []));
  return {
    Commission: namesOf('commission-list', commissions, ({ Name }) => Name),
    CommissionType: namesOf('commission-list', commissions, ({ Type }) => Type),
    Insurance: namesOf('insurance-list', insurances, ({ InsuranceName }) => InsuranceName),
    InsuranceClass: namesOf('insurance-list', insurances, ({ Class }) => Class),
  };
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
  if (!isPercent || !canBeCharged(record)) return;
  // A simulation can have this charge (Q6, Q8), so its percentage must be of a figure that a simulation has.
  const isOnce = findPeriodicity(PeriodicityType, place.lending?.periodicities)?.unit === 'Once';
  if (isOnce && base !== null && !BASES_AT_START.has(codeKey(base))) {
    refuseBase('must be FinancedAmount, RemainingValue or null, because a Once charge is paid at the start');
  } else if (base === 'UnusedAmount') {
    refuseBase('must be another figure: simulations can have this charge, and have no unused amount');
  }
}

const DIMENSIONS = {
  InterestType: 'Interest',
  Commission: 'Commission',
  CommissionType: 'Commission',
  Insurance: 'Insurance',
  InsuranceClass: 'Insurance',
} as const;

const NAMED: Readonly<Record<keyof Place['charges'], string>> = {
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
  for (const field of Object.keys(NAMED) as (keyof typeof NAMED)[]) {
    const name = discount[field];
    if (name === null || place.charges[field].has(codeKey(name))) continue;
    const message = `names the ${NAMED[field]} ${name}, which no Active list of the catalogue has: add it, or name another`;
    report(field, message);
  }
}

/** True if a simulation without an interest type prefers the interest (Q3). */
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
  // A range takes its rate from the values of an Active interest of Type Fixed or Variable.
  const rates = interests.filter((one) => isActive(one) && (one.Type === 'Fixed' || one.Type === 'Variable'));
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

/** The type of an interest determines which field contains its rate. Other fields for rates would have no effect. */
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

function checkLimits(limits: readonly LimitRecord[], place: Place): void {
  checkItems('Limits', limits, place, (limit, at) => {
    checkPercent('Largest', limit.Largest, PERCENT_LIMITS, at);
    checkDays(['ValidFrom', 'ValidTo'], limit, at);
    for (const [index, type] of limit.ProductTypes.entries())
      checkProductType(`ProductTypes[${index}]`, type, at);
  });
}

/** An instalment, or an amount, may have only one rate on any day. The end `to` is exclusive. */
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
