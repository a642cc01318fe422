/**
 * Writes a repayment schedule as JSON in the interface's two spellings (section 2.1, rule A5). Written by hand,
 * because it runs for every answer and because amounts are exact: they go from whole minor units to decimal text
 * without ever being a binary fraction (M1), so 17 euro are written `17.00`.
 */

import { datePartsOf, type CalendarDate } from '../lending/calendar-date.ts';
import { formatMinorUnits } from '../lending/money.ts';
import type { RepaymentSchedule, ScheduleRow } from '../lending/repayment-schedule.ts';

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
  midnight: 'T00:00:00Z"',
};

/** Rates come as plain decimal text with a fixed number of digits; anything else would not be JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The JSON text of a schedule: an array of rows, or the single object `{"dae": ...}` where only that is shown.
 * Throws RangeError on an amount that is no safe integer and on a rate that is no plain decimal: such a schedule is
 * the fault of whoever made it.
 */
export function renderRepaymentSchedule(schedule: RepaymentSchedule): string {
  const { casing, show, rows, currencyDigits } = schedule;
  if (show === 'dae') return `[{"dae":${rateText(schedule.dae)}}]`;
  const spelling = casing === 'lower' ? LOWER : CAPITALISED;
  const tail = rateMember(schedule) + `,"ScheduleTypeId":${JSON.stringify(schedule.scheduleTypeId)}`;
  let text = '[';
  for (const row of rows) {
    text += (text.length > 1 ? ',' : '') + renderRow(row, spelling, currencyDigits, tail);
  }
  return `${text}]`;
}

function renderRow(row: ScheduleRow, spelling: Spelling, digits: number, tail: string): string {
  const { capitalisedInterest, insurance } = row;
  return (
    `{"InstallmentNo":${row.InstallmentNo},"DueDate":"${dateText(row.dueDate)}${spelling.midnight}` +
    `,"NoDays":${row.noDays},"InstallmentTypeId":${JSON.stringify(row.installmentTypeId)}` +
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
    spelling.totalInstallment +
    moneyText(row.totalInstallment, digits) +
    tail +
    spelling.isEarlyRepayment +
    (row.isEarlyRepayment ? '"true"}' : '"false"}')
  );
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

/** `yyyy-mm-dd` of a date with a year of four digits, as every date of a request and its schedule has. */
function dateText(date: CalendarDate): string {
  const { year, month, day } = datePartsOf(date);
  return `${year}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}
