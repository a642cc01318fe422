import { formatMinorUnits } from '../lending/numbers/money.ts';

interface FormerRow extends SummedRow {
  readonly InstallmentNo: number;
}

interface FormerSchedule {
  readonly rows: readonly FormerRow[];
  readonly sums: ScheduleSums;
}

const PLAIN_AMOUNT = /^(-?)(\d{1,16})(?:\.(\d{1,8}))?$/;

/** Below this a parsed JSON number prints as the decimal that was written. Larger amounts must be strings. */
const MAX_EXACT_MINOR = 2 ** 52;

/** Returns undefined without rows, or if one is invalid, for example if an amount has too many decimals (M2). */
export function readFormerSchedule(former: unknown, currencyDigits: number): FormerSchedule | undefined {
  if (!Array.isArray(former) || former.length === 0) return undefined;
  const rows = former.flatMap((item) => readRow(item, currencyDigits) ?? []);
  return rows.length < former.length ? undefined : { rows, sums: sumsOf(rows) };
}

/** Totals of an instalment in minor units. A total is undefined if its schedule does not have the instalment. */
interface InstallmentChange {
  readonly InstallmentNo: number;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly difference: bigint;
}

export interface Comparison {
  readonly installments: readonly InstallmentChange[];
  readonly before: ScheduleSums;
  readonly after: ScheduleSums;
  readonly difference: ScheduleSums;
  /** The largest change of an instalment, with its sign; the first of several equally large. */
  readonly largestDifference: bigint;
  /** The largest change among the instalments that both schedules have; undefined if they share none. */
  readonly payment: (Pick<InstallmentChange, 'difference'> & { readonly before: bigint }) | undefined;
  readonly isChanged: boolean;
  /** True if one of the schedules lacks an instalment of the other. */
  readonly hasOtherLength: boolean;
}

type NumberedRow = Pick<FormerRow, 'InstallmentNo' | 'totalInstallment'>;

/** Pairs instalments by number. Rows with the same number, such as those of prepayments (X3), are paired in order. */
export function compareSchedules(
  former: FormerSchedule,
  rows: readonly NumberedRow[],
  after: ScheduleSums,
): Comparison {
  const installments = pairRows(former.rows, rows);
  const difference = bySum((name) => after[name] - former.sums[name]);
  const largestDifference = largestOf(installments)?.difference ?? 0n;
  const kept = installments.filter((change) => change.before !== undefined && change.after !== undefined);
  const payment = largestOf(kept);
  const hasOtherLength = kept.length < installments.length;
  const isChanged =
    hasOtherLength || largestDifference !== 0n || SUM_NAMES.some((name) => difference[name] !== 0n);
  return {
    installments,
    before: former.sums,
    after,
    difference,
    largestDifference,
    payment: payment && { before: BigInt(payment.before ?? 0), difference: payment.difference },
    isChanged,
    hasOtherLength,
  };
}

function largestOf([first, ...others]: readonly InstallmentChange[]): InstallmentChange | undefined {
  return others.reduce(
    (most, one) =>
      most === undefined || magnitude(one.difference) <= magnitude(most.difference) ? most : one,
    first,
  );
}

/** The other spelling of each amount, and its value if absent; undefined means that the amount is mandatory. */
const ROW_AMOUNTS = {
  principal: ['Principal', undefined],
  interest: ['Interest', undefined],
  managementFee: ['ManagementFee', 0],
  insurance: ['Insurance', 0],
  totalInstallment: ['TotalInstallment', undefined],
} as const satisfies Readonly<Record<Exclude<keyof FormerRow, 'InstallmentNo'>, unknown>>;

function readRow(item: unknown, digits: number): FormerRow | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const row = item as Readonly<Record<string, unknown>>;
  const { InstallmentNo } = row;
  if (!Number.isSafeInteger(InstallmentNo)) return undefined;
  const amounts = Object.entries(ROW_AMOUNTS).map(([name, [capitalised, absent]]) => [
    name,
    minorUnits(row[name] ?? row[capitalised] ?? absent, digits),
  ]);
  if (amounts.some(([, amount]) => amount === undefined)) return undefined;
  return { InstallmentNo, ...Object.fromEntries(amounts) } as FormerRow;
}

function minorUnits(value: unknown, digits: number): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const parts = PLAIN_AMOUNT.exec(String(value));
  if (parts === null) return undefined;
  const [, sign, whole = '', written = ''] = parts;
  const decimals = written.length > digits ? written.replace(/0+$/, '') : written;
  if (decimals.length > digits) return undefined;
  const minor = Number(whole + decimals.padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return undefined;
  if (typeof value === 'number' && minor >= MAX_EXACT_MINOR) return undefined;
  return sign === '-' && minor !== 0 ? -minor : minor;
}

function pairRows(former: readonly NumberedRow[], rows: readonly NumberedRow[]): InstallmentChange[] {
  const before = Map.groupBy(former, ({ InstallmentNo }) => InstallmentNo);
  const after = Map.groupBy(rows, ({ InstallmentNo }) => InstallmentNo);
  const numbers = [...new Set([...before.keys(), ...after.keys()])].toSorted((left, right) => left - right);
  return numbers.flatMap((number) => {
    const befores = before.get(number) ?? [];
    const afters = after.get(number) ?? [];
    return Array.from({ length: Math.max(befores.length, afters.length) }, (_, turn) => {
      const [was, is] = [befores[turn]?.totalInstallment, afters[turn]?.totalInstallment];
      const difference = BigInt(is ?? 0) - BigInt(was ?? 0);
      return { InstallmentNo: number, before: was, after: is, difference };
    });
  });
}

export function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/** Writes amounts with `digits` decimals, even zeros, which JSON.stringify would drop. */
export function renderComparison(comparison: Comparison, digits: number): string {
  const { installments, before, after, difference, largestDifference } = comparison;
  const money = (minor: number | bigint | undefined): string =>
    minor === undefined ? 'null' : formatMinorUnits(minor, digits);
  const changes = installments.map(
    (change) =>
      `{"InstallmentNo":${change.InstallmentNo},"before":${money(change.before)},"after":${money(change.after)}` +
      `,"difference":${money(change.difference)}}`,
  );
  return (
    `{"installments":[${changes.join(',')}],"before":${renderSums(before, digits)}` +
    `,"after":${renderSums(after, digits)},"difference":${renderSums(difference, digits)}` +
    `,"largestDifference":${money(largestDifference)}}`
  );
}

function renderSums(sums: ScheduleSums, digits: number): string {
  const { principal, interest, fees, total } = bySum((name) => formatMinorUnits(sums[name], digits));
  return `{"principal":${principal},"interest":${interest},"fees":${fees},"total":${total}}`;
}

/** Sums in minor units. Fees are commissions and insurances; `total` sums `totalInstallment` (M3). */
export interface ScheduleSums {
  readonly principal: bigint;
  readonly interest: bigint;
  readonly fees: bigint;
  readonly total: bigint;
}

export const SUM_NAMES = ['principal', 'interest', 'fees', 'total'] as const;
export type SumName = (typeof SUM_NAMES)[number];

interface SummedRow {
  readonly principal: number;
  readonly interest: number;
  readonly managementFee: number;
  readonly insurance?: number | undefined;
  readonly totalInstallment: number;
}

export const NO_SUMS: ScheduleSums = { principal: 0n, interest: 0n, fees: 0n, total: 0n };

export function sumsOf(rows: readonly SummedRow[]): ScheduleSums {
  return {
    principal: sum(rows, (row) => row.principal),
    interest: sum(rows, (row) => row.interest),
    fees: sum(rows, (row) => row.managementFee) + sum(rows, (row) => row.insurance ?? 0),
    total: sum(rows, (row) => row.totalInstallment),
  };
}

export function addSums(left: ScheduleSums, right: ScheduleSums): ScheduleSums {
  return bySum((name) => left[name] + right[name]);
}

export function bySum<Value>(valueOf: (name: SumName) => Value): Readonly<Record<SumName, Value>> {
  return Object.fromEntries(SUM_NAMES.map((name) => [name, valueOf(name)])) as Record<SumName, Value>;
}

function sum(rows: readonly SummedRow[], amountOf: (row: SummedRow) => number): bigint {
  return rows.reduce((total, row) => total + BigInt(amountOf(row)), 0n);
}
