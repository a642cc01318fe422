/** The fields of the form, in the groups and the order in which a banker thinks of a loan. */
import type { FieldName } from '../texts.ts';

interface Names<Name extends string = string> {
  readonly main: readonly Name[];
  readonly more?: readonly Name[];
}

/** The form shows fields that are not named here last. */
const GROUPS = {
  loan: {
    main: ['Amount', 'InstallmentsNo', 'ScheduleType', 'PeriodicityType', 'Currency'],
    more: [
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
    more: ['InstallmentMethod', 'HolidayShift', 'HolidayCountry', 'HolidayMethod', 'DeferDueDate'],
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

/** The fields that the form shows first in an item of a list. A list without an entry shows all fields at once. */
const ITEMS: Readonly<Record<string, Names>> = {
  Commission: { main: ['FeeName', 'FeePeriodicityType', 'SourceValue', 'SourcePercent', 'FeeDate'] },
  Insurance: {
    main: ['InsuranceName', 'InsurancePeriodicityType', 'SourceValue', 'SourcePercent', 'InsuranceDate'],
  },
  MultipleInterestRates: { main: ['FromInstNo', 'ToInstNo', 'InterestRate'] },
  BandedInterestRates: { main: ['MinUtilizedAmount', 'MaxUtilizedAmount', 'Value'] },
  EarlyRepayments: { main: ['Date', 'Amount', 'DecreaseInstallment'] },
};

/** Dates for which an empty field means the start of the loan. */
export const FROM_START: ReadonlySet<string> = new Set(['FeeDate', 'InsuranceDate']);

/** Fields that only copied calls send as entered. The page sends values of its own, since it shows both kinds of response. */
export const RESPONSE_FIELDS: readonly string[] = GROUPS.response.main;

export type GroupName = keyof typeof GROUPS | 'other';

interface FieldGroup {
  readonly main: readonly FormField[];
  readonly more: readonly FormField[];
}

/** All fields in their groups, without groups that have no field. `more`: the fields that are folded away at first. */
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

export type FieldKind = 'number' | 'whole' | 'date' | 'flag' | 'numeric-flag' | 'text' | 'list';

export interface FormField {
  readonly name: string;
  /** A request has a flag as true or false, and a numeric flag as 1 or 0. */
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
  /** The fields of a list's items, and the most items of the list. */
  readonly items?: readonly FormField[] | undefined;
  readonly maxItems?: number | undefined;
}

/** Whether values are in percent: names that end in Percent, InterestRate, and Value of a rate band. */
export function isPercentage({ name }: Pick<FormField, 'name'>): boolean {
  return /Percent$|^InterestRate$|^Value$/.test(name);
}
