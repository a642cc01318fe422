/** Parses the terms of a request for the reference implementation, or refuses it by the rules. */

import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { referenceDates } from './calendar.ts';
import { periodOf, type IsWorkingDay } from './dates.ts';
import { dayCountOf, type ReferenceDayCount } from './day-count.ts';
import { type Exact, minorUnits, Refused, refuseIf } from './decimal.ts';
import { ratesOf } from './rates.ts';

export type Repayment = 'level' | 'parts' | 'bullet' | 'card';

interface TypeRules {
  readonly repayment: Repayment;
  readonly products: string;
  readonly dayCount: ReferenceDayCount;
}

const LOANS = 'tl mg c';
const TYPES: Readonly<Record<string, TypeRules>> = {
  equalinstallments: { repayment: 'level', products: LOANS, dayCount: '30/360' },
  equalprincipal: { repayment: 'parts', products: LOANS, dayCount: '30/360' },
  interestonly: { repayment: 'bullet', products: LOANS, dayCount: '30/360' },
  balloon: { repayment: 'level', products: LOANS, dayCount: '30/360' },
  effectiverate: { repayment: 'level', products: LOANS, dayCount: 'Actual/365' },
  once: { repayment: 'bullet', products: 'tl mg', dayCount: '30/360' },
  overdraft: { repayment: 'bullet', products: 'od ba', dayCount: 'Actual/365' },
  deposit: { repayment: 'bullet', products: 'd ba', dayCount: 'Actual/365' },
  creditcard: { repayment: 'card', products: 'cc c', dayCount: 'Actual/365' },
  leasing: { repayment: 'level', products: 'ls', dayCount: '30/360' },
};

const DIGITS: Readonly<Record<string, number>> = { EUR: 2, RON: 2, USD: 2, JPY: 0, KWD: 3, CLF: 4 };

/** What happens to uncollected interest (G2). */
export type Leniency = 'deferred' | 'capitalised' | 'spread' | 'forgiven';

export type Terms = ReturnType<typeof termsOf>;

export interface ReferenceContext {
  readonly requestDay: number;
  /** The business days of a calendar by name, or of the default calendar; undefined for an unknown name. */
  readonly calendar?: (name: string | undefined) => IsWorkingDay | undefined;
}

function digitsOf(request: RepaymentScheduleRequest): number {
  if (request.Precision !== undefined) return request.Precision;
  if (request.Currency === undefined) return 2;
  const digits = DIGITS[request.Currency.toUpperCase()];
  if (digits === undefined) throw new Refused('unknown currency');
  return digits;
}

function lockOf(request: RepaymentScheduleRequest, repayment: Repayment, digits: number): Exact | undefined {
  const installment = minorUnits(request.installmentValue, digits, 'installmentValue');
  const principal = minorUnits(request.principalValue, digits, 'principalValue');
  refuseIf(!installment.isZero() && repayment !== 'level', 'installmentValue does not fit');
  refuseIf(!principal.isZero() && repayment !== 'parts', 'principalValue does not fit');
  const lock = installment.plus(principal);
  return lock.isZero() ? undefined : lock;
}

/** Amount and interest of X2; undefined if the row is not locked. */
function blockOf(request: RepaymentScheduleRequest, digits: number, room: Exact) {
  if (request.IsLocked !== true) return undefined;
  const block = minorUnits(request.BlockAmount, digits, 'BlockAmount');
  refuseIf(block.gt(room), 'BlockAmount above Amount');
  return { amount: block, interest: minorUnits(request.BlockInterestAmount, digits, 'BlockInterestAmount') };
}

function checkRest(request: RepaymentScheduleRequest, type: string): void {
  const isDeposit = type === 'deposit';
  const charges = (request.Commission?.length ?? 0) + (request.Insurance?.length ?? 0);
  refuseIf(isDeposit && charges > 0, 'a deposit with charges');
  const capitalisation = request.InterestCapitalization ?? 0;
  refuseIf(capitalisation !== 0 && capitalisation !== 1, 'bad capitalisation');
  refuseIf(type === 'creditcard' && request.CapitalPercent === undefined, 'a card without percentage');
  const percent = request.CapitalPercent;
  refuseIf(percent !== undefined && (percent.lt(0) || percent.gt(100)), 'bad percentage');
  refuseIf(type === 'balloon' && request.ResidualValue === undefined, 'a balloon without residual');
}

function calendarOf(request: RepaymentScheduleRequest, context: ReferenceContext): IsWorkingDay | undefined {
  if (request.HolidayShift !== true) return undefined;
  const found = context.calendar?.(request.HolidayCountry);
  if (found === undefined) throw new Refused('no such calendar');
  return found;
}

/** A list has a date for each row, in order, and stands alone (D9). */
function checkListed(request: RepaymentScheduleRequest, listed: readonly number[], type: string): void {
  const { FirstDueDate, MaturityDate, InstallmentMethod, ExpiryDateForOD, InterestType } = request;
  const others = [FirstDueDate, MaturityDate, InstallmentMethod];
  refuseIf(
    others.some((one) => one !== undefined),
    'a list and other dates',
  );
  refuseIf(type === 'overdraft' && ExpiryDateForOD !== undefined, 'a list and an expiry');
  refuseIf(InterestType === 1, 'a list in advance');
  refuseIf(listed.length !== request.InstallmentsNo, 'a date for each row');
  const isOrdered = listed.every((date, row) => row === 0 || date > listed[row - 1]!);
  refuseIf(!isOrdered, 'the order of the list');
}

export function termsOf(request: RepaymentScheduleRequest, context: ReferenceContext) {
  const type = request.ScheduleType.trim().toLowerCase();
  const rules = TYPES[type];
  const period = periodOf(request.PeriodicityType);
  if (rules === undefined || period === undefined) throw new Refused('unknown type or periodicity');
  const product = request.ProductType?.trim().toLowerCase();
  refuseIf(product !== undefined && !rules.products.split(' ').includes(product), 'product mismatch');
  checkRest(request, type);
  const isOnce = type === 'once' || (period.months === 0 && period.days === 0);
  refuseIf(isOnce && request.InstallmentsNo !== 1, 'Once has one row');
  const periods = request.ContractPeriod ?? 0;
  const hasPeriods = period.months + period.days > 0;
  refuseIf(hasPeriods && periods !== 0 && periods !== request.InstallmentsNo, 'ContractPeriod');
  const settled = request.BlockInstallmentNo ?? 0;
  const isRunning = request.LastDueDate !== undefined && settled < request.InstallmentsNo;
  refuseIf(settled > 0 && !isRunning, 'settled');
  const method = request.InterestCalculationMethod;
  const dayCount = method === undefined ? rules.dayCount : dayCountOf(method);
  if (dayCount === undefined) throw new Refused('unknown day count');
  const isInAdvance = request.InterestType === 1;
  refuseIf(![undefined, 0, 1].includes(request.InterestType), 'InterestType');
  refuseIf(isInAdvance && (isOnce || !['level', 'parts'].includes(rules.repayment)), 'never in advance');
  const listed = request.DueDates;
  if (listed !== undefined) checkListed(request, listed, type);
  const isWorkingDay = calendarOf(request, context);
  const rows = request.InstallmentsNo;
  const [isNew, isOverdraft] = [request.LastDueDate === undefined, type === 'overdraft'];
  const { requestDay } = context;
  const settings = { period, rows, settled, isInAdvance, requestDay, isOverdraft, isWorkingDay };
  const dates = referenceDates(request, settings);
  const real = request.RealInstallmentNo ?? rows;
  refuseIf(real < 1 || real > rows || real <= settled, 'RealInstallmentNo');
  const lastRow = Math.min(real, dates.rows);
  const gracePrincipal = request.GracePeriodPrincipal ?? 0;
  const graceInterest = request.GracePeriodInterest ?? 0;
  refuseIf(Math.max(gracePrincipal, graceInterest, 0) > Math.max(lastRow - 1, 0), 'grace beyond the rows');
  refuseIf(isInAdvance && Math.max(gracePrincipal, graceInterest) > 0, 'grace in advance');
  const digits = digitsOf(request);
  const amount = minorUnits(request.Amount, digits, 'Amount');
  const residual = minorUnits(request.ResidualValue, digits, 'ResidualValue');
  refuseIf(amount.isZero() || residual.gt(amount), 'residual above amount');
  const residualHasRow = !(request.ResidualInInstallment ?? type === 'balloon');
  return {
    repayment: rules.repayment,
    isInAdvance,
    hasResidualPeriod: isInAdvance && residualHasRow && residual.gt(0),
    compounds: type === 'effectiverate',
    capitalisesDeposit: type === 'deposit' && request.InterestCapitalization === 1,
    dayCount,
    period,
    digits,
    amount,
    upFront: minorUnits(isNew ? request.UpFrontValue : undefined, digits, 'UpFrontValue'),
    dates,
    /** The number of rows in which the payment repays the loan, and the number of the last row shown (B6). */
    rows: dates.rows,
    lastRow,
    settled,
    gracePrincipal,
    graceInterest,
    leniency: (request.GraceType?.trim().toLowerCase() ?? 'deferred') as Leniency,
    rates: ratesOf(request, digits),
    residual,
    residualHasRow,
    lock: lockOf(request, rules.repayment, digits),
    allowsNegative: request.AllowNegativeAmortisation === true,
    block: blockOf(request, digits, amount.minus(residual)),
    request,
  };
}
