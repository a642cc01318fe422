/** Requests that combine features, with one simple variant of each. */

import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { AMOUNT, feesOf, IN_PERCENT, insurancesOf, money, START, type FeatureSet } from './features.ts';
import { REFERENCE_CONTEXT } from './terms.ts';
import { referenceSchedule } from '../reference/schedule.ts';
import { termsOf } from '../reference/terms.ts';

const ROWS = 12;
const SETTLED = 3;
const FEWER_ROWS = 9;
const LOCKABLE = new Set<string>([
  'EqualInstallments',
  'Balloon',
  'EffectiveRate',
  'Leasing',
  'EqualPrincipal',
]);

/** The reason why the rules refuse a combination; undefined if they calculate it. */
export function reasonAgainst(features: FeatureSet): string | undefined {
  const { type } = features;
  const isOnce = type === 'Once';
  const hasGrace = features.gracePrincipal !== '0' || features.graceInterest !== '0';
  const hasCharges = features.fee !== 'none' || features.insurance !== 'none' || features.unused !== 'none';
  if (features.lock !== 'none' && !LOCKABLE.has(type)) return 'B2: a lock with a type that has no payment';
  if (type === 'Balloon' && features.residual === 'none') return 'S4: a balloon needs a residual';
  if (type === 'Deposit' && hasCharges) return 'B4: a deposit takes no charges';
  if (isOnce && hasGrace) return 'G2: grace as long as the schedule';
  if (isOnce && features.recalculation !== 'none') return 'X1: more settled rows than the schedule has';
  if (isOnce && features.realInstallments === 'fewer') return 'B6: more rows than InstallmentsNo';
  return undefined;
}

function ratesOf(features: FeatureSet): Partial<RepaymentScheduleRequest> {
  const ranges = [
    { InterestRate: new Decimal('6.25'), FromInstNo: 1, ToInstNo: 5 },
    { InterestRate: new Decimal('7.5'), FromInstNo: 6, ToInstNo: 8 },
    { InterestRate: new Decimal('4.9') },
  ];
  const border = money(features, 40);
  const bands = [
    { MinUtilizedAmount: new Decimal(0), MaxUtilizedAmount: border, Value: new Decimal('5.5') },
    { MinUtilizedAmount: border, Value: new Decimal('7.125') },
  ];
  const byForm: Readonly<Record<FeatureSet['rates'], Partial<RepaymentScheduleRequest>>> = {
    one: { InterestPercent: new Decimal('6.25') },
    ranges: { MultipleInterestRates: features.type === 'Once' ? ranges.slice(2) : ranges },
    bands: { BandedInterestRates: bands },
    'bands whole': { BandedInterestRates: bands, BandMethod: 'Whole' },
  };
  return byForm[features.rates];
}

function rowsOfGrace(text: string): number | undefined {
  return text === '0' ? undefined : Number(text);
}

function basicRequest(features: FeatureSet): RepaymentScheduleRequest {
  const isOnce = features.type === 'Once';
  return {
    ScheduleType: features.type,
    Amount: AMOUNT,
    InstallmentsNo: isOnce ? 1 : ROWS,
    PeriodicityType: features.periodicity,
    InstallmentDay: 31,
    ActivationDate: START,
    Precision: Number(features.digits),
    InterestCalculationMethod: features.dayCount === 'of the type' ? undefined : features.dayCount,
    ResidualValue: features.residual === 'none' ? undefined : money(features, 15),
    ResidualInInstallment: features.residual === 'none' ? undefined : features.residual === 'in last',
    GracePeriodPrincipal: rowsOfGrace(features.gracePrincipal),
    GracePeriodInterest: rowsOfGrace(features.graceInterest),
    GraceType: features.graceType === 'absent' ? undefined : features.graceType,
    HolidayShift: features.shift !== 'none',
    HolidayCountry: 'Weekdays',
    HolidayMethod: features.shift === 'none' ? undefined : features.shift,
    DeferDueDate: features.deferDueDate === 'yes',
    RealInstallmentNo: features.realInstallments === 'fewer' ? FEWER_ROWS : undefined,
    CalculateDAE: features.calculateDae === 'absent' ? undefined : Number(features.calculateDae),
    CapitalPercent: features.type === 'CreditCard' ? new Decimal(8) : undefined,
    // Both would defer the same interest, and the rules do not state which one has priority.
    InterestCapitalization: features.type === 'Deposit' && features.graceInterest === '0' ? 1 : undefined,
    UpFrontValue: money(features, 0.5),
    UnusedAmount: features.unused === 'none' ? undefined : money(features, 30),
    Commission: feesOf(features),
    Insurance: insurancesOf(features),
    ...ratesOf(features),
  };
}

function withDates(features: FeatureSet, request: RepaymentScheduleRequest): RepaymentScheduleRequest {
  const { dates, rows } = termsOf(request, REFERENCE_CONTEXT);
  const last = dates.plain[rows] ?? START;
  const end = (features.maturity === 'later' ? last + 9 : undefined) as CalendarDate | undefined;
  const isOverdraft = features.type === 'Overdraft';
  const dated = { ...request, ...(isOverdraft ? { ExpiryDateForOD: end } : { MaturityDate: end }) };
  if (features.recalculation === 'none') return dated;
  const blocked = features.recalculation === 'locked with blocked amounts';
  return {
    ...dated,
    LastDueDate: dates.shown[SETTLED] as CalendarDate,
    FirstDueDate: dates.plain[1] as CalendarDate,
    BlockInstallmentNo: SETTLED,
    ...(blocked
      ? { IsLocked: true, BlockAmount: money(features, 7), BlockInterestAmount: money(features, 0.4) }
      : {}),
  };
}

function withLock(features: FeatureSet, request: RepaymentScheduleRequest): RepaymentScheduleRequest {
  if (features.lock === 'none') return request;
  const outcome = referenceSchedule(
    { ...request, IsLocked: undefined, Insurance: [], Commission: [] },
    REFERENCE_CONTEXT,
  );
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  const isLevel = features.type !== 'EqualPrincipal';
  const usual = outcome.rows.findLast(
    (row, index) => row.kind === 'Regular' && outcome.rows[index + 1]?.kind === 'Regular',
  );
  const figure = (isLevel ? usual?.pmt : usual?.principal) ?? 1;
  const lock = new Decimal(Math.round((figure * (features.lock === 'lower' ? 90 : 125)) / IN_PERCENT));
  const value = lock.div(new Decimal(10).pow(Number(features.digits)));
  return { ...request, [isLevel ? 'installmentValue' : 'principalValue']: value };
}

function withEarly(features: FeatureSet, request: RepaymentScheduleRequest): RepaymentScheduleRequest {
  if (features.early === 'none') return request;
  const { dates, settled, lastRow } = termsOf(request, REFERENCE_CONTEXT);
  const start = Math.max(dates.start, dates.accrualStart);
  const rows = dates.accrual.flatMap((date, row) => (row > settled && date > start ? [row] : []));
  const row = rows[1] ?? lastRow;
  const due = dates.accrual[row] ?? START;
  const inside = Math.max(start + 1, Math.min(due, (dates.accrual[row - 1] ?? START) + 2));
  const Date = (features.early === 'on due date' && row < lastRow ? due : inside) as CalendarDate;
  return {
    ...request,
    EarlyRepayments: [{ Date, Amount: money(features, 11), DecreaseInstallment: features.early !== 'keep' }],
  };
}

/** The request of a combination, as complete as possible if the rules refuse it. */
export function featureRequest(features: FeatureSet): RepaymentScheduleRequest {
  const basic = basicRequest(features);
  if (reasonAgainst(features) !== undefined) {
    const isRecalculation = features.recalculation !== 'none';
    return {
      ...basic,
      ...(isRecalculation ? { LastDueDate: START, BlockInstallmentNo: SETTLED } : {}),
      ...(features.lock === 'none' ? {} : { installmentValue: money(features, 10) }),
    };
  }
  return withEarly(features, withLock(features, withDates(features, basic)));
}
