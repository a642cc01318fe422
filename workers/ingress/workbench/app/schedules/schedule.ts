/** A calculated schedule: its rows, payments, totals, and its text as CSV. */
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

/** A row of the response with CalculateDAE 2. A schedule type may have columns of its own, by their names. */
export interface ShownRow extends ShownAmounts, Readonly<Record<string, unknown>> {
  readonly DueDate: string;
  readonly NoDays: number;
  /** Null where there is no such rate (A4). */
  readonly dae: number | null;
  readonly isEarlyRepayment: string;
  readonly explanation?: readonly ShownExplanation[];
}

export interface ShownSchedule {
  readonly terms: Readonly<Record<string, unknown>>;
  readonly rows: readonly ShownRow[];
  /** Effective rates a year in percent: with insurances (A1), and without them (A2). Undefined where the response has none. */
  readonly dae: number | undefined;
  readonly eir: number | undefined;
  /** Fields that change nothing (`no-effect`), and what is unclear about names of the catalogue. */
  readonly warnings: readonly Warning[];
}

export type ScheduleTotals = ReturnType<typeof sumSchedule>;

/** Decimals of amounts where the engine has more than this many are not shown. */
const MAX_DECIMALS = 10;

/** Commissions and insurances of a row. */
export function chargesOf(row: ShownRow): number {
  return exactSum([row.managementFee, row.insurance ?? 0]);
}

/** The principal outstanding after a row. */
export function balanceAfter(row: ShownRow): number {
  return exactSum([row.remainingValue, -row.principal, row.capitalisedInterest ?? 0]);
}

/** Sums of a schedule, in the currency of the loan. Charges and the total include what is paid at the start. */
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

/** Costs paid once at the start; a recalculation has none (A4). */
function costsAtStart({ terms }: Pick<ShownSchedule, 'terms'>): number {
  const { UpFrontValue: paid, LastDueDate: settled } = terms;
  return typeof paid === 'number' && settled === undefined ? paid : 0;
}

/** Adds decimal amounts without binary fractions, exactly up to 9e15 of the smallest unit. */
export function exactSum(amounts: readonly number[]): number {
  const scale = 10 ** Math.max(0, ...amounts.map(decimalsIn));
  return amounts.reduce((sum, amount) => sum + Math.round(amount * scale), 0) / scale;
}

/** An amount below a millionth is written like 1.5e-7. */
function decimalsIn(amount: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(amount)) ?? [];
  return Math.min(MAX_DECIMALS, fraction.length + Number(exponent));
}

/** Fields of every row; all others are columns of the schedule type. */
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
  'explanation',
]);

export function ownColumns(rows: readonly ShownRow[]): readonly string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].filter((name) => !ROW_FIELDS.has(name));
}

/** An amount of a column of the schedule type; zero in a row without it. */
export function ownAmount(row: ShownRow, name: string): number {
  const amount = row[name];
  return typeof amount === 'number' ? amount : 0;
}

/** The rows as CSV (RFC 4180), with names of the interface, plain decimals and a line for each row. */
export function toCsv(rows: readonly ShownRow[], decimals: number): string {
  const amount = (name: string, of: (row: ShownRow) => number) =>
    [name, (row: ShownRow) => of(row).toFixed(decimals)] as const;
  const isCapitalised = rows.some((row) => row.capitalisedInterest !== undefined);
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
    ['IsEarlyRepayment', (row) => row.isEarlyRepayment],
    ...ownColumns(rows).map((name) => amount(name, (row) => ownAmount(row, name))),
  ];
  const lines = rows.map((row) => columns.map(([, text]) => text(row)));
  return [columns.map(([name]) => name), ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}
