/** A loan as it is entered: its form, its request, and its part of the address. */
import { currencyDigits, DEFAULT_CURRENCY_DIGITS } from '../../../../../shared/lending/numbers/money.ts';
import { FROM_START, RESPONSE_FIELDS } from './field-groups.ts';
import { isPercentage, type FormField } from './form-field.ts';

/** Fields that are not empty, as entered, by their names in the interface. A flag is `true` or `false`. */
export type Values = Readonly<Record<string, string>>;

export interface Loan {
  readonly fields: Values;
  /** The items of the lists that are not empty, by their names in the interface. */
  readonly lists: Readonly<Record<string, readonly Values[]>>;
}

export const MAX_VARIANTS = 3;
/** More items than this in one list of an address are not read. */
const MAX_ITEMS = 200;
/** Proxies commonly allow 8 kB for the address with all headers. A fragment is not sent. */
const MAX_QUERY_LENGTH = 4_000;
const MAX_PRECISION = 10;
const THOUSAND_DIGITS = 3;
const NUMBER_TEXT = /^-?\d+(?:\.\d+)?$/;
/** Could be twenty-five thousand or twenty-five. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}[.,]\d{3}$/;
/** Thousands with a separator, as documents and spreadsheets have them, and decimals with another one. */
const GROUPED = /^(-?\d{1,3})((?:([ \u00A0\u202F'’.,])\d{3})(?:\3\d{3})*)(?:(?!\3)[.,](\d+))?$/;
const GROUP_LENGTH = 4;
const PLACE = /^(\w+)\[(\d+)\](?:\.(\w+))?$/;

/**
 * The loan that the page shows first: 25,000 over 60 months at 8.5 % with a monthly commission, from `today` (YYYY-MM-DD). `entered`
 * writes a number as the user would.
 */
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

/**
 * The number of a text with a decimal point or comma, and with separators of thousands where these are certain; undefined where it is
 * none, or where a sign may be either. A point before three digits is a decimal point if the number may have as many `decimals`.
 */
export function readNumber(text: string, decimals: number = DEFAULT_CURRENCY_DIGITS): number | undefined {
  const entered = text.trim();
  const plain = withoutGroups(entered) ?? entered.replace(',', '.');
  const mayBeThousands = AMBIGUOUS.test(entered) && (decimals < THOUSAND_DIGITS || entered.includes(','));
  return NUMBER_TEXT.test(plain) && !mayBeThousands ? Number(plain) : undefined;
}

/** Undefined: it has no groups, or what separates a single one may be a decimal sign. */
function withoutGroups(text: string): string | undefined {
  const [, first, groups, separator, decimals] = GROUPED.exec(text) ?? [];
  if (first === undefined || groups === undefined || separator === undefined) return undefined;
  const isCertain = !'.,'.includes(separator) || groups.length > GROUP_LENGTH || decimals !== undefined;
  if (!isCertain) return undefined;
  const whole = first + groups.replaceAll(separator, '');
  return decimals === undefined ? whole : `${whole}.${decimals}`;
}

/**
 * The number of a field as entered, as `readNumber` does; `decimals` of the amounts of the loan. Percentages have no thousands: 5,125 % is
 * a little more than five.
 */
export function readField(text: string, field: FormField, decimals: number): number | undefined {
  if (isPercentage(field)) return readNumber(text.replace(',', '.'), Infinity);
  return readNumber(text, field.kind === 'whole' ? 0 : decimals);
}

/** The currency of a loan; empty if it has none. */
export function currencyOf(loan: Loan | undefined): string {
  return (loan?.fields['Currency'] ?? '').trim().toUpperCase();
}

/** Decimals of the amounts of a loan. */
export function decimalsOf(loan: Loan): number {
  const precision = readNumber(loan.fields['Precision'] ?? '') ?? -1;
  const isPrecision = Number.isInteger(precision) && precision >= 0 && precision <= MAX_PRECISION;
  return isPrecision ? precision : decimalsOfCurrency(currencyOf(loan));
}

/** Decimals of amounts of a currency, as the engine calculates them: `Intl` has none for some, such as HUF. */
export function decimalsOfCurrency(currency: string): number {
  return currencyDigits(currency) ?? DEFAULT_CURRENCY_DIGITS;
}

/** The items of a list. */
export function itemsOf(loan: Loan, list: string): readonly Values[] {
  return loan.lists[list] ?? [];
}

/** The terms of the request. What is not a number is sent as entered, so that the engine says what is allowed. */
export function loanTerms(loan: Loan, form: readonly FormField[]): Record<string, unknown> {
  const start = loan.fields['ActivationDate'] ?? '';
  const decimals = decimalsOf(loan);
  const terms: Record<string, unknown> = {};
  for (const field of form) {
    const { name, items } = field;
    if (items !== undefined) {
      const sent = itemsOf(loan, name).filter((item) => isSent(name, item));
      const valuesIn = (item: Values) => valuesOf(withStart(item, items, start), items, decimals);
      if (sent.length > 0) terms[name] = sent.map(valuesIn);
    } else Object.assign(terms, valuesOf(loan.fields, [field], decimals));
  }
  return terms;
}

/** The terms without those that select what a response shows. */
export function calculatedTerms(terms: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(terms).filter(([name]) => !RESPONSE_FIELDS.includes(name)));
}

/** A slider at zero is no extra payment. */
function isSent(list: string, item: Values): boolean {
  if (list !== 'EarlyRepayments') return true;
  const amount = item['Amount']?.trim() ?? '';
  return amount !== '' && readNumber(amount) !== 0;
}

function withStart(item: Values, fields: readonly FormField[], start: string): Values {
  const missing = fields.filter(({ name }) => FROM_START.has(name) && (item[name] ?? '') === '');
  return { ...item, ...Object.fromEntries(missing.map(({ name }) => [name, start])) };
}

function valuesOf(values: Values, fields: readonly FormField[], decimals: number): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = values[field.name]?.trim() ?? '';
      return text === '' ? [] : [[field.name, valueOf(text, field, decimals)] as const];
    }),
  );
}

function valueOf(text: string, field: FormField, decimals: number): unknown {
  const { kind } = field;
  if (kind === 'flag') return text === 'true';
  if (kind === 'numeric-flag') return text === 'true' ? 1 : 0;
  return kind === 'number' || kind === 'whole' ? (readField(text, field, decimals) ?? text) : text;
}

/**
 * What is known about places in the form, such as `Amount`, `Commission` or `Commission[0].FeeDate`, from what is known about fields of
 * the request; the first counts. What the form has no place for is in `others`.
 */
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

/** The place of a field of the request, which differs by the items that are not sent. */
function placeOf(path: string, loan: Loan, form: readonly FormField[]): string | undefined {
  if (form.some(({ name }) => name === path)) return path;
  const found = readPlace(path);
  const field = form.find(({ name }) => name === found?.list);
  if (found === undefined || field === undefined) return undefined;
  const sent = itemsOf(loan, found.list).flatMap((item, at) => (isSent(found.list, item) ? [at] : []));
  const item = `${found.list}[${sent[found.index] ?? found.index}]`;
  const isField = field.items?.some(({ name }) => name === found.name) === true;
  return isField ? `${item}.${found.name}` : item;
}

/** The parts of a place in a list, such as `Commission[0].FeeDate`. */
export function readPlace(
  place: string,
): { readonly list: string; readonly index: number; readonly name: string } | undefined {
  const [, list, index, name = ''] = PLACE.exec(place) ?? [];
  return list === undefined ? undefined : { list, index: Number(index), name };
}

/** A value of a loan with its place in the form. */
export interface PlacedValue {
  readonly place: string;
  readonly field: FormField;
  readonly text: string;
}

/** All values of a loan with their places and fields, in the order of the form. */
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

/** The loan with another item at the end of a list. It continues the items before it, so that it can be calculated at once. */
export function addItem(loan: Loan, list: string, name: string): Loan {
  const items = itemsOf(loan, list);
  const last = items.at(-1);
  const amount = readNumber(loan.fields['Amount'] ?? '') ?? 0;
  const rate = loan.fields['InterestPercent'] ?? '';
  const set = (changed: readonly Values[]): Loan => ({ ...loan, lists: { ...loan.lists, [list]: changed } });
  switch (list) {
    case 'Commission':
      return set([...items, { FeeName: name, SourceValue: '5', FeePeriodicityType: 'Monthly' }]);
    case 'Insurance':
      return set([...items, { InsuranceName: name, SourceValue: '5', InsurancePeriodicityType: 'Monthly' }]);
    case 'EarlyRepayments': {
      const after = last?.['Date'] ?? loan.fields['ActivationDate'] ?? '';
      const prepaid = String(Math.round(amount / 10));
      return set([...items, { Date: oneYearAfter(after), Amount: prepaid, DecreaseInstallment: 'true' }]);
    }
    case 'MultipleInterestRates': {
      if (last === undefined) return set([{ FromInstNo: '1', InterestRate: rate }]);
      const rows = readNumber(loan.fields['InstallmentsNo'] ?? '') ?? 0;
      const from = readNumber(last['FromInstNo'] ?? '') ?? 1;
      const to = readNumber(last['ToInstNo'] ?? '') ?? Math.min(from + 11, Math.max(from, rows - 1));
      const ended = { ...last, ToInstNo: String(to) };
      return set([
        ...items.slice(0, -1),
        ended,
        { FromInstNo: String(to + 1), InterestRate: last['InterestRate'] ?? '' },
      ]);
    }
    case 'BandedInterestRates': {
      if (last === undefined) return set([{ MinUtilizedAmount: '0', Value: rate }]);
      const from = readNumber(last['MinUtilizedAmount'] ?? '') ?? 0;
      const to = last['MaxUtilizedAmount'] ?? String(Math.round((from + Math.max(amount, from + 2)) / 2));
      const ended = { ...last, MaxUtilizedAmount: to };
      return set([...items.slice(0, -1), ended, { MinUtilizedAmount: to, Value: last['Value'] ?? '' }]);
    }
    default:
      return set([...items, {}]);
  }
}

function oneYearAfter(date: string): string {
  return date === '' ? '' : `${Number(date.slice(0, 4)) + 1}${date.slice(4).replace('-02-29', '-02-28')}`;
}

/** The loans of an address; none if it contains none. Parts that cannot be read are left out. */
export function readLoans(
  { search, hash }: Pick<Location, 'search' | 'hash'>,
  form: readonly FormField[],
): readonly Loan[] {
  return new URLSearchParams(search === '' ? hash.slice(1) : search)
    .getAll('loan')
    .slice(0, MAX_VARIANTS)
    .flatMap((text) => {
      try {
        const value: unknown = JSON.parse(text);
        return isRecord(value) ? [readLoan(fromFormerAddress(value), form)] : [];
      } catch {
        return [];
      }
    });
}

/** The end of an address that opens these loans: its query, or its fragment if a server may refuse so long a query. */
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
  return {
    fields: readValues(
      value,
      form.filter(({ kind }) => kind !== 'list'),
    ),
    lists: Object.fromEntries(lists),
  };
}

function readValues(value: Readonly<Record<string, unknown>>, fields: readonly FormField[]): Values {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const text = textOf(value[name]);
      return text === '' ? [] : [[name, text] as const];
    }),
  );
}

/** Addresses of the first version named the lists and their fields in their own way. */
function fromFormerAddress(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { commissions, insurances, extraPayments, ...rest } = value;
  return {
    Commission: readItems(commissions, (item) => ({
      FeeName: item['name'],
      ...sourceOf(item),
      FeePeriodicityType: item['periodicity'],
      FeeDate: item['date'],
    })),
    Insurance: readItems(insurances, (item) => ({
      InsuranceName: item['name'],
      ...sourceOf(item),
      InsurancePeriodicityType: item['periodicity'],
      InsuranceDate: item['date'],
    })),
    EarlyRepayments: readItems(extraPayments, (item) => ({
      Date: item['date'],
      Amount: item['amount'],
      DecreaseInstallment: item['keepsTerm'] !== false,
    })),
    ...rest,
  };
}

type JsonRecord = Readonly<Record<string, unknown>>;

function readItems(list: unknown, read: (item: JsonRecord) => object): readonly object[] {
  return Array.isArray(list) ? list.filter(isRecord).map(read) : [];
}

function sourceOf(item: JsonRecord): object {
  return { [item['unit'] === 'percent' ? 'SourcePercent' : 'SourceValue']: item['amount'] };
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : ['number', 'boolean'].includes(typeof value)
      ? String(value)
      : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
