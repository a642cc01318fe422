/** A loan as the user enters it, and how it becomes the terms of a request and a part of the address. */
import { jsonOf } from '../../../../../shared/platform/json-pointer.ts';
import { currencyDigits, DEFAULT_CURRENCY_DIGITS } from '../../../../../shared/lending/numbers/money.ts';
import { readNumber } from '../read-number.ts';
import { DATE_SEPARATORS, FROM_START, RESPONSE_FIELDS, isPercentage, type FormField } from './loan-fields.ts';

/** Entered texts by the names of their fields in the interface. The text of a flag is `true` or `false`. */
export type Values = Readonly<Record<string, string>>;

/** `fields` has the single fields of a request; `lists` has the items of each list field by its name. */
export interface Loan {
  readonly fields: Values;
  readonly lists: Readonly<Record<string, readonly Values[]>>;
}

export const MAX_VARIANTS = 3;
export const MONTHS_OF_PERIOD: Readonly<Record<string, number>> = {
  Semimonthly: 0.5,
  Monthly: 1,
  Bimonthly: 2,
  Quarterly: 3,
  Trimestrial: 3,
  Semiannual: 6,
  Semestrial: 6,
  Annual: 12,
  Yearly: 12,
};
/** `readLoans` reads at most this many items of a list. */
const MAX_ITEMS = 1_200;
/** In characters. A longer query becomes a fragment, which browsers do not send: proxies often limit URLs to 8 kB. */
const MAX_QUERY_LENGTH = 4_000;
const MAX_PRECISION = 10;
const PRICED: ReadonlySet<string> = new Set(['Commission', 'Insurance']);
/** A term with its unit in English or Romanian: `30 years`, `360 luni`. */
const TERM = /^(.*?)\s*(?:de\s+)?(years?|ani?|months?|luni|lună|luna)$/i;
const YEARS = /^(?:y|a)/i;
const MONTHS_OF_YEAR = 12;
const CURRENCY_SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', LEI: 'RON' };
const PLACE = /^(\w+)\[(\d+)\](?:\.(\w+))?$/;

/** The loan that the page shows first. It starts `today` (YYYY-MM-DD). `entered` writes a decimal as the user would. */
export function exampleLoan(today: string, entered: (number: string) => string): Loan {
  return {
    fields: {
      Amount: '25000',
      InstallmentsNo: '60',
      ScheduleType: 'EqualInstallments',
      PeriodicityType: 'Monthly',
      Currency: 'EUR',
      InterestPercent: entered('8.5'),
      ActivationDate: today,
      InstallmentDay: '1',
    },
    lists: {
      Commission: [
        { FeeName: 'Account administration', SourceValue: entered('4.5'), FeePeriodicityType: 'Monthly' },
      ],
    },
  };
}

/** How numbers are read. `group` separates thousands. `currency` and `periodicity` decide which units are accepted. */
export interface Entry {
  readonly group: string;
  readonly decimals: number;
  readonly currency: string;
  readonly periodicity: string;
}

export function entryOf(loan: Loan, group: string): Entry {
  const periodicity = loan.fields['PeriodicityType'] ?? '';
  return { group, decimals: decimalsOf(loan), currency: currencyOf(loan), periodicity };
}

/** Like `readNumber`, but accepts a unit that fits the field. A percentage `7.125` is never read as 7125. */
export function readField(
  text: string,
  field: Pick<FormField, 'name' | 'kind'>,
  entry: Entry,
): number | undefined {
  const { decimals, group } = entry;
  if (isPercentage(field))
    return readNumber(text.trim().replace(/\s*%$/, '').replace(',', '.'), Infinity, '');
  if (field.name === 'InstallmentsNo') return readTerm(text, entry);
  if (field.kind === 'whole') return readNumber(text, 0, group);
  return readNumber(withoutCurrency(text.trim(), entry.currency), decimals, group);
}

function withoutCurrency(text: string, currency: string): string {
  const [, before = '', number = '', after = ''] =
    /^([A-Za-z]{3}|€)?\s*(.*?)\s*([A-Za-z]{3}|€)?$/.exec(text) ?? [];
  const unit = (before + after).toUpperCase();
  return unit !== '' && (CURRENCY_SIGNS[unit] ?? unit) === currency ? number : text;
}

/** Reads a number of instalments. Converts years and months; undefined if that does not give a whole number. */
function readTerm(text: string, { periodicity, group }: Entry): number | undefined {
  const [, number, unit] = TERM.exec(text.trim()) ?? [];
  if (number === undefined || unit === undefined) return readNumber(text, 0, group);
  const length = MONTHS_OF_PERIOD[periodicity];
  const count = readNumber(number, DEFAULT_CURRENCY_DIGITS, group);
  if (count === undefined || length === undefined) return undefined;
  const periods = (count * (YEARS.test(unit) ? MONTHS_OF_YEAR : 1)) / length;
  return Number.isInteger(periods) ? periods : undefined;
}

/** The currency code in capitals; empty if the loan states none. */
export function currencyOf(loan: Loan | undefined): string {
  return (loan?.fields['Currency'] ?? '').trim().toUpperCase();
}

/** The number of decimals of amounts: the Precision of the loan if it is valid, or else that of its currency (M2). */
export function decimalsOf(loan: Loan): number {
  const precision = readNumber(loan.fields['Precision'] ?? '') ?? -1;
  const isPrecision = Number.isInteger(precision) && precision >= 0 && precision <= MAX_PRECISION;
  return isPrecision ? precision : decimalsOfCurrency(currencyOf(loan));
}

/** How many decimals the engine uses for a currency; 2 if it is unknown. `Intl` differs for some, such as HUF. */
export function decimalsOfCurrency(currency: string): number {
  return currencyDigits(currency) ?? DEFAULT_CURRENCY_DIGITS;
}

export function itemsOf(loan: Loan, list: string): readonly Values[] {
  return loan.lists[list] ?? [];
}

/** The terms of the request. A number that cannot be read is sent as text, and the engine reports what is allowed. */
export function loanTerms(loan: Loan, form: readonly FormField[], group = ','): Record<string, unknown> {
  const start = loan.fields['ActivationDate'] ?? '';
  const entry = entryOf(loan, group);
  const terms: Record<string, unknown> = {};
  for (const field of form) {
    const { name, items } = field;
    if (items !== undefined) {
      const sent = itemsOf(loan, name).filter((item) => isSent(name, item));
      const valuesIn = (item: Values) => valuesOf(withStart(item, items, start), items, entry);
      if (sent.length > 0) terms[name] = sent.map(valuesIn);
    } else Object.assign(terms, valuesOf(loan.fields, [field], entry));
  }
  return terms;
}

/** The terms without `RESPONSE_FIELDS`, which change no figure. */
export function calculatedTerms(terms: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(terms).filter(([name]) => !RESPONSE_FIELDS.includes(name)));
}

/** False if requests omit the item: a charge with neither amount nor percentage, an extra payment of 0 or no amount. */
export function isSent(list: string, item: Values): boolean {
  const isEntered = (name: string): boolean => (item[name]?.trim() ?? '') !== '';
  if (list === 'EarlyRepayments') return isEntered('Amount') && readNumber(item['Amount'] ?? '') !== 0;
  return !PRICED.has(list) || isEntered('SourceValue') || isEntered('SourcePercent');
}

function withStart(item: Values, fields: readonly FormField[], start: string): Values {
  const missing = fields.filter(({ name }) => FROM_START.has(name) && (item[name] ?? '') === '');
  return { ...item, ...Object.fromEntries(missing.map(({ name }) => [name, start])) };
}

function valuesOf(values: Values, fields: readonly FormField[], entry: Entry): Record<string, unknown> {
  const entered = valuesAt(values, fields, '');
  return Object.fromEntries(entered.map(({ field, text }) => [field.name, valueOf(text, field, entry)]));
}

function valueOf(text: string, field: FormField, entry: Entry): unknown {
  const { kind } = field;
  if (kind === 'flag') return text === 'true';
  if (kind === 'numeric-flag') return text === 'true' ? 1 : 0;
  if (kind === 'dates') return text.split(DATE_SEPARATORS);
  return kind === 'number' || kind === 'whole' ? (readField(text, field, entry) ?? text) : text;
}

/** Finds the places in the form of the engine's faults or warnings, and keeps the first at each. `others` have none. */
export function placeInForm<Known extends { readonly path: string }>(
  all: readonly Known[],
  loan: Loan,
  form: readonly FormField[],
): { readonly byPlace: Readonly<Record<string, Known>>; readonly others: readonly Known[] } {
  const byPlace: Record<string, Known> = {};
  const others: Known[] = [];
  for (const one of all) {
    const place = placeOf(one.path.replace(/^jsonParam\./, ''), loan, form);
    if (place === undefined) others.push(one);
    else byPlace[place] ??= one;
  }
  return { byPlace, others };
}

/** Converts a path of the request to a place. The index in the form may be higher, as the request omits some items. */
function placeOf(path: string, loan: Loan, form: readonly FormField[]): string | undefined {
  if (form.some(({ name }) => name === path)) return path;
  const found = readPlace(path);
  const field = form.find(({ name }) => name === found?.list);
  if (found === undefined || field === undefined) return undefined;
  if (field.kind === 'dates') return field.name;
  const sent = itemsOf(loan, found.list).flatMap((item, at) => (isSent(found.list, item) ? [at] : []));
  const item = `${found.list}[${sent[found.index] ?? found.index}]`;
  const isField = field.items?.some(({ name }) => name === found.name) === true;
  return isField ? `${item}.${found.name}` : item;
}

/** The parts of a place such as `Commission[0].FeeDate`, or `Commission[0]` (empty `name`). Undefined outside lists. */
export function readPlace(
  place: string,
): { readonly list: string; readonly index: number; readonly name: string } | undefined {
  const [, list, index, name = ''] = PLACE.exec(place) ?? [];
  return list === undefined ? undefined : { list, index: Number(index), name };
}

export interface PlacedValue {
  readonly place: string;
  readonly field: FormField;
  readonly text: string;
}

/** The values of a loan that are not empty, trimmed, in the order of the form. */
export function listValues(loan: Loan, form: readonly FormField[]): readonly PlacedValue[] {
  return form.flatMap((field) =>
    field.items === undefined
      ? valuesAt(loan.fields, [field], '')
      : itemsOf(loan, field.name).flatMap((item, index) =>
          valuesAt(item, field.items ?? [], `${field.name}[${index}].`),
        ),
  );
}

function valuesAt(values: Values, fields: readonly FormField[], prefix: string): readonly PlacedValue[] {
  return fields.flatMap((field) => {
    const text = values[field.name]?.trim() ?? '';
    return text === '' ? [] : [{ place: `${prefix}${field.name}`, field, text }];
  });
}

/** The loan with a new item at the end of a list. It changes no figure before the user enters an amount or a rate. */
export function addItem(loan: Loan, list: string, name: string, group = ','): Loan {
  const items = itemsOf(loan, list);
  const last = items.at(-1);
  const entry = entryOf(loan, group);
  const amount = readField(loan.fields['Amount'] ?? '', { name: 'Amount', kind: 'number' }, entry) ?? 0;
  const rate = loan.fields['InterestPercent'] ?? '';
  const set = (changed: readonly Values[]): Loan => ({ ...loan, lists: { ...loan.lists, [list]: changed } });
  switch (list) {
    case 'Commission':
      return set([...items, { FeeName: name, FeePeriodicityType: 'Monthly' }]);
    case 'Insurance':
      return set([...items, { InsuranceName: name, InsurancePeriodicityType: 'Monthly' }]);
    case 'EarlyRepayments': {
      const after = last?.['Date'] ?? loan.fields['ActivationDate'] ?? '';
      return set([...items, { Date: oneYearAfter(after), DecreaseInstallment: 'true' }]);
    }
    case 'MultipleInterestRates': {
      if (last === undefined) return set([{ FromInstNo: '1', InterestRate: rate }]);
      const { FromInstNo = '', ToInstNo = '', InterestRate = '' } = last;
      const rows = readTerm(loan.fields['InstallmentsNo'] ?? '', entry) ?? 0;
      const from = readNumber(FromInstNo, 0, group) ?? 1;
      const to = readNumber(ToInstNo, 0, group) ?? Math.min(from + 11, Math.max(from, rows - 1));
      const ended = { ...last, ToInstNo: String(to) };
      return set([...items.slice(0, -1), ended, { FromInstNo: String(to + 1), InterestRate }]);
    }
    case 'BandedInterestRates': {
      if (last === undefined) return set([{ MinUtilizedAmount: '0', Value: rate }]);
      const { MinUtilizedAmount = '', MaxUtilizedAmount, Value = '' } = last;
      const from = readNumber(MinUtilizedAmount, entry.decimals, group) ?? 0;
      const to = MaxUtilizedAmount ?? String(Math.round((from + Math.max(amount, from + 2)) / 2));
      const ended = { ...last, MaxUtilizedAmount: to };
      return set([...items.slice(0, -1), ended, { MinUtilizedAmount: to, Value }]);
    }
    default:
      return set([...items, {}]);
  }
}

function oneYearAfter(date: string): string {
  return date === '' ? '' : `${Number(date.slice(0, 4)) + 1}${date.slice(4).replace('-02-29', '-02-28')}`;
}

/** Reads at most MAX_VARIANTS loans from an address. Omits the loans, fields and items that it cannot read. */
export function readLoans(
  { search, hash }: Pick<Location, 'search' | 'hash'>,
  form: readonly FormField[],
): readonly Loan[] {
  return new URLSearchParams(search === '' ? hash.slice(1) : search)
    .getAll('loan')
    .slice(0, MAX_VARIANTS)
    .flatMap((text) => {
      const value = jsonOf(text);
      return isRecord(value) ? [readLoan(value, form)] : [];
    });
}

/** The end of an address that opens these loans: a query, or a fragment if the query would be too long for proxies. */
export function writeLoans(loans: readonly Loan[]): string {
  const query = new URLSearchParams();
  for (const { fields, lists } of loans) {
    const used = Object.entries(lists).filter(([, items]) => items.length > 0);
    const shown = Object.fromEntries(used.map(([name, items]) => [name, items.map(filled)]));
    query.append('loan', JSON.stringify({ ...filled(fields), ...shown }));
  }
  const text = query.toString();
  return text.length > MAX_QUERY_LENGTH ? `#${text}` : `?${text}`;
}

function filled(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text !== ''));
}

function readLoan(value: Readonly<Record<string, unknown>>, form: readonly FormField[]): Loan {
  const lists = form.flatMap(({ name, items }) => {
    const list = value[name];
    if (items === undefined || !Array.isArray(list) || list.length === 0) return [];
    const read = list.filter(isRecord).slice(0, MAX_ITEMS);
    return [[name, read.map((item) => readValues(item, items))] as const];
  });
  const single = form.filter(({ kind }) => kind !== 'list');
  return { fields: readValues(value, single), lists: Object.fromEntries(lists) };
}

function readValues(value: Readonly<Record<string, unknown>>, fields: readonly FormField[]): Values {
  const sent = fields.map(({ name }): [string, unknown] => [name, value[name]]);
  const scalars = sent.filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one));
  return filled(Object.fromEntries(scalars.map(([name, one]) => [name, String(one)])));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
