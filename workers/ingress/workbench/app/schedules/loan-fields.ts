/** The fields of a loan that the form shows, grouped as a banker thinks. A test compares them with the OpenAPI document. */

export type Group = 'loan' | 'rate' | 'dates' | 'grace' | 'charges' | 'recalculation';

export interface LoanField {
  /** The name of the field in the interface. */
  readonly name: string;
  readonly group: Group;
  /** How the field is entered; a flag is sent as a boolean. */
  readonly kind: 'amount' | 'percent' | 'count' | 'date' | 'text' | 'flag' | 'choice';
  readonly choices?: readonly string[];
  /** Lowest value, highest value and step of a slider beside the field. */
  readonly slider?: readonly [lowest: number, highest: number, step: number];
}

export const PERIODICITIES = [
  'Weekly',
  'Biweekly',
  'Monthly',
  'Bimonthly',
  'Quarterly',
  'Semiannual',
  'Annual',
] as const;

/** The single fields in the order of the form. */
export const LOAN_FIELDS = [
  { name: 'Amount', group: 'loan', kind: 'amount', slider: [1_000, 100_000, 500] },
  { name: 'InstallmentsNo', group: 'loan', kind: 'count', slider: [1, 360, 1] },
  { name: 'ScheduleType', group: 'loan', kind: 'choice', choices: ['EqualInstallments', 'EqualPrincipal'] },
  { name: 'PeriodicityType', group: 'loan', kind: 'choice', choices: PERIODICITIES },
  {
    name: 'Currency',
    group: 'loan',
    kind: 'choice',
    choices: ['', 'EUR', 'RON', 'USD', 'GBP', 'CHF', 'JPY'],
  },
  { name: 'ResidualValue', group: 'loan', kind: 'amount' },
  { name: 'installmentValue', group: 'loan', kind: 'amount' },
  { name: 'InterestPercent', group: 'rate', kind: 'percent', slider: [0, 25, 0.05] },
  {
    name: 'InterestCalculationMethod',
    group: 'rate',
    kind: 'choice',
    choices: ['', '30/360', 'Actual/365', 'Actual/360', 'Actual/Actual'],
  },
  { name: 'ActivationDate', group: 'dates', kind: 'date' },
  { name: 'InstallmentDay', group: 'dates', kind: 'count' },
  { name: 'FirstDueDate', group: 'dates', kind: 'date' },
  { name: 'MaturityDate', group: 'dates', kind: 'date' },
  { name: 'HolidayCountry', group: 'dates', kind: 'text' },
  { name: 'HolidayShift', group: 'dates', kind: 'flag' },
  { name: 'GracePeriodPrincipal', group: 'grace', kind: 'count' },
  { name: 'GracePeriodInterest', group: 'grace', kind: 'count' },
  {
    name: 'GraceType',
    group: 'grace',
    kind: 'choice',
    choices: ['', 'Deferred', 'Capitalised', 'Spread', 'Forgiven'],
  },
  { name: 'UpFrontValue', group: 'charges', kind: 'amount' },
  { name: 'LastDueDate', group: 'recalculation', kind: 'date' },
  { name: 'BlockInstallmentNo', group: 'recalculation', kind: 'count' },
] as const satisfies readonly LoanField[];

export type LoanFieldName = (typeof LOAN_FIELDS)[number]['name'];

export const GROUPS: readonly Group[] = ['loan', 'rate', 'dates', 'grace', 'charges', 'recalculation'];
