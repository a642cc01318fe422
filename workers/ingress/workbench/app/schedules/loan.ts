/** A loan as it is entered: its form, its request, and its part of the address. */
import { LOAN_FIELDS, type LoanField, type LoanFieldName } from './loan-fields.ts';

/** A repeated commission or insurance. All values are as entered; an empty date is the start of the loan. */
export interface Charge {
  readonly name: string;
  readonly amount: string;
  readonly unit: 'value' | 'percent';
  readonly periodicity: string;
  readonly date: string;
}

/** A repayment before its time; with `keepsTerm` the instalments become smaller, otherwise the term becomes shorter. */
export interface ExtraPayment {
  readonly date: string;
  readonly amount: string;
  readonly keepsTerm: boolean;
}

export interface Loan {
  /** The single fields that are not empty, as entered. */
  readonly fields: Readonly<Partial<Record<LoanFieldName, string>>>;
  readonly commissions: readonly Charge[];
  readonly insurances: readonly Charge[];
  readonly extraPayments: readonly ExtraPayment[];
}

/** The lists of a loan, by their names in the interface. */
export const LISTS = {
  Commission: 'commissions',
  Insurance: 'insurances',
  EarlyRepayments: 'extraPayments',
} as const satisfies Readonly<Record<string, keyof Loan>>;

export const MAX_VARIANTS = 3;
/** More items than this in one list of an address are not read. */
const MAX_ITEMS = 50;
/** Fields of the items, by their names in the interface, and how the form calls them. */
const ITEM_FIELDS: Readonly<Record<string, string>> = {
  SourceValue: 'amount',
  SourcePercent: 'amount',
  FeePeriodicityType: 'periodicity',
  InsurancePeriodicityType: 'periodicity',
  FeeDate: 'date',
  InsuranceDate: 'date',
  FeeName: 'name',
  InsuranceName: 'name',
  Date: 'date',
  Amount: 'amount',
};
const NUMBER_TEXT = /^-?\d+(?:\.\d+)?$/;

/** The loan that the room shows first: 25,000 over 60 months at 8.5 % with a monthly commission, from `today` (YYYY-MM-DD). */
export function exampleLoan(today: string): Loan {
  return {
    fields: {
      Amount: '25000',
      InstallmentsNo: '60',
      ScheduleType: 'EqualInstallments',
      PeriodicityType: 'Monthly',
      Currency: 'EUR',
      InterestPercent: '8.5',
      ActivationDate: today,
      InstallmentDay: '1',
    },
    commissions: [
      { name: 'Account administration', amount: '4.5', unit: 'value', periodicity: 'Monthly', date: '' },
    ],
    insurances: [],
    extraPayments: [],
  };
}

/** The terms of the request. What is not a number is sent as entered, so that the engine says what is allowed. */
export function loanTerms(loan: Loan): Record<string, unknown> {
  const terms: Record<string, unknown> = {};
  for (const { name, kind } of LOAN_FIELDS) {
    const text = loan.fields[name]?.trim() ?? '';
    if (text !== '') terms[name] = valueOf(text, kind);
  }
  const start = loan.fields.ActivationDate ?? '';
  if (loan.commissions.length > 0) {
    terms['Commission'] = loan.commissions.map((charge) => ({
      FeeName: charge.name,
      ...amountOfCharge(charge),
      FeePeriodicityType: charge.periodicity,
      FeeDate: charge.date === '' ? start : charge.date,
    }));
  }
  if (loan.insurances.length > 0) {
    terms['Insurance'] = loan.insurances.map((charge) => ({
      InsuranceName: charge.name,
      ...amountOfCharge(charge),
      InsurancePeriodicityType: charge.periodicity,
      InsuranceDate: charge.date === '' ? start : charge.date,
    }));
  }
  const extra = loan.extraPayments.filter(({ amount }) => amount.trim() !== '' && Number(amount) !== 0);
  if (extra.length > 0) {
    terms['EarlyRepayments'] = extra.map(({ date, amount, keepsTerm }) => ({
      Date: date,
      Amount: valueOf(amount, 'amount'),
      DecreaseInstallment: keepsTerm,
    }));
  }
  return terms;
}

function amountOfCharge({ amount, unit }: Charge): Record<string, unknown> {
  return { [unit === 'value' ? 'SourceValue' : 'SourcePercent']: valueOf(amount, 'amount') };
}

function valueOf(text: string, kind: LoanField['kind']): unknown {
  if (kind === 'flag') return text === 'true';
  if (kind === 'date' || kind === 'text' || kind === 'choice') return text;
  const plain = text.trim().replace(',', '.');
  return NUMBER_TEXT.test(plain) ? Number(plain) : text;
}

/**
 * Where the form shows each fault: by field name, such as `Amount`, or by item, such as `commissions[0].amount`. Faults of fields that the
 * form does not show are in `others`.
 */
export function placeFaults(
  faults: readonly { readonly path: string; readonly message: string }[],
  loan: Loan,
): { readonly byField: Readonly<Record<string, string>>; readonly others: readonly string[] } {
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const { path, message } of faults) {
    const place = placeOf(path.replace(/^jsonParam\./, ''), loan);
    if (place === undefined) others.push(`${path}: ${message}`);
    else byField[place] ??= message;
  }
  return { byField, others };
}

/** The place of a field in the form, such as `commissions[0].amount` for `Commission[0].SourceValue`. */
export function placeOf(path: string, loan: Loan): string | undefined {
  if (LOAN_FIELDS.some(({ name }) => name === path)) return path;
  const [, list = '', number = '', field = ''] = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  const place = Object.entries(LISTS).find(([name]) => name === list)?.[1];
  const inForm = ITEM_FIELDS[field];
  if (place === undefined || inForm === undefined) return undefined;
  let index = Number(number);
  if (place === 'extraPayments') {
    // Empty ones are not sent.
    const sent = loan.extraPayments.flatMap(({ amount }, at) =>
      amount.trim() !== '' && Number(amount) !== 0 ? [at] : [],
    );
    index = sent[index] ?? index;
  }
  return `${place}[${index}].${inForm}`;
}

/** The loans of an address, from its query; none if it contains none. Parts that cannot be read are left out. */
export function readLoans(query: string): readonly Loan[] {
  return new URLSearchParams(query)
    .getAll('loan')
    .slice(0, MAX_VARIANTS)
    .flatMap((text) => {
      try {
        const value: unknown = JSON.parse(text);
        return isRecord(value) ? [readLoan(value)] : [];
      } catch {
        return [];
      }
    });
}

/** The query of an address that opens these loans. */
export function writeLoans(loans: readonly Loan[]): string {
  const query = new URLSearchParams();
  for (const { fields, commissions, insurances, extraPayments } of loans) {
    const filled = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
    const lists = Object.entries({ commissions, insurances, extraPayments }).filter(
      ([, list]) => list.length > 0,
    );
    query.append('loan', JSON.stringify({ ...filled, ...Object.fromEntries(lists) }));
  }
  return `?${query.toString()}`;
}

function readLoan(value: Readonly<Record<string, unknown>>): Loan {
  const fields: Partial<Record<LoanFieldName, string>> = {};
  for (const { name } of LOAN_FIELDS) {
    const text = textOf(value[name]);
    if (text !== '') fields[name] = text;
  }
  const items = (name: string): readonly Readonly<Record<string, unknown>>[] => {
    const list = value[name];
    return Array.isArray(list) ? list.filter(isRecord).slice(0, MAX_ITEMS) : [];
  };
  return {
    fields,
    commissions: items('commissions').map(readCharge),
    insurances: items('insurances').map(readCharge),
    extraPayments: items('extraPayments').map((item) => ({
      date: textOf(item['date']),
      amount: textOf(item['amount']),
      keepsTerm: item['keepsTerm'] !== false,
    })),
  };
}

function readCharge(item: Readonly<Record<string, unknown>>): Charge {
  return {
    name: textOf(item['name']),
    amount: textOf(item['amount']),
    unit: item['unit'] === 'percent' ? 'percent' : 'value',
    periodicity: textOf(item['periodicity']),
    date: textOf(item['date']),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
