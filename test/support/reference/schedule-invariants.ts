/** The invariants of every schedule (M3). */

import {
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { ROW_FIGURES } from './schedule.ts';

const { EarlyRepayment, Grace, Regular, Residual } = INSTALLMENT_TYPE_IDS;

interface Place {
  readonly row: ScheduleRow;
  readonly before: ScheduleRow | undefined;
  readonly index: number;
  readonly request: RepaymentScheduleRequest;
  readonly schedule: RepaymentSchedule;
}

function isDue({ installmentTypeId }: ScheduleRow): boolean {
  return installmentTypeId === Regular || installmentTypeId === Grace;
}

/** The number of the last due row so far, or of the settled row. */
function numberBefore({ schedule, index, request }: Place): number {
  const last = schedule.rows.slice(0, index).findLast(isDue);
  return last?.InstallmentNo ?? request.BlockInstallmentNo ?? 0;
}

/** True for the first due row, which includes the blocked amounts, also in a grace period (X2). */
function isFirstLocked({ request, schedule, row }: Place): boolean {
  return request.IsLocked === true && schedule.rows.find(isDue) === row;
}

function isPositiveRate(request: RepaymentScheduleRequest): boolean {
  const rates = [
    request.InterestPercent,
    ...(request.MultipleInterestRates ?? []).map((item) => item.InterestRate),
    ...(request.BandedInterestRates ?? []).map((item) => item.Value),
  ];
  return rates.every((rate) => rate === undefined || !rate.isNegative() || rate.isZero());
}

const RULES: Readonly<Record<string, (place: Place) => boolean>> = {
  'figures are safe integers, never minus zero': ({ row }) =>
    ROW_FIGURES.every((name) => Number.isSafeInteger(row[name] ?? 0) && !Object.is(row[name], -0)),
  'RemainingValue is that of the previous row, less its principal, plus the capitalised interest': ({
    row,
    before,
  }) =>
    before === undefined ||
    row.remainingValue === before.remainingValue - before.principal + (before.capitalisedInterest ?? 0),
  'PMT is interest plus principal': ({ row }) => row.pmt === row.interest + row.principal,
  'TotalInstallment adds fees and insurances': ({ row }) =>
    row.totalInstallment === row.pmt + row.managementFee + (row.insurance ?? 0),
  'principal is not negative unless that was allowed': ({ row, request }) =>
    row.principal >= 0 || request.AllowNegativeAmortisation === true,
  'a balance is never negative': ({ row }) =>
    row.remainingValue >= 0 && row.remainingValue - row.principal + (row.capitalisedInterest ?? 0) >= 0,
  'charges are not negative if interest and principal are not': ({ row, request }) =>
    !isPositiveRate(request) ||
    request.AllowNegativeAmortisation === true ||
    (row.managementFee >= 0 && (row.insurance ?? 0) >= 0),
  'insurance is present if insurances were sent, capitalised interest if it occurs': ({ row, request }) =>
    (row.insurance !== undefined) === (request.Insurance?.length ?? 0) > 0 && row.capitalisedInterest !== 0,
  'days are not negative': ({ row }) => row.noDays >= 0,
  'numbers follow each other': (place) =>
    place.row.InstallmentNo ===
    numberBefore(place) + (place.row.installmentTypeId === EarlyRepayment ? 0 : 1),
  'prepayments are marked, have no charges and repay the requested amount': ({ row, request, schedule }) => {
    const isEarly = row.installmentTypeId === EarlyRepayment;
    if (isEarly !== row.isEarlyRepayment) return false;
    if (!isEarly) return true;
    const unit = 10 ** schedule.currencyDigits;
    const isSent = (request.EarlyRepayments ?? []).some(
      ({ Date, Amount }) =>
        Date === row.dueDate && Amount.times(unit).eq(row.principal + (row.overpaid ?? 0)),
    );
    return isSent && row.managementFee === 0 && (row.insurance ?? 0) === 0;
  },
  'a residual row comes last, on the previous due date, with principal only': ({
    row,
    index,
    schedule,
    request,
  }) => {
    if (row.installmentTypeId !== Residual) return true;
    const last = schedule.rows.slice(0, index).findLast(isDue);
    const most = request.ResidualValue?.times(10 ** schedule.currencyDigits).toNumber() ?? 0;
    // In advance it is due at the end of the term, with interest (B7).
    if (request.InterestType === 1) return index === schedule.rows.length - 1 && row.pmt <= most;
    const isBare = row.noDays === 0 && row.interest === 0 && row.totalInstallment === row.remainingValue;
    return isBare && index === schedule.rows.length - 1 && row.dueDate === last?.dueDate;
  },
  'due dates do not go back': ({ row, index, schedule }) => {
    const last = schedule.rows.slice(0, index).findLast(isDue);
    return !isDue(row) || last === undefined || row.dueDate >= last.dueDate;
  },
  'grace pays no principal and collects no interest': (place) => {
    const { row, request } = place;
    if (!isDue(row) || isFirstLocked(place)) return true;
    const isLast = row === place.schedule.rows.findLast(isDue);
    const isFree = row.InstallmentNo <= (request.GracePeriodPrincipal ?? 0);
    const isInterestFree = row.InstallmentNo <= (request.GracePeriodInterest ?? 0);
    return !((isFree && row.principal !== 0) || (isInterestFree && row.interest !== 0 && !isLast));
  },
  'rows are regular or grace by their number': ({ row, request }) => {
    if (!isDue(row)) return true;
    const grace = Math.max(request.GracePeriodPrincipal ?? 0, request.GracePeriodInterest ?? 0);
    return (row.installmentTypeId === Grace) === row.InstallmentNo <= grace;
  },
};

function brokenRates({ dae, eir, show }: RepaymentSchedule): string | undefined {
  for (const rate of [dae, eir]) {
    if (rate === undefined || rate === null) continue;
    if (!/^-?\d+\.\d{4}$/.test(rate) || rate === '-0.0000') return `a rate is ${rate}`;
  }
  const hasDae = show === 'dae' || show === 'rows-with-dae';
  if ((dae !== undefined) !== hasDae) return 'DAE must be present if and only if it is shown';
  if ((eir !== undefined) !== (show === 'rows-with-eir'))
    return 'EIR must be present if and only if it is shown';
  return undefined;
}

/** The first invariant that a schedule breaks, with the row; undefined if it keeps all of them. */
export function brokenInvariant(request: RepaymentScheduleRequest, schedule: RepaymentSchedule) {
  const { rows, currencyDigits } = schedule;
  const amount = request.Amount.times(10 ** currencyDigits).toNumber();
  if (rows[0]?.remainingValue !== amount) return `the first row starts with ${rows[0]?.remainingValue}`;
  let paid = 0;
  let capitalised = 0;
  for (const [index, row] of rows.entries()) {
    const place = { row, before: rows[index - 1], index, request, schedule };
    const broken = Object.keys(RULES).find((name) => !RULES[name]!(place));
    if (broken !== undefined) return `row ${index + 1}: ${broken}`;
    paid += row.principal;
    capitalised += row.capitalisedInterest ?? 0;
  }
  if (paid !== amount + capitalised) return `principals add up to ${paid}, not ${amount} and ${capitalised}`;
  return brokenRates(schedule);
}
