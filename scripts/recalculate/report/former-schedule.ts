/** The schedule that a contract had before, as its line in the input has it: rows in either spelling of the interface. */

import { sumsOf, type ScheduleSums, type SummedRow } from './schedule-sums.ts';

export interface FormerRow extends SummedRow {
  readonly InstallmentNo: number;
}

export interface FormerSchedule {
  readonly rows: readonly FormerRow[];
  readonly sums: ScheduleSums;
}

type Members = Readonly<Record<string, unknown>>;

/** An amount as it stands in JSON: plain decimal text, up to the digits of the largest figure. */
const PLAIN_AMOUNT = /^(-?)(\d{1,16})(?:\.(\d{1,8}))?$/;

/**
 * Numbers of JSON arrive as binary fractions. Up to 2^52 minor units the shortest text of such a number is exactly the
 * decimal that was written: two decimals of that size never share a binary fraction. Larger ones are taken as text only.
 */
const LARGEST_EXACT_NUMBER_MINOR = 2 ** 52;

/**
 * Reads a former schedule against the digits of the new one (M2). Rows need InstallmentNo, principal, interest and
 * totalInstallment; commissions and insurances count as zero where they are absent. Undefined when it is no list of such
 * rows: an amount with more decimals than the currency has is never rounded.
 */
export function readFormerSchedule(former: unknown, currencyDigits: number): FormerSchedule | undefined {
  if (!Array.isArray(former) || former.length === 0) return undefined;
  const rows: FormerRow[] = [];
  for (const item of former) {
    const row = readRow(item, currencyDigits);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return { rows, sums: sumsOf(rows) };
}

function readRow(item: unknown, digits: number): FormerRow | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const row = item as Members;
  const { InstallmentNo } = row;
  if (!Number.isSafeInteger(InstallmentNo)) return undefined;
  const principal = minorUnits(row['principal'] ?? row['Principal'], digits);
  const interest = minorUnits(row['interest'] ?? row['Interest'], digits);
  const totalInstallment = minorUnits(row['totalInstallment'] ?? row['TotalInstallment'], digits);
  const managementFee = minorUnits(row['managementFee'] ?? row['ManagementFee'] ?? 0, digits);
  const insurance = minorUnits(row['insurance'] ?? row['Insurance'] ?? 0, digits);
  if (principal === undefined || interest === undefined || totalInstallment === undefined) return undefined;
  if (managementFee === undefined || insurance === undefined) return undefined;
  return {
    InstallmentNo: InstallmentNo as number,
    principal,
    interest,
    managementFee,
    insurance,
    totalInstallment,
  };
}

/** The amount in minor units; undefined when it is none, has too many decimals or is too large to be exact. */
function minorUnits(value: unknown, digits: number): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const parts = PLAIN_AMOUNT.exec(String(value));
  if (parts === null) return undefined;
  const [, sign, whole = '', written = ''] = parts;
  const decimals = written.length > digits ? written.replace(/0+$/, '') : written;
  if (decimals.length > digits) return undefined;
  const minor = Number(whole + decimals.padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return undefined;
  if (typeof value === 'number' && minor >= LARGEST_EXACT_NUMBER_MINOR) return undefined;
  return sign === '-' && minor !== 0 ? -minor : minor;
}
