/** The exact sums of the instalments of a schedule, in minor units; bigint for more than one schedule. */

/** Sums in minor units; fees are commissions and insurances, and total = principal + interest + fees (M3). */
export interface ScheduleSums {
  readonly principal: bigint;
  readonly interest: bigint;
  readonly fees: bigint;
  readonly total: bigint;
}

export const SUM_NAMES = ['principal', 'interest', 'fees', 'total'] as const;
export type SumName = (typeof SUM_NAMES)[number];

/** The amounts of one instalment in minor units. */
export interface SummedRow {
  readonly principal: number;
  readonly interest: number;
  readonly managementFee: number;
  readonly insurance?: number | undefined;
  readonly totalInstallment: number;
}

export const NO_SUMS: ScheduleSums = { principal: 0n, interest: 0n, fees: 0n, total: 0n };

/** The sums of all instalments. */
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

export function subtractSums(left: ScheduleSums, right: ScheduleSums): ScheduleSums {
  return bySum((name) => left[name] - right[name]);
}

/** A value for each of the sums. */
export function bySum<Value>(valueOf: (name: SumName) => Value): Readonly<Record<SumName, Value>> {
  return {
    principal: valueOf('principal'),
    interest: valueOf('interest'),
    fees: valueOf('fees'),
    total: valueOf('total'),
  };
}

/** Adds safe integers as numbers, which is exact while the sum is a safe integer, as for nearly every schedule. */
function sum(rows: readonly SummedRow[], amountOf: (row: SummedRow) => number): bigint {
  let total = 0;
  for (const row of rows) {
    total += amountOf(row);
    if (!Number.isSafeInteger(total)) return exactSum(rows, amountOf);
  }
  return BigInt(total);
}

function exactSum(rows: readonly SummedRow[], amountOf: (row: SummedRow) => number): bigint {
  return rows.reduce((total, row) => total + BigInt(amountOf(row)), 0n);
}
