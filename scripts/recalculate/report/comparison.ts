/** A contract's new schedule against its former one. */

import { formatMinorUnits } from '../../../shared/lending/numbers/money.ts';
import type { FormerSchedule } from './former-schedule.ts';
import { bySum, minus, SUM_NAMES, type ScheduleSums } from './schedule-sums.ts';

/** What becomes of one instalment, its total in minor units; undefined where only the other schedule has it. */
interface InstallmentChange {
  readonly InstallmentNo: number;
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** after - before, an absent one counting as nothing. */
  readonly difference: bigint;
}

export interface Comparison {
  readonly installments: readonly InstallmentChange[];
  readonly before: ScheduleSums;
  readonly after: ScheduleSums;
  readonly difference: ScheduleSums;
  /** That of the instalment that changes most, with its sign; the first of several. */
  readonly largestDifference: bigint;
  /** Any instalment or any of the sums is another one. */
  readonly isChanged: boolean;
}

interface NumberedRow {
  readonly InstallmentNo: number;
  readonly totalInstallment: number;
}

/** Compares row by row: by number, and rows of the same number (an early repayment has that of the row before, X3) in turn. */
export function compareSchedules(
  former: FormerSchedule,
  rows: readonly NumberedRow[],
  after: ScheduleSums,
): Comparison {
  const installments = pairRows(former.rows, rows);
  const difference = minus(after, former.sums);
  let largestDifference = 0n;
  for (const change of installments) {
    if (magnitude(change.difference) > magnitude(largestDifference)) largestDifference = change.difference;
  }
  const isChanged =
    largestDifference !== 0n ||
    SUM_NAMES.some((name) => difference[name] !== 0n) ||
    installments.some((change) => change.before === undefined || change.after === undefined);
  return { installments, before: former.sums, after, difference, largestDifference, isChanged };
}

function pairRows(former: readonly NumberedRow[], rows: readonly NumberedRow[]): InstallmentChange[] {
  const before = byNumber(former);
  const after = byNumber(rows);
  const numbers = [...new Set([...before.keys(), ...after.keys()])].toSorted((left, right) => left - right);
  return numbers.flatMap((number) => {
    const befores = before.get(number) ?? [];
    const afters = after.get(number) ?? [];
    return Array.from({ length: Math.max(befores.length, afters.length) }, (_, turn) =>
      changeOf(number, befores[turn], afters[turn]),
    );
  });
}

function byNumber(rows: readonly NumberedRow[]): Map<number, number[]> {
  const totals = new Map<number, number[]>();
  for (const { InstallmentNo, totalInstallment } of rows) {
    const same = totals.get(InstallmentNo);
    if (same === undefined) totals.set(InstallmentNo, [totalInstallment]);
    else same.push(totalInstallment);
  }
  return totals;
}

function changeOf(
  InstallmentNo: number,
  before: number | undefined,
  after: number | undefined,
): InstallmentChange {
  return { InstallmentNo, before, after, difference: BigInt(after ?? 0) - BigInt(before ?? 0) };
}

export function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/** The comparison as JSON text, amounts as exact decimals. */
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
