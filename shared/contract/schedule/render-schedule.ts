/**
 * Writes a repayment schedule as JSON in the interface's two spellings (section 2.1, rule A5). Written by hand,
 * because it runs for every answer and because amounts are exact: they go from whole minor units to decimal text
 * without ever being a binary fraction (M1), so 17 euro are written `17.00`.
 */

import { datePartsOf, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { INSTALLMENT_TYPE_IDS } from '../../lending/request/installment-types.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';
import type { Casing, RepaymentSchedule, ScheduleRow } from '../../lending/request/repayment-schedule.ts';
import { renderRowExplanation } from './spelling.ts';

/** What comes before the value of each member that the two spellings write differently. */
interface Spelling {
  readonly remainingValue: string;
  readonly pmt: string;
  readonly interest: string;
  readonly capitalisedInterest: string;
  readonly principal: string;
  readonly managementFee: string;
  readonly insurance: string;
  readonly totalInstallment: string;
  readonly isEarlyRepayment: string;
  readonly explanation: string;
  /** End of the DueDate's text (D1). */
  readonly midnight: string;
}

const LOWER: Spelling = {
  remainingValue: ',"remainingValue":',
  pmt: ',"pMT":',
  interest: ',"interest":',
  capitalisedInterest: ',"capitalisedInterest":',
  principal: ',"principal":',
  managementFee: ',"managementFee":',
  insurance: ',"insurance":',
  totalInstallment: ',"totalInstallment":',
  isEarlyRepayment: ',"isEarlyRepayment":',
  explanation: ',"explanation":',
  midnight: 'T00:00:00"',
};

const CAPITALISED: Spelling = {
  remainingValue: ',"RemainingValue":',
  pmt: ',"PMT":',
  interest: ',"Interest":',
  capitalisedInterest: ',"CapitalisedInterest":',
  principal: ',"Principal":',
  managementFee: ',"ManagementFee":',
  insurance: ',"Insurance":',
  totalInstallment: ',"TotalInstallment":',
  isEarlyRepayment: ',"IsEarlyRepayment":',
  explanation: ',"Explanation":',
  midnight: 'T00:00:00Z"',
};

/** What the rows of one schedule are written with. */
interface RowStyle {
  readonly casing: Casing;
  readonly spelling: Spelling;
  readonly digits: number;
  /** What comes before the value of each additional column. */
  readonly extraColumns: readonly string[];
  /** Members after the total that are the same in every row. */
  readonly tail: string;
}

/** Rates come as plain decimal text with a fixed number of digits; anything else would not be JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The JSON text of a schedule: an array of rows, or the single object `{"dae": ...}` where only that is shown.
 * Throws RangeError on an amount that is no safe integer and on a rate that is no plain decimal: such a schedule is
 * the fault of whoever made it.
 */
export function renderRepaymentSchedule(schedule: RepaymentSchedule): string {
  const { casing, show, rows } = schedule;
  if (show === 'dae') return `[{"dae":${rateText(schedule.dae)}}]`;
  const style: RowStyle = {
    casing,
    spelling: casing === 'lower' ? LOWER : CAPITALISED,
    digits: schedule.currencyDigits,
    extraColumns: (schedule.extraColumns ?? []).map((name) => `,${JSON.stringify(name)}:`),
    tail: rateMember(schedule) + `,"ScheduleTypeId":${JSON.stringify(schedule.scheduleTypeId)}`,
  };
  let text = '[';
  for (const row of rows) {
    text += (text.length > 1 ? ',' : '') + renderRow(row, style);
  }
  return `${text}]`;
}

function renderRow(row: ScheduleRow, style: RowStyle): string {
  const { spelling, digits } = style;
  const { capitalisedInterest, insurance, explanation } = row;
  return (
    `{"InstallmentNo":${row.InstallmentNo},"DueDate":"${dateText(row.dueDate)}${spelling.midnight}` +
    `,"NoDays":${row.noDays},"InstallmentTypeId":${typeIdText(row.installmentTypeId)}` +
    spelling.remainingValue +
    moneyText(row.remainingValue, digits) +
    spelling.pmt +
    moneyText(row.pmt, digits) +
    spelling.interest +
    moneyText(row.interest, digits) +
    (capitalisedInterest === undefined
      ? ''
      : spelling.capitalisedInterest + moneyText(capitalisedInterest, digits)) +
    spelling.principal +
    moneyText(row.principal, digits) +
    spelling.managementFee +
    moneyText(row.managementFee, digits) +
    (insurance === undefined ? '' : spelling.insurance + moneyText(insurance, digits)) +
    (row.columns === undefined ? '' : columnMembers(row.columns, style)) +
    spelling.totalInstallment +
    moneyText(row.totalInstallment, digits) +
    style.tail +
    spelling.isEarlyRepayment +
    (row.isEarlyRepayment ? '"true"' : '"false"') +
    (explanation === undefined
      ? '}'
      : `${spelling.explanation}${renderRowExplanation(explanation, style.casing, digits)}}`)
  );
}

/** The additional columns are members of the row by their own names, alike in both spellings (F4). */
function columnMembers(amounts: readonly number[], { extraColumns, digits }: RowStyle): string {
  return extraColumns.map((label, column) => label + moneyText(amounts[column] ?? 0, digits)).join('');
}

function rateMember({ show, dae, eir }: RepaymentSchedule): string {
  if (show === 'rows-with-dae') return `,"dae":${rateText(dae)}`;
  return show === 'rows-with-eir' ? `,"EIR":${rateText(eir)}` : '';
}

/** A rate that does not exist is null (A4). */
function rateText(rate: string | null | undefined): string {
  if (rate === null || rate === undefined) return 'null';
  if (!PLAIN_DECIMAL.test(rate)) throw new RangeError('a rate must be plain decimal text');
  return rate;
}

function moneyText(minor: number, digits: number): string {
  if (!Number.isSafeInteger(minor)) throw new RangeError('an amount must be a safe integer of minor units');
  return formatMinorUnits(minor, digits);
}

/** The published ids as JSON; one of them stands in every row. */
const TYPE_ID_TEXTS = new Map(Object.values(INSTALLMENT_TYPE_IDS).map((id) => [id, JSON.stringify(id)]));

function typeIdText(id: string): string {
  return TYPE_ID_TEXTS.get(id) ?? JSON.stringify(id);
}

/** `00` to `31`. */
const TWO_DIGITS = Array.from({ length: 32 }, (_, number) => String(number).padStart(2, '0'));

/** `yyyy-mm-dd` of a date with a year of four digits, as every date of a request and its schedule has. */
function dateText(date: CalendarDate): string {
  const { year, month, day } = datePartsOf(date);
  return `${year}-${TWO_DIGITS[month] ?? ''}-${TWO_DIGITS[day] ?? ''}`;
}
