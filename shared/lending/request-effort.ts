/**
 * The cost of a request, estimated from its fields before any calculation (E6): its processor time, on which rate
 * limits are based, and the minimum size of its reply. A request whose reply would be too large is refused.
 */

import { explainsRows } from './request/answer-shape.ts';
import type { CalendarDate } from './dates/calendar-date.ts';
import type { CompiledScheduleType } from './schedule-types/compiled-schedule-type.ts';
import { daysPerPeriod, findPeriodicity, monthsPerPeriod, type Periodicity } from './dates/periodicity.ts';
import { MAX_INSTALLMENTS } from './request/max-installments.ts';
import type { RateRequest } from './request/rate-request.ts';
import type { RepaymentScheduleRequest } from './request/repayment-schedule-request.ts';
import type { ScheduleCatalogue } from './schedule-types/schedule-catalogue.ts';
import { readChargeInputs } from './charges/charge-input.ts';

/** The effort of one request. */
export interface RequestEffort {
  /**
   * Processor time for reading, calculating, encoding, decoding and rendering together, in milliseconds on an ordinary
   * server. The estimate grows with every list of the request.
   */
  readonly processorMs: number;
  /**
   * Lower bound of the size of the reply in Avro, in bytes: a request is refused only if its reply certainly does not
   * fit. It is lower if fields of the request may end the schedule early.
   */
  readonly leastReplyBytes: number;
}

/** Measured on one core, in milliseconds. */
const REQUEST_MS = 0.2;
const ROW_MS = 0.008;
/** One charge in one row. */
const CHARGE_MS = 0.000_15;
/** One band in one row. */
const BAND_MS = 0.000_15;
/** One band in the two parts of a period with a prepayment, of which the numbers of days are usually new. */
const PREPAID_BAND_MS = 0.002;
/** Further prepayments find most numbers of days calculated: a part of a period has at most a year. */
const MAX_NEW_DAY_COUNTS = 366;
/** One instalment with a recalculated payment: one for each rate range and each prepayment. */
const SOLVED_ROW_MS = 0.000_1;
/** The same with rate bands. */
const SOLVED_BANDED_ROW_MS = 0.000_4;
/**
 * With rate bands the interest of any row may exceed the payment, which is then recalculated over the remaining rows
 * (S5): one instalment for each row, between the cost of schedules in which it exceeds it everywhere and nowhere.
 */
const BANDED_ROW_PAIR_MS = 0.000_1;
/** One formula of the catalogue in one row. */
const FORMULA_MS = 0.03;
const EXPLAINED_ROW_MS = 0.08;
const EXPLAINED_CHARGE_MS = 0.005;
const EXPLAINED_PERCENT_MS = 0.01;
const EXPLAINED_BAND_MS = 0.001_5;
/** Explanations stop when the reply exceeds its maximum size, so they never take longer than this. */
const MAX_EXPLANATION_MS = 900;
/** One cash flow of a rate, with its line of the proof. */
const FLOW_MS = 0.03;
/** One instalment of a simulation with ten offers; most products have fewer. */
const SIMULATED_ROW_MS = 0.03;
/** One instalment with a recalculated payment in each offer with rates of the request: at most two. */
const SIMULATED_SOLVED_ROW_MS = 0.000_3;

/** Shortest encoding of a row, and of its explanation without charges. */
const ROW_BYTES = 50;
const EXPLAINED_ROW_BYTES = 200;
/** Shortest encoding of an explained charge without its name, digits and percentage, but with its part of the sum. */
const VALUE_BYTES = 30;
const PERCENT_BYTES = 45;
/** Decimal points and decimals of the amounts in such an explanation, if neither Currency nor Precision is sent. */
const VALUE_DECIMALS = 6;
const PERCENT_DECIMALS = 9;

const DAYS_IN_MONTH = { least: 28, most: 31 };
/** Maximum number of rows without charges because the schedule and the charges begin on different days. */
const ROWS_AT_ENDS = 3;

/** The effort of one commission or insurance. */
interface Charge {
  /** Percentage as written in explanations; undefined if the charge is an amount. */
  readonly percent: string | undefined;
  /** Share of rows that collect it, 0 to 1; undefined if the periodicity is not built in. */
  readonly share: number | undefined;
  /** Minimum number of rows that collect it. */
  readonly leastRows: number;
  /** Shortest encoding in one explained row. */
  readonly leastBytes: number;
}

/**
 * The effort of a repayment schedule. It starts on `requestDay` if the request contains no other start. With a
 * catalogue, the formulas of the schedule type are included.
 */
export function scheduleEffort(
  sent: RepaymentScheduleRequest,
  requestDay: CalendarDate,
  catalogue?: ScheduleCatalogue,
): RequestEffort {
  // A larger number is refused without a calculation.
  const isTooLong = sent.InstallmentsNo > MAX_INSTALLMENTS;
  const request = isTooLong ? { ...sent, InstallmentsNo: MAX_INSTALLMENTS } : sent;
  const charges = listCharges(request, requestDay);
  const early = request.EarlyRepayments?.length ?? 0;
  const rows = request.InstallmentsNo + early;
  const bands = request.BandedInterestRates?.length ?? 0;
  const solved = (early + (request.MultipleInterestRates?.length ?? 0)) * request.InstallmentsNo;
  const pairs = bands > 0 ? request.InstallmentsNo ** 2 : 0;
  const formulas = countFormulas(catalogue?.findScheduleType(request.ScheduleType));
  const isExplained = explainsRows(request);
  return {
    processorMs:
      REQUEST_MS +
      rows * (ROW_MS + charges.length * CHARGE_MS + bands * BAND_MS + formulas * FORMULA_MS) +
      solved * (bands > 0 ? SOLVED_BANDED_ROW_MS : SOLVED_ROW_MS) +
      pairs * BANDED_ROW_PAIR_MS +
      Math.min(early, MAX_NEW_DAY_COUNTS) * bands * PREPAID_BAND_MS +
      (isExplained ? explanationMs(rows, bands, charges) : 0),
    leastReplyBytes: minBytes(minRows(request), isExplained ? charges : undefined),
  };
}

/** The effort of the rate of cash flows (A6). */
export function rateEffort({ CashFlows, Amounts }: RateRequest): RequestEffort {
  const flows = (CashFlows?.length ?? 0) + (Amounts?.length ?? 0);
  return { processorMs: REQUEST_MS + flows * FLOW_MS, leastReplyBytes: 0 };
}

/** The fields of a simulation on which the estimate is based. */
interface SimulatedTerms {
  readonly loanPeriod: number;
  readonly jsonMultipleInterestRates?: readonly unknown[] | undefined;
}

/** The effort of a simulation, assuming ten offers: the actual number depends on the catalogue. */
export function simulationEffort({
  loanPeriod,
  jsonMultipleInterestRates: rates = [],
}: SimulatedTerms): RequestEffort {
  const rowMs = SIMULATED_ROW_MS + rates.length * SIMULATED_SOLVED_ROW_MS;
  const periods = Math.min(Math.max(0, loanPeriod), MAX_INSTALLMENTS);
  return { processorMs: REQUEST_MS + periods * rowMs, leastReplyBytes: 0 };
}

function explanationMs(rows: number, bands: number, charges: readonly Charge[]): number {
  let rowMs = EXPLAINED_ROW_MS + bands * EXPLAINED_BAND_MS;
  for (const { percent, share = 1 } of charges) {
    rowMs += share * (percent === undefined ? EXPLAINED_CHARGE_MS : EXPLAINED_PERCENT_MS);
  }
  return Math.min(MAX_EXPLANATION_MS, rows * rowMs);
}

function minBytes(rows: number, explained: readonly Charge[] | undefined): number {
  if (rows === 0 || explained === undefined) return rows * ROW_BYTES;
  let bytes = rows * (ROW_BYTES + EXPLAINED_ROW_BYTES);
  for (const charge of explained) bytes += charge.leastRows * charge.leastBytes;
  return bytes;
}

function countFormulas(type: CompiledScheduleType | undefined): number {
  if (type?.hasFormulas !== true) return 0;
  const methods = [type.interest, type.payment, type.principal, ...type.extras.map(({ method }) => method)];
  return methods.filter(({ kind }) => kind === 'Formula').length;
}

/** Minimum number of rows of the schedule; zero if it may have fewer rows than InstallmentsNo. */
function minRows(request: RepaymentScheduleRequest): number {
  const { installmentValue, principalValue, EarlyRepayments, PeriodicityType } = request;
  const mayEndEarly =
    installmentValue?.gt(0) === true || principalValue?.gt(0) === true || (EarlyRepayments ?? []).length > 0;
  const { LastDueDate, RealInstallmentNo, MaturityDate, ExpiryDateForOD } = request;
  const isCut = [LastDueDate, RealInstallmentNo, MaturityDate, ExpiryDateForOD].some(isSent);
  const isOnce = findPeriodicity(PeriodicityType)?.unit === 'Once';
  return mayEndEarly || isCut || isOnce ? 0 : request.InstallmentsNo;
}

function listCharges(request: RepaymentScheduleRequest, requestDay: CalendarDate): readonly Charge[] {
  const { ActivationDate, FirstDueDate, InstallmentsNo, Currency, Precision } = request;
  const row = findPeriodicity(request.PeriodicityType);
  const start = ActivationDate ?? FirstDueDate ?? requestDay;
  const decimals = isSent(Currency) || isSent(Precision) ? 0 : 1;
  return readChargeInputs(request).map((sent) => {
    const percent = sent.percent?.toFixed();
    const share = collectingShare(row, findPeriodicity(sent.periodicityType));
    const lateDays = Math.max(0, sent.firstDate - start);
    const lateRows = row === undefined ? 0 : Math.ceil(lateDays / Math.max(1, minDays(row)));
    const collecting = InstallmentsNo - lateRows - Math.max(0, sent.graceRows ?? 0) - ROWS_AT_ENDS;
    // A charge for an unused amount is collected only in the rows of the unused period (F5).
    const certain = sent.isForUnusage === true ? 0 : (share ?? 0);
    const names = sent.names.filter(({ value }) => value !== '').map(({ value }) => value.length);
    const figures =
      percent === undefined
        ? VALUE_BYTES + 2 * Math.max(1, (sent.value?.e ?? 0) + 1) + decimals * VALUE_DECIMALS
        : PERCENT_BYTES + 2 * percent.length + decimals * PERCENT_DECIMALS;
    return {
      percent,
      share,
      leastRows: Math.max(0, Math.floor(collecting * certain)),
      leastBytes: figures + (names.length === 0 ? 0 : Math.min(...names)),
    };
  });
}

/** Share of rows that collect a charge; undefined if one of the periodicities is unknown or not built in. */
function collectingShare(row: Periodicity | undefined, charged: Periodicity | undefined): number | undefined {
  if (row === undefined || charged === undefined) return undefined;
  const [rowMonths, chargedMonths] = [monthsPerPeriod(row), monthsPerPeriod(charged)];
  if (rowMonths > 0 && chargedMonths > 0) return Math.min(1, rowMonths / chargedMonths);
  const chargedDays = chargedMonths * DAYS_IN_MONTH.most + daysPerPeriod(charged);
  return chargedDays === 0 ? undefined : Math.min(1, minDays(row) / chargedDays);
}

function minDays(periodicity: Periodicity): number {
  return monthsPerPeriod(periodicity) * DAYS_IN_MONTH.least + daysPerPeriod(periodicity);
}

function isSent(value: unknown): boolean {
  return value !== undefined;
}
