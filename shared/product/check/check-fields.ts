/** Reports the faults of a record, and checks the parts that records share: days, values, figures, filters, formulas and names. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CatalogueFault, LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import {
  KIND_FOLDERS,
  codeKey,
  identifyRecord,
  type CatalogueRecord,
  type ListKind,
  type RecordKind,
} from '../catalogue/catalogue-record.ts';
import { Decimal } from 'decimal.js';
import {
  DEFAULT_CURRENCY_DIGITS,
  MAX_AMOUNT_MINOR,
  currencyDigits,
  formatMinorUnits,
} from '../../lending/numbers/money.ts';
import { compileFormula } from '../../lending/formula/compiler.ts';
import { parseFormula } from '../../lending/formula/parser.ts';
import { collectNames, type FormulaTree } from '../../lending/formula/tree.ts';
import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { CHARGE_BASES } from '../../lending/charges/charge-price.ts';
import { MAX_RATE_PERCENT } from '../../lending/request/field-checks.ts';
import type { FormulaRecord, ItemFilter, ValidDays } from '../catalogue/record-kinds.ts';
import { daysOverlap, isActive, startsBy, type WithStatus } from '../catalogue/version-in-force.ts';

export interface CheckContext {
  /** Undefined when schedule types, periodicities or calendars are faulty: references to them are then not checked. */
  readonly lending: LendingCatalogue | undefined;
  readonly otherCalendars?: OtherCalendars | undefined;
  /** Kinds with records that could not be read. */
  readonly unknown?: ReadonlySet<RecordKind> | undefined;
}

export interface RecordContext extends CheckContext {
  /** True when a product, or a list in force, has the code, or may have it because not all records could be read. */
  readonly hasProduct: (code: string) => boolean;
  readonly hasList: (kind: ListKind, code: string) => boolean;
  readonly charges: ChargeNames;
}

/** Names of commissions and insurances of Active lists, and of their types and classes, in lower case. */
export interface ChargeNames {
  readonly Commission: { has(name: string): boolean };
  readonly CommissionType: { has(name: string): boolean };
  readonly Insurance: { has(name: string): boolean };
  readonly InsuranceClass: { has(name: string): boolean };
}

/** Reports a fault of one record. `message` continues the field's name: `must ...` or `names ...`. */
export type ReportFault = (field: string, message: string) => void;

export function createReporter(entry: CatalogueRecord, faults: CatalogueFault[]): ReportFault {
  const { source } = entry;
  return (field, message) =>
    void faults.push({ source, record: describeRecord(entry), message: `${field} ${message}` });
}

/** Creates the reporter of the fields of a part of the record, such as `Values[0]`. */
export function nestReport(part: string, report: ReportFault): ReportFault {
  return (field, message) => report(`${part}.${field}`, message);
}

export function checkItems<Item>(
  list: string,
  items: readonly Item[],
  report: ReportFault,
  checkItem: (item: Item, reportItem: ReportFault) => void,
): void {
  for (const [place, item] of items.entries()) checkItem(item, nestReport(`${list}[${place}]`, report));
}

/** Describes a record in messages: `TL-STD`, or `TL-STD version 2`. */
export function describeRecord(entry: CatalogueRecord): string {
  if (entry.kind === 'schedule-type') return entry.record.PaymentScheduleTypeName;
  const { code, version } = identifyRecord(entry);
  return version === 1 ? code : `${code} version ${version}`;
}

/** Rates in percent, of both signs; percentages and amounts of charges (M6). */
export const RATE_LIMITS = { least: -MAX_RATE_PERCENT, most: MAX_RATE_PERCENT };
export const PERCENT_LIMITS = { least: 0, most: MAX_RATE_PERCENT };
export const MONEY_LIMITS = { least: 0, most: MAX_AMOUNT_MINOR };

const MAX_DECIMALS = 20;

export const WHOLE_PERCENT = 100;

export function checkDays(
  fields: readonly [from: string, to: string],
  days: ValidDays,
  report: ReportFault,
): void {
  if (startsBy(days.ValidFrom, days.ValidTo)) return;
  report(fields[1], `must not be before ${fields[0]}: swap the two days`);
}

/** At most one Active value may be valid on any day. */
export function checkValues(values: readonly (ValidDays & WithStatus)[], report: ReportFault): void {
  for (const [place, value] of values.entries()) {
    checkDays(['ValidFrom', 'ValidTo'], value, nestReport(`Values[${place}]`, report));
    if (!isActive(value)) continue;
    const earlier = values.slice(0, place).findIndex((other) => isActive(other) && daysOverlap(value, other));
    if (earlier >= 0) {
      report(
        `Values[${place}]`,
        `must not share a day with Values[${earlier}]: end one before the other starts`,
      );
    }
  }
}

export function checkBounds(
  [least, most]: readonly [field: string, value: number | null],
  [largest, bound]: readonly [field: string, value: number | null],
  report: ReportFault,
): void {
  if (most === null || bound === null || most <= bound) return;
  report(largest, `must not be below ${least}, which is ${most}: swap the two, or send null for no bound`);
}

export function checkFilters(
  filters: readonly ItemFilter[],
  context: Pick<RecordContext, 'hasList'>,
  report: ReportFault,
): void {
  checkItems('Filters', filters, report, (filter, reportItem) => {
    if ('From' in filter) checkBounds(['From', filter.From], ['To', filter.To], reportItem);
    if ('Values' in filter && filter.Values.length === 0) {
      reportItem('Values', 'must have at least one number');
    }
    if ('List' in filter) checkListName(['List', 'custom-list', filter.List], context, reportItem);
  });
}

export function checkListName(
  [field, kind, code]: readonly [field: string, kind: ListKind, code: string | null],
  { hasList }: Pick<RecordContext, 'hasList'>,
  report: ReportFault,
): void {
  if (code !== null && !hasList(kind, code)) report(field, describeMissing(kind, code));
}

/** Describes a reference to a missing record: `names the interest list X, which is ...`. */
export function describeMissing(kind: RecordKind, code: string): string {
  const what = kind.replace('-', ' ');
  return `names the ${what} ${code}, which is not in the catalogue or not Active: add it to ${KIND_FOLDERS[kind]}, or name another`;
}

/** Periodicities are built in or records of the catalogue (D7). */
export function checkPeriodicity(
  field: string,
  name: string,
  { lending }: Pick<RecordContext, 'lending'>,
  report: ReportFault,
): void {
  if (lending === undefined || findPeriodicity(name, lending.periodicities) !== undefined) return;
  const known = lending.periodicities.map((periodicity) => periodicity.name).join(', ');
  report(
    field,
    `names the periodicity ${name}, which is not known: add it to periodicities, or name one of ${known}`,
  );
}

/** Limits of a formula's value: an annual rate, a price or discount in percent, or money. */
export interface FormulaLimits {
  readonly least: number;
  readonly most: number;
}

/** The expression must use exactly the declared arguments; one without arguments must have a value within the limits. */
export function checkFormula(formula: FormulaRecord, limits: FormulaLimits, report: ReportFault): void {
  const reportItem = nestReport('Formula', report);
  const inputs = new Set(formula.Inputs.map(codeKey));
  if (inputs.size < formula.Inputs.length) reportItem('Inputs', 'must name each argument once');
  const tree = parseFormula(formula.Expression);
  if (tree.kind === 'formula-error') {
    reportItem('Expression', `cannot be read at position ${tree.at}: ${tree.message}`);
    return;
  }
  const names = [...collectNames(tree).keys()];
  for (const name of names.filter((used) => !inputs.has(codeKey(used)))) {
    reportItem('Expression', `names ${name}, which is not one of Inputs: add it there, or correct the name`);
  }
  const used = new Set(names.map(codeKey));
  for (const name of formula.Inputs.filter((input) => !used.has(codeKey(input)))) {
    reportItem('Inputs', `must not have ${name}, which Expression does not use: remove it`);
  }
  if (names.every((name) => inputs.has(codeKey(name)))) checkValue(tree, limits, reportItem);
}

/** Reports an expression that always fails, or whose constant value is out of range. */
function checkValue(tree: FormulaTree, { least, most }: FormulaLimits, report: ReportFault): void {
  const compiled = compileFormula(tree, { getSlot: () => 0, rounding: 'HALF_UP' });
  if ('kind' in compiled) {
    report('Expression', `cannot be calculated at position ${compiled.at}: ${compiled.message}`);
    return;
  }
  if (compiled.constant === undefined) return;
  const { numerator, denominator } = compiled.constant;
  const isWithin = numerator >= BigInt(least) * denominator && numerator <= BigInt(most) * denominator;
  if (!isWithin) report('Expression', `must give a value from ${least} to ${most}`);
}

export function checkFormulaUse(
  { UseBankingFormula, Formula }: { UseBankingFormula: boolean; Formula: FormulaRecord | null },
  limits: FormulaLimits,
  report: ReportFault,
): void {
  if (Formula !== null) checkFormula(Formula, limits, report);
  if (UseBankingFormula && Formula === null) {
    report('Formula', 'is missing; must be set, or UseBankingFormula must be false');
  }
  if (!UseBankingFormula && Formula !== null) {
    report('UseBankingFormula', 'must be true, or Formula must be left out');
  }
}

export function checkNames(
  list: string,
  items: readonly ({ readonly Name: string } | { readonly InsuranceName: string })[],
  report: ReportFault,
): void {
  const first = new Map<string, string>();
  for (const [place, item] of items.entries()) {
    const [field, name] = 'Name' in item ? ['Name', item.Name] : ['InsuranceName', item.InsuranceName];
    const path = `${list}[${place}].${field}`;
    const earlier = first.get(codeKey(name));
    if (earlier === undefined) first.set(codeKey(name), path);
    else report(path, `must be unique: ${name} is also ${earlier}`);
  }
}

export function checkCurrency(currency: string, report: ReportFault): void {
  if (currencyDigits(currency) === undefined) {
    report('Currency', 'must be a currency code of ISO 4217, such as EUR');
  }
}

/** A rate or percentage must lie within the limits and have at most {@link MAX_DECIMALS} decimals (M6). */
export function checkPercent(
  field: string,
  value: number | null,
  { least, most }: FormulaLimits,
  report: ReportFault,
): void {
  if (value === null) return;
  if (value < least || value > most) report(field, `must be from ${least} to ${most} percent`);
  else if (countDecimals(value) > MAX_DECIMALS) report(field, `must have at most ${MAX_DECIMALS} decimals`);
}

/** Money must not exceed the largest amount in minor units of its currency (M6). */
export function checkMoney(field: string, value: number | null, currency: string, report: ReportFault): void {
  const digits = currencyDigits(currency) ?? DEFAULT_CURRENCY_DIGITS;
  const largest = formatMinorUnits(MAX_AMOUNT_MINOR, digits);
  if (value !== null && value > Number(largest)) report(field, `must be at most ${largest} ${currency}`);
}

/** The base of a percentage must be one of F2. */
export function checkBase(base: string | null, report: ReportFault): void {
  if (base === null || CHARGE_BASES.some((known) => known === base)) return;
  report('PercentAppliedTo', `must be one of ${CHARGE_BASES.join(', ')}, or null for the financed amount`);
}

function countDecimals(value: number): number {
  return new Decimal(value).decimalPlaces();
}
