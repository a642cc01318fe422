/** The fields of the form: their kinds from the schema, and their groups and order, as a banker thinks of a loan. */
import type { FieldName } from '../texts.ts';

interface Names<Name extends string = string> {
  readonly main: readonly Name[];
  readonly more?: readonly Name[];
}

/** Fields that are not named here are shown last. */
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

/** Fields of the items of lists; those without an entry are all shown at once. */
const ITEMS: Readonly<Record<string, Names>> = {
  Commission: { main: ['FeeName', 'FeePeriodicityType', 'SourceValue', 'SourcePercent', 'FeeDate'] },
  Insurance: {
    main: ['InsuranceName', 'InsurancePeriodicityType', 'SourceValue', 'SourcePercent', 'InsuranceDate'],
  },
  MultipleInterestRates: { main: ['FromInstNo', 'ToInstNo', 'InterestRate'] },
  BandedInterestRates: { main: ['MinUtilizedAmount', 'MaxUtilizedAmount', 'Value'] },
  EarlyRepayments: { main: ['Date', 'Amount', 'DecreaseInstallment'] },
};

/** Fields that start with the start of the loan where they are left empty. */
export const FROM_START: ReadonlySet<string> = new Set(['FeeDate', 'InsuranceDate']);

/** Fields that the page sets itself, since it shows both kinds of response; as entered they are part of the copied calls. */
export const RESPONSE_FIELDS: readonly string[] = GROUPS.response.main;

export type GroupName = keyof typeof GROUPS | 'other';

interface FieldGroup {
  readonly main: readonly FormField[];
  readonly more: readonly FormField[];
}

/** All fields of the form in their groups, none of which is empty. */
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
  /** How the value is sent: a flag as true or false, a numeric flag as 1 or 0. */
  readonly kind: FieldKind;
  readonly help: string;
  readonly isRequired: boolean;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly choices?: readonly string[];
  /** Whether other values than the choices are possible. */
  readonly isOpen?: boolean;
  /** Fields of the items of a list, and how many items it may have. */
  readonly items?: readonly FormField[] | undefined;
  readonly maxItems?: number | undefined;
}

const PERCENTAGE = /Percent$|^InterestRate$|^Value$/;

export function isPercentage({ name }: Pick<FormField, 'name'>): boolean {
  return PERCENTAGE.test(name);
}
