/** The fields of the form, in the groups and the order in which a banker thinks of a loan. */
import type { FieldName } from '../texts.ts';

interface Names<Name extends string = string> {
  readonly main: readonly Name[];
  readonly more?: readonly Name[];
}

/** The form shows fields without a group last, in the group `other`. */
const GROUPS = {
  loan: {
    main: ['Amount', 'InstallmentsNo', 'ScheduleType', 'PeriodicityType', 'Currency'],
    more: [
      'InterestType',
      'installmentValue',
      'principalValue',
      'ResidualValue',
      'ResidualInInstallment',
      'RealInstallmentNo',
      'AdvanceAmount',
      'ProductType',
      'Precision',
      'ContractPeriod',
    ],
  },
  dates: {
    main: ['ActivationDate', 'InstallmentDay', 'FirstDueDate', 'MaturityDate'],
    more: [
      'DueDates',
      'InstallmentMethod',
      'HolidayShift',
      'HolidayCountry',
      'HolidayMethod',
      'DeferDueDate',
    ],
  },
  rate: {
    main: ['InterestPercent', 'InterestCalculationMethod', 'MultipleInterestRates', 'BandedInterestRates'],
    more: ['BandMethod', 'AllowNegativeAmortisation'],
  },
  grace: { main: ['GracePeriodPrincipal', 'GracePeriodInterest', 'GraceType'] },
  charges: { main: ['UpFrontValue', 'Commission', 'Insurance'] },
  extraPayments: { main: ['EarlyRepayments'] },
  recalculation: {
    main: ['LastDueDate', 'BlockInstallmentNo', 'IsLocked', 'BlockAmount', 'BlockInterestAmount'],
  },
  special: {
    main: [
      'CapitalPercent',
      'InterestCapitalization',
      'UnusedAmount',
      'StartDateForUnusage',
      'ExpiryDateForOD',
    ],
  },
  response: { main: ['CalculateDAE', 'Explain'] },
} as const satisfies Readonly<Record<string, Names<FieldName>>>;

/** The fields shown first in an item of these lists; the form folds the rest away. Other lists show all fields. */
const ITEMS: Readonly<Record<string, Names>> = {
  Commission: { main: ['FeeName', 'FeePeriodicityType', 'SourceValue', 'SourcePercent', 'FeeDate'] },
  Insurance: {
    main: ['InsuranceName', 'InsurancePeriodicityType', 'SourceValue', 'SourcePercent', 'InsuranceDate'],
  },
  MultipleInterestRates: { main: ['FromInstNo', 'ToInstNo', 'InterestRate'] },
  BandedInterestRates: { main: ['MinUtilizedAmount', 'MaxUtilizedAmount', 'Value'] },
  EarlyRepayments: { main: ['Date', 'Amount', 'DecreaseInstallment'] },
};

/** Date fields of list items. If the user leaves one empty, `loanTerms` sets it to the start of the loan. */
export const FROM_START: ReadonlySet<string> = new Set(['FeeDate', 'InsuranceDate']);

/** Only copied calls send these fields as entered. The page sends its own values, as it needs both rates (A5). */
export const RESPONSE_FIELDS: readonly string[] = GROUPS.response.main;

export type GroupName = keyof typeof GROUPS | 'other';

interface FieldGroup {
  readonly main: readonly FormField[];
  readonly more: readonly FormField[];
}

/** Groups the fields, without empty groups. The form folds `more` away at first, unless a field in it has a value. */
export function groupFields(
  fields: readonly FormField[],
): readonly (FieldGroup & { readonly name: GroupName })[] {
  const names = Object.keys(GROUPS) as (keyof typeof GROUPS)[];
  const grouped = names.map((name) => ({ name, ...pick(fields, GROUPS[name]) }));
  const placed = new Set(grouped.flatMap(({ main, more }) => [...main, ...more]));
  const other = { name: 'other' as const, main: fields.filter((field) => !placed.has(field)), more: [] };
  return [...grouped, other].filter(({ main, more }) => main.length + more.length > 0);
}

export function groupItemFields({ name, items = [] }: FormField): FieldGroup {
  const names = ITEMS[name];
  if (names === undefined) return { main: items, more: [] };
  const { main } = pick(items, names);
  return { main, more: items.filter((field) => !main.includes(field)) };
}

function pick(fields: readonly FormField[], { main, more = [] }: Names): FieldGroup {
  const find = (names: readonly string[]): readonly FormField[] =>
    names.flatMap((name) => fields.find((field) => field.name === name) ?? []);
  return { main: find(main), more: find(more) };
}

/** What separates the dates in the text of a field of the kind `dates`. */
export const DATE_SEPARATORS = /[\s,;]+/;

export type FieldKind = 'number' | 'whole' | 'date' | 'flag' | 'numeric-flag' | 'text' | 'list' | 'dates';

export interface FormField {
  readonly name: string;
  /** In a request, a flag is true or false, and a numeric flag is 1 or 0. */
  readonly kind: FieldKind;
  readonly help: string;
  readonly isRequired: boolean;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly choices?: readonly string[];
  /** Whether values other than the choices are allowed. */
  readonly isOpen?: boolean;
  /** The fields of an item. Only lists have `items` and `maxItems`. */
  readonly items?: readonly FormField[] | undefined;
  readonly maxItems?: number | undefined;
}

/** Whether values are in percent: if the name ends in Percent, or is InterestRate or Value (of a rate band). */
export function isPercentage({ name }: Pick<FormField, 'name'>): boolean {
  return /Percent$|^InterestRate$|^Value$/.test(name);
}
