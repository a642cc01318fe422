/** Selects the payment that stands for all payments of a loan, and names the payments that differ from it. */
import { schedulesText as t } from '../texts.ts';
import { exactSum } from './schedule.ts';

/** The fields of a row that this file uses. Rows of a simulation have no DueDate. */
interface PaidRow {
  /** In currency units, with all charges. */
  readonly totalInstallment: number;
  readonly DueDate?: string;
  readonly isEarlyRepayment?: string;
}

/** Amounts in currency units; zero if nothing is paid. */
export interface LeadingPayment {
  /** `highest-regular`: the last payment (balloon) is higher than `amount`. `single`: there is at most one payment. */
  readonly kind: 'regular' | 'highest' | 'highest-regular' | 'single';
  readonly amount: number;
  readonly first: number;
  readonly last: number;
  readonly lowest: number;
  /** The highest payment before the last, or the only one. */
  readonly highest: number;
}

/** The regular payment, or else the highest before the last. Adds up same-day rows; omits extra payments and zeros. */
export function leadingPayment(rows: readonly PaidRow[]): LeadingPayment {
  const payments = paymentsOf(rows);
  const [first = 0] = payments;
  const last = payments.at(-1) ?? 0;
  const highest = payments.slice(0, -1).reduce((most, amount) => Math.max(most, amount), -Infinity);
  const lowest = payments.reduce((least, amount) => Math.min(least, amount), Infinity);
  const regular = regularOf(payments);
  if (payments.length < 2)
    return { kind: 'single', amount: first, first, last, lowest: first, highest: first };
  const kind = regular === undefined ? (last > highest ? 'highest-regular' : 'highest') : 'regular';
  return { kind, amount: regular ?? highest, first, last, lowest, highest };
}

const LABELS = {
  regular: 'regularPayment',
  highest: 'highestPayment',
  'highest-regular': 'highestRegular',
  single: 'singlePayment',
} as const;

export function paymentLabel({ kind }: Pick<LeadingPayment, 'kind'>): string {
  return t(LABELS[kind]);
}

/** Names the first, highest, lowest and last payment if they differ from the leading one; empty if none does. */
export function exceptionText(payment: LeadingPayment, amount: (value: number) => string): string {
  const { amount: leading, first, last, highest, lowest } = payment;
  const parts = [
    ['firstPayment', first, first !== leading],
    ['highestIs', highest, highest > Math.max(leading, first)],
    ['lowestIs', lowest, lowest < Math.min(leading, first, last)],
    ['lastPayment', last, last !== leading],
  ] as const;
  return parts
    .flatMap(([text, value, isOther]) => (isOther ? [t(text, { amount: amount(value) })] : []))
    .join(', ');
}

function paymentsOf(rows: readonly PaidRow[]): readonly number[] {
  const due = rows.filter(({ isEarlyRepayment }) => isEarlyRepayment !== 'true');
  const payments: number[] = [];
  for (const [at, { DueDate, totalInstallment }] of due.entries()) {
    const isSameDay = DueDate !== undefined && DueDate === due[at - 1]?.DueDate;
    const before = isSameDay ? (payments.pop() ?? 0) : 0;
    payments.push(exactSum([before, totalInstallment]));
  }
  return payments.filter((amount) => amount !== 0);
}

/**
 * The amount that at least two payments and at least half of all payments have. Undefined if there is none, or if a
 * quarter or more of all payments are higher; the first and the last payment never count as higher.
 */
function regularOf(payments: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const amount of payments) counts.set(amount, (counts.get(amount) ?? 0) + 1);
  const isRegular = ([amount, count]: readonly [number, number]): boolean => {
    const higher = payments.slice(1, -1).filter((other) => other > amount).length;
    return count > 1 && count * 2 >= payments.length && higher * 4 < payments.length;
  };
  return [...counts].find(isRegular)?.[0];
}
