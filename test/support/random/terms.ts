/** The steps that build a random request; each uses the dates and payments that follow from earlier ones. */

import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { FAKE_CALENDAR_NAMES, fakeWorkingDays } from '../fakes/calendars.ts';
import { REQUEST_DAY } from '../builders/lending-loan.ts';
import type { Picks } from './pick.ts';
import { referenceSchedule } from '../reference/schedule.ts';
import { termsOf, type Terms } from '../reference/terms.ts';

/** The context of both calculations, in addition to the request. */
export const REFERENCE_CONTEXT = { requestDay: REQUEST_DAY, calendar: fakeWorkingDays } as const;

const METHODS = ['Forward', 'Backward', 'ModifiedForward', 'ModifiedBackward', 'Nearest', 'None'] as const;
const GRACE_TYPES = ['Deferred', 'Capitalised', 'Spread', 'Forgiven'] as const;
type Request = RepaymentScheduleRequest;

/** A share of an amount, rounded down to minor units; the whole amount if the share would be zero. */
export function share(picks: Picks, amount: Decimal, digits: number): Decimal {
  const part = amount.times(picks.whole(1, 60)).div(100).toDecimalPlaces(digits, Decimal.ROUND_DOWN);
  return part.isZero() ? amount : part;
}

/** A usual rate, zero, a negative rate, a rate with many digits, or an extreme rate. */
export function rate(picks: Picks): Decimal {
  const usual = () => new Decimal(picks.whole(0, 40_000)).div(1_000);
  return picks.of(
    usual,
    usual,
    usual,
    usual,
    () => new Decimal(0),
    () => new Decimal(picks.whole(-4_000, -1)).div(1_000),
    () => new Decimal(`7.${String(picks.whole(1, 9_999_999)).padStart(15, '3')}`),
    () => new Decimal(picks.whole(40, 300)),
  )();
}

/** Holiday shift, and the date on which the contract ends. */
export function withDates(picks: Picks, request: Request): Request {
  const shift = picks.chance(35)
    ? {
        HolidayShift: true,
        HolidayCountry: picks.maybe(80, () => picks.of(...FAKE_CALENDAR_NAMES)),
        HolidayMethod: picks.maybe(80, () => picks.of(...METHODS)),
        DeferDueDate: picks.maybe(60, () => picks.chance(60)),
      }
    : {};
  const shifted = { ...request, ...shift };
  if (!picks.chance(20)) return shifted;
  const { dates, rows } = termsOf({ ...shifted, ResidualValue: new Decimal(0) }, REFERENCE_CONTEXT);
  const beforeLast = dates.plain[rows - (request.InterestType === 1 ? 0 : 1)] ?? dates.accrualStart;
  const end = (beforeLast + picks.whole(1, 60)) as CalendarDate;
  if (request.ScheduleType !== 'Overdraft') return { ...shifted, MaturityDate: end };
  const first = dates.accrualStart + 1;
  return { ...shifted, ExpiryDateForOD: picks.of(end, picks.whole(first, end) as CalendarDate) };
}

/** Ranges or bands instead of a single rate. */
export function withRates(picks: Picks, request: Request, digits: number): Request {
  const { InstallmentsNo: rows, Amount } = request;
  if (picks.chance(18)) {
    const ends = Array.from({ length: picks.whole(0, Math.min(3, rows - 1)) }, () =>
      picks.whole(1, rows - 1),
    );
    const sorted = [...new Set(ends)].toSorted((one, other) => one - other);
    const ranges = [...sorted, undefined].map((ToInstNo) => ({ InterestRate: rate(picks), ToInstNo }));
    return { ...request, MultipleInterestRates: ranges, InterestPercent: undefined };
  }
  if (!picks.chance(15)) return request;
  const method = picks.of(undefined, 'Slices', 'Whole');
  const starts = Array.from({ length: picks.whole(0, 3) }, () => share(picks, Amount, digits));
  const texts = new Set(['0', ...starts.map((start) => start.toFixed())]);
  const unique = [...texts].map((start) => new Decimal(start));
  const sorted = unique.toSorted((one, other) => one.cmp(other));
  let value = new Decimal(picks.whole(0, 9_000)).div(1_000);
  const bands = sorted.map((MinUtilizedAmount, index) => {
    // If the rate of the whole balance falls with a higher band, several payments are possible, and the rules do not
    // choose among them.
    const change = new Decimal(picks.whole(method === 'Whole' ? 0 : -2_000, 6_000)).div(1_000);
    value = value.plus(change);
    const isOpen = index === sorted.length - 1;
    return {
      MinUtilizedAmount: index === 0 ? picks.of(MinUtilizedAmount, undefined) : MinUtilizedAmount,
      MaxUtilizedAmount: isOpen ? picks.of(undefined, Amount.times(3)) : sorted[index + 1],
      Value: value,
    };
  });
  return { ...request, BandedInterestRates: bands, BandMethod: method, InterestPercent: undefined };
}

/** Grace, residual and a shorter schedule. */
export function withRepayment(picks: Picks, request: Request, digits: number): Request {
  const { InstallmentsNo: rows, Amount, ScheduleType } = request;
  const RealInstallmentNo = picks.maybe(12, () => picks.whole(1, rows));
  const few = () => picks.whole(0, Math.min(6, (RealInstallmentNo ?? rows) - 1));
  const part = () => share(picks, Amount, digits);
  const hasGrace = picks.chance(40) && request.InterestType !== 1;
  const grace = hasGrace
    ? {
        GracePeriodPrincipal: picks.maybe(65, few),
        GracePeriodInterest: picks.maybe(65, few),
        GraceType: picks.maybe(85, () => picks.of(...GRACE_TYPES)),
      }
    : {};
  const isCapitalising = request.InterestCapitalization === 1;
  const hasResidual = ScheduleType === 'Balloon' || picks.chance(22);
  const residual = hasResidual
    ? {
        ResidualValue: picks.of(part(), part(), new Decimal(0), Amount),
        ResidualInInstallment: picks.maybe(50, () => picks.chance(50)),
      }
    : {};
  return {
    ...request,
    RealInstallmentNo,
    ...grace,
    ...(isCapitalising ? { GracePeriodInterest: undefined } : {}),
    ...residual,
  };
}

/** Turns a new schedule into a recalculation that starts after one of its rows. */
export function withSettledRows(picks: Picks, request: Request, { dates, lastRow }: Terms): Request {
  if (!picks.chance(25) || request.ScheduleType === 'Once' || lastRow < 2) return request;
  const settled = picks.whole(0, lastRow - 1);
  const LastDueDate = (settled === 0 ? dates.start : dates.shown[settled]) as CalendarDate;
  const first = picks.of(
    undefined,
    dates.plain[request.InterestType === 1 ? 2 : 1],
    dates.plain[settled + 1],
  ) as CalendarDate | undefined;
  const isLocked = picks.chance(50);
  return {
    ...request,
    LastDueDate,
    ActivationDate: picks.of(request.ActivationDate, undefined),
    FirstDueDate: settled === 0 ? undefined : first,
    BlockInstallmentNo: settled,
    IsLocked: picks.of(isLocked, isLocked || undefined),
  };
}

/** Locked amounts of a recalculation (X2). */
export function withBlock(picks: Picks, request: Request, digits: number): Request {
  if (!(request.IsLocked === true || picks.chance(4))) return request;
  const room = request.Amount.minus(request.ResidualValue ?? 0);
  return {
    ...request,
    IsLocked: true,
    BlockAmount: picks.maybe(80, () => (room.isZero() ? room : share(picks, room, digits))),
    BlockInterestAmount: picks.maybe(60, () => share(picks, request.Amount, digits)),
  };
}

/** A fixed payment or principal of 60 to 160 % of the usual one (B2). */
export function withLock(picks: Picks, request: Request, digits: number): Request {
  const isLevel = ['EqualInstallments', 'Balloon', 'EffectiveRate', 'Leasing'].includes(request.ScheduleType);
  if (!(isLevel || request.ScheduleType === 'EqualPrincipal') || !picks.chance(25)) return request;
  const outcome = referenceSchedule(request, REFERENCE_CONTEXT);
  if (outcome.kind === 'refused') return request;
  const usual = outcome.rows.findLast((row) => row.kind === 'Regular' && row.pmt > 0) ?? outcome.rows[0];
  const figure = (isLevel ? usual?.pmt : usual?.principal) ?? 0;
  const lock = new Decimal(Math.max(1, Math.round((figure * picks.whole(60, 160)) / 100)));
  return {
    ...request,
    [isLevel ? 'installmentValue' : 'principalValue']: lock.div(new Decimal(10).pow(digits)),
    AllowNegativeAmortisation: picks.maybe(30, () => picks.chance(70)),
  };
}

/** Prepayments, also on due dates (X3). */
export function withEarly(picks: Picks, request: Request, terms: Terms, digits: number): Request {
  if (!picks.chance(25)) return request;
  const { dates, lastRow, settled } = terms;
  const start = Math.max(dates.start, dates.accrualStart);
  const last = dates.accrual[lastRow] ?? start;
  const EarlyRepayments = Array.from({ length: picks.whole(1, 3) }, () => ({
    Date: Math.max(
      start + 1,
      picks.of(picks.whole(start + 1, last), dates.accrual[picks.whole(settled + 1, lastRow)] ?? last),
    ) as CalendarDate,
    Amount: share(picks, request.Amount, digits)
      .div(picks.of(1, 2, 4))
      .toDecimalPlaces(digits, Decimal.ROUND_UP),
    DecreaseInstallment: picks.of(undefined, true, false),
  }));
  return { ...request, EarlyRepayments };
}
