/** A calculated schedule: rows, sums and CSV. All amounts are in currency units. */
import type { Warning } from '../../../../../shared/platform/problem.ts';

interface ShownExplanation {
  readonly figure: string;
  readonly name?: string;
  readonly amount: number;
  readonly formula?: string;
  readonly dayCount?: string;
}

export interface ShownAmounts {
  readonly InstallmentNo: number;
  readonly remainingValue: number;
  readonly interest: number;
  readonly capitalisedInterest?: number;
  readonly principal: number;
  readonly managementFee: number;
  readonly insurance?: number;
  readonly totalInstallment: number;
}

/** A response row for `CalculateDAE: 2`. Each column of the schedule type is a further member (`ownColumns`). */
export interface ShownRow extends ShownAmounts, Readonly<Record<string, unknown>> {
  readonly DueDate: string;
  readonly NoDays: number;
  /** In percent a year; null if the engine finds no rate (A4). */
  readonly dae: number | null;
  /** The text `true` for an extra payment, or else `false`. */
  readonly isEarlyRepayment: string;
  /** Only in the row of an extra payment above the balance. */
  readonly overpaid?: number;
  readonly explanation?: readonly ShownExplanation[];
}

export interface ShownSchedule {
  readonly terms: Readonly<Record<string, unknown>>;
  readonly rows: readonly ShownRow[];
  /** The yearly rate with insurances, in percent (A1). Undefined if the engine finds no rate (A4). */
  readonly dae: number | undefined;
  /** The yearly rate without insurances, in percent (A2). Undefined if the engine finds no rate (A4). */
  readonly eir: number | undefined;
  /** The code is `no-effect` for a field without effect. Other codes, such as `unknown-name`, concern the catalogue. */
  readonly warnings: readonly Warning[];
}

export type ScheduleTotals = ReturnType<typeof sumSchedule>;

/** The highest Precision of a request (M5). `exactSum` rounds amounts to at most this many decimals. */
const MAX_DECIMALS = 10;

export function chargesOf(row: ShownRow): number {
  return exactSum([row.managementFee, row.insurance ?? 0]);
}

export function balanceAfter(row: ShownRow): number {
  return exactSum([row.remainingValue, -row.principal, row.capitalisedInterest ?? 0]);
}

/** Adds up all rows. `charges` and `total` include `atStart`, the costs paid at the start. */
export function sumSchedule(schedule: Pick<ShownSchedule, 'rows' | 'terms'>) {
  const { rows } = schedule;
  const atStart = costsAtStart(schedule);
  return {
    interest: exactSum(rows.map(({ interest }) => interest)),
    principal: exactSum(rows.map(({ principal }) => principal)),
    charges: exactSum([atStart, ...rows.map(chargesOf)]),
    total: exactSum([atStart, ...rows.map(({ totalInstallment }) => totalInstallment)]),
    atStart,
    rows: rows.length,
    lastDueDate: rows.at(-1)?.DueDate.slice(0, 10) ?? '',
  };
}

/** Zero in a recalculation, in which `UpFrontValue` has no effect (A4). */
function costsAtStart({ terms }: Pick<ShownSchedule, 'terms'>): number {
  const { UpFrontValue: paid, LastDueDate: settled } = terms;
  return typeof paid === 'number' && settled === undefined ? paid : 0;
}

/** Adds amounts of at most 10 decimals as integers: exact up to 9e15 units of the last decimal. */
export function exactSum(amounts: readonly number[]): number {
  const scale = 10 ** Math.max(0, ...amounts.map(decimalsIn));
  return amounts.reduce((sum, amount) => sum + Math.round(amount * scale), 0) / scale;
}

/** At most MAX_DECIMALS. Reads exponents too: `String` writes an amount below a millionth as 1.5e-7. */
function decimalsIn(amount: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(amount)) ?? [];
  return Math.min(MAX_DECIMALS, fraction.length + Number(exponent));
}

/** The members of rows that the interface defines; all others are columns of the schedule type. */
const ROW_FIELDS: ReadonlySet<string> = new Set([
  'InstallmentNo',
  'NoDays',
  'InstallmentTypeId',
  'ScheduleTypeId',
  'DueDate',
  'remainingValue',
  'pMT',
  'interest',
  'capitalisedInterest',
  'principal',
  'managementFee',
  'insurance',
  'totalInstallment',
  'dae',
  'isEarlyRepayment',
  'overpaid',
  'explanation',
]);

export function ownColumns(rows: readonly ShownRow[]): readonly string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].filter((name) => !ROW_FIELDS.has(name));
}

/** The amount of a row in a column of the schedule type; zero if the row has none. */
export function ownAmount(row: ShownRow, name: string): number {
  const amount = row[name];
  return typeof amount === 'number' ? amount : 0;
}

/** Writes CSV (RFC 4180) with the interface's column names. Amounts have exactly `decimals` digits after a point. */
export function toCsv(rows: readonly ShownRow[], decimals: number): string {
  const amount = (name: string, of: (row: ShownRow) => number) =>
    [name, (row: ShownRow) => of(row).toFixed(decimals)] as const;
  const isCapitalised = rows.some((row) => row.capitalisedInterest !== undefined);
  const isOverpaid = rows.at(-1)?.overpaid !== undefined;
  const columns: readonly (readonly [name: string, text: (row: ShownRow) => string])[] = [
    ['InstallmentNo', (row) => String(row.InstallmentNo)],
    ['DueDate', (row) => row.DueDate.slice(0, 10)],
    ['NoDays', (row) => String(row.NoDays)],
    amount('RemainingValue', (row) => row.remainingValue),
    amount('Interest', (row) => row.interest),
    ...(isCapitalised ? [amount('CapitalisedInterest', (row) => row.capitalisedInterest ?? 0)] : []),
    amount('Principal', (row) => row.principal),
    amount('ManagementFee', (row) => row.managementFee),
    amount('Insurance', (row) => row.insurance ?? 0),
    amount('TotalInstallment', (row) => row.totalInstallment),
    ...(isOverpaid ? [amount('Overpaid', (row) => row.overpaid ?? 0)] : []),
    ['IsEarlyRepayment', (row) => row.isEarlyRepayment],
    ...ownColumns(rows).map((name) => amount(name, (row) => ownAmount(row, name))),
  ];
  const lines = rows.map((row) => columns.map(([, text]) => text(row)));
  return [columns.map(([name]) => name), ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}
