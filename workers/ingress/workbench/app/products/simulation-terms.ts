/** The terms of a simulation as the user enters them, and the request with these terms. */
import { groupSign } from '../format.ts';
import { faultOf } from '../schedules/check-loan.ts';
import { decimalsOfCurrency, MONTHS_OF_PERIOD, readField, type Entry } from '../schedules/loan.ts';
import { entryText } from '../schedules/remarks.ts';
import type { Product } from './product-look-up.tsx';

export interface SimulationTerms {
  readonly amount: string;
  readonly downPayment: string;
  readonly loanPeriod: string;
  readonly scheduleType: string;
  /** A key of INTEREST_TYPE_IDS; empty for the default interest of the product. */
  readonly interestType: string;
  readonly isInAdvance: boolean;
  readonly discounts: readonly string[];
  /** Figures that only some products need, by path, such as `jsonInputFormula.interestInput.Score` or `jsonDiscountFilter.Age`. */
  readonly figures: Readonly<Record<string, string>>;
}

const FURTHER = /^(jsonInputFormula\.\w+|json(?:FilterCommission|InsuranceFilter|DiscountFilter))\.(.+)$/;
const FIXED_VALUES: ReadonlySet<string> = new Set(['installmentValue', 'principalValue']);
const DEFAULT_AMOUNT = 10_000;
const DEFAULT_PERIOD = 12;
const INTEREST_TYPE_IDS: Readonly<Record<string, string>> = {
  Fixed: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a101',
  Variable: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a102',
  Collection: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a103',
  BankingFormula: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a104',
};
const MONTHS_OF_BOUND: Readonly<Record<string, number>> = { Months: 1, Years: 12 };

/** Terms in the middle of a product's bounds, with its smallest down payment in whole currency units. */
export function firstTerms(product: Product): SimulationTerms {
  const { Availability: availability = {}, Details: details } = product;
  const amount = middleOf(availability.MinimumAmount, availability.MaximumAmount) ?? DEFAULT_AMOUNT;
  const share = availability.MinimumAdvance ?? 0;
  const [shortest, longest] = [availability.MinimumPeriod, availability.MaximumPeriod].map((bound) =>
    periodsOf(bound, availability.PeriodType, details?.GeneralData?.PeriodicityType),
  );
  return {
    amount: String(amount),
    downPayment: share > 0 ? String(Math.ceil((amount * share) / 100)) : '',
    loanPeriod: String(middleOf(shortest, longest) ?? DEFAULT_PERIOD),
    scheduleType: details?.AssociatedPaymentScheduleTypes?.[0]?.PaymentScheduleCode ?? '',
    interestType: '',
    isInAdvance: false,
    discounts: [],
    figures: {},
  };
}

type Bound = number | null | undefined;

function middleOf(from: Bound, to: Bound): number | undefined {
  return typeof from === 'number' && typeof to === 'number' ? Math.round((from + to) / 2) : undefined;
}

function periodsOf(bound: Bound, unit?: string | null, periodicity?: string | null): Bound {
  const months = MONTHS_OF_BOUND[unit ?? ''];
  const length = MONTHS_OF_PERIOD[periodicity ?? ''];
  if (typeof bound !== 'number' || months === undefined || length === undefined) return bound;
  return Math.max(1, Math.floor((bound * months) / length));
}

function entryOfProduct({ Availability: availability, Details: details }: Product): Entry {
  const currency = availability?.Currency ?? '';
  const periodicity = details?.GeneralData?.PeriodicityType ?? '';
  return { group: groupSign(), currency, periodicity, decimals: decimalsOfCurrency(currency) };
}

/** Fields that tell `readField` how to read a number. The name InstallmentsNo allows a unit, such as `2 years`. */
const AMOUNT = { name: 'Amount', kind: 'number', help: '', isRequired: false } as const;
const PERIOD = { name: 'InstallmentsNo', kind: 'whole', help: '', isRequired: true } as const;

/** The faults of entered numbers, each with the path of the number in the request. */
export function unreadTerms(terms: SimulationTerms, product: Product) {
  const { amount, downPayment, loanPeriod, figures } = terms;
  const entry = entryOfProduct(product);
  const entries = [
    ['amount', amount, { ...AMOUNT, isRequired: true }],
    ['downPayment', downPayment, AMOUNT],
    ['loanPeriod', loanPeriod, PERIOD],
    ...Object.entries(figures).map(([path, text]) => [path, text, AMOUNT] as const),
  ] as const;
  return entries.flatMap(([path, text, field]) => {
    const fault = faultOf(field, text.trim(), entry);
    return fault === undefined ? [] : [{ path, message: entryText(fault, { text, field }, entry) }];
  });
}

/** The request of PLAT_BP_Simulate. Numbers that cannot be read are NaN, so send it only if `unreadTerms` is empty. */
export function simulateRequest(code: string, terms: SimulationTerms, product: Product) {
  const { scheduleType, discounts, figures } = terms;
  const entry = entryOfProduct(product);
  const numberOf = (text: string): number => readField(text, AMOUNT, entry) ?? Number.NaN;
  const jsonInputFormula: Record<string, Record<string, number>> = {};
  const fixed: Record<string, number> = {};
  const filters: Record<string, { readonly name: string; readonly value: number }[]> = {};
  for (const [path, text] of Object.entries(figures)) {
    if (text.trim() === '') continue;
    const { section, name } = figureOf(path);
    const value = numberOf(text);
    const [field = '', part] = section.split('.');
    if (section === '') fixed[path] = value;
    else if (part === undefined) (filters[field] ??= []).push({ name, value });
    else (jsonInputFormula[part] ??= {})[name] = value;
  }
  const hasArguments = Object.keys(jsonInputFormula).length > 0;
  // The engine refuses formula arguments without an interest type (Q3), even for the default interest.
  const type = terms.interestType === '' && hasArguments ? interestTypes(product)[0] : terms.interestType;
  const interestType = INTEREST_TYPE_IDS[type ?? ''];
  return {
    productCode: code,
    amount: numberOf(terms.amount),
    loanPeriod: readField(terms.loanPeriod, PERIOD, entry) ?? Number.NaN,
    scheduleType,
    ...(terms.downPayment.trim() === '' ? {} : { downPayment: numberOf(terms.downPayment) }),
    ...(interestType === undefined ? {} : { interestType }),
    ...(terms.isInAdvance ? { InterestType: 1 } : {}),
    ...(discounts.length === 0 ? {} : { discount: discounts.map((Name) => ({ Name })) }),
    ...(hasArguments ? { jsonInputFormula } : {}),
    ...fixed,
    ...filters,
  };
}

/** The interest types of a product that a simulation accepts (Q3). Types of default interests come first. */
export function interestTypes({ Dimensions: dimensions }: Product): readonly string[] {
  const interests = (dimensions?.InterestsAndCommissions ?? []).flatMap(({ Interests }) => Interests);
  const ordered = interests.toSorted(
    (one, other) => Number(other.IsDefault ?? false) - Number(one.IsDefault ?? false),
  );
  return [...new Set(ordered.map(({ Type, InterestType }) => Type ?? InterestType ?? ''))].filter(
    (type) => INTEREST_TYPE_IDS[type] !== undefined,
  );
}

/** Selects from paths of faults and warnings those of further figures: formula arguments, filters and fixed values. */
export function neededFigures(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => FURTHER.test(path) || FIXED_VALUES.has(path));
}

/** The section and name of a further figure. For another path, the section is empty and the name is the path. */
export function figureOf(path: string): { readonly section: string; readonly name: string } {
  const [, section = '', name = path] = FURTHER.exec(path) ?? [];
  return { section, name };
}
