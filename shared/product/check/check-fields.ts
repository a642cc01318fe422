/** The checks that products and lists of a catalogue have in common. */

import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { currencyDigits } from '../../lending/numbers/money.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import { PRODUCT_TYPE_CODES, isProductType } from '../../lending/schedule-types/schedule-type.ts';
import { KIND_FOLDERS, type ListKind, type RecordKind } from '../catalogue/catalogue-record.ts';
import type { ItemFilter } from '../catalogue/record-kinds.ts';
import { startsBy } from '../catalogue/version-in-force.ts';

export const WHOLE_PERCENT = 100;

export interface CheckContext {
  /** Undefined if schedule types, periodicities or calendars are faulty or unread. References to them go unchecked. */
  readonly lending: LendingCatalogue | undefined;
  readonly otherCalendars?: OtherCalendars | undefined;
  /** Kinds of which not all records could be read: every reference to them counts as valid. */
  readonly unknown?: ReadonlySet<RecordKind> | undefined;
}

/** The record, or part of a record, that is being checked, and what it may refer to. */
export interface Place extends CheckContext {
  /** `hasProduct` and `hasList` are true for any code of a kind if not all of its records could be read. */
  readonly hasProduct: (code: string) => boolean;
  readonly hasList: (kind: ListKind, code: string) => boolean;
  /** Names, types and classes of the charges of Active lists, in lower case. */
  readonly charges: Readonly<
    Record<'Commission' | 'CommissionType' | 'Insurance' | 'InsuranceClass', { has(name: string): boolean }>
  >;
  /** `message` continues the name of the field: `must ...` or `names ...`. */
  readonly report: (field: string, message: string) => void;
}

export function partOf(part: string, place: Place): Place {
  return { ...place, report: (field, message) => place.report(`${part}.${field}`, message) };
}

export function checkItems<Item>(
  list: string,
  items: readonly Item[],
  place: Place,
  check: (item: Item, at: Place) => void,
): void {
  for (const [index, item] of items.entries()) check(item, partOf(`${list}[${index}]`, place));
}

export function checkDays<Field extends string>(
  [from, to]: readonly [from: Field, to: Field],
  record: Readonly<Record<Field, string | null>>,
  { report }: Place,
): void {
  if (!startsBy(record[from], record[to])) report(to, `must not be before ${from}: swap the two days`);
}

/** Reports the field `largest` if its bound is below that of `least`; null means no bound. */
export function checkBounds(
  [least, most]: readonly [field: string, value: number | null],
  [largest, bound]: readonly [field: string, value: number | null],
  { report }: Place,
): void {
  if (most === null || bound === null || most <= bound) return;
  report(largest, `must not be below ${least}, which is ${most}: swap the two, or send null for no bound`);
}

export function checkFilters(filters: readonly ItemFilter[], place: Place): void {
  checkItems('Filters', filters, place, (item, at) => {
    if ('From' in item) checkBounds(['From', item.From], ['To', item.To], at);
    if ('Values' in item && item.Values.length === 0) at.report('Values', 'must have at least one number');
    if ('List' in item) checkListName(['List', 'custom-list', item.List], at);
  });
}

export function checkListName(
  [field, kind, code]: readonly [field: string, kind: ListKind, code: string | null],
  { hasList, report }: Place,
): void {
  if (code !== null && !hasList(kind, code)) report(field, describeMissing(kind, code));
}

export function describeMissing(kind: RecordKind, code: string): string {
  return `names the ${kind.replace('-', ' ')} ${code}, which is not in the catalogue or not Active: add it to ${KIND_FOLDERS[kind]}, or name another`;
}

export function checkPeriodicity(name: string, { lending, report }: Place): void {
  if (lending === undefined || findPeriodicity(name, lending.periodicities) !== undefined) return;
  const known = lending.periodicities.map((periodicity) => periodicity.name).join(', ');
  const message = `names the periodicity ${name}, which is not known: add it to periodicities, or name one of ${known}`;
  report('PeriodicityType', message);
}

export function checkProductType(field: string, type: string, { report }: Place): void {
  if (isProductType(type)) return;
  report(field, `must be one of ${PRODUCT_TYPE_CODES.join(', ')}, or the name of one`);
}

export function checkCurrency(currency: string, { report }: Place): void {
  if (currencyDigits(currency) !== undefined) return;
  report('Currency', 'must be a currency code of ISO 4217, such as EUR');
}
