/** Random commissions and insurances for a schedule with known dates. */

import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type {
  CommissionItem,
  InsuranceItem,
  RepaymentScheduleRequest,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { Picks } from './pick.ts';
import type { ReferenceDates } from '../reference/calendar.ts';

const BASES = 'FinancedAmount RemainingValue Principal Interest Installment UnusedAmount'.split(' ');
const MAX_DAYS_BEFORE = 400;

/** The data of the loan that charges depend on. */
export interface ChargeFrame {
  readonly dates: ReferenceDates;
  readonly settled: number;
  readonly lastRow: number;
  readonly digits: number;
  readonly amountMinor: number;
}

function minor(value: number, digits: number): Decimal {
  return new Decimal(value).div(new Decimal(10).pow(digits));
}

function dateNear(picks: Picks, { dates, settled, lastRow }: ChargeFrame): CalendarDate {
  const first = dates.accrualStart;
  const last = dates.plain[lastRow] ?? first;
  const any = picks.of(
    () => first,
    () => first,
    () => dates.plain[picks.whole(settled, lastRow)] ?? first,
    () => picks.whole(first, Math.min(last, first + MAX_DAYS_BEFORE)),
    () => first - picks.whole(0, MAX_DAYS_BEFORE),
  );
  return Math.min(any(), last) as CalendarDate;
}

interface Priced {
  readonly SourceValue?: Decimal;
  readonly SourcePercent?: Decimal;
  readonly PercentAppliedTo?: string;
  readonly PerAnnum?: boolean;
}

function priceOf(picks: Picks, { digits, amountMinor }: ChargeFrame): Priced {
  if (picks.chance(45)) {
    return { SourceValue: minor(picks.whole(0, Math.max(5, Math.floor(amountMinor / 50))), digits) };
  }
  const base = picks.maybe(60, () => picks.of(...BASES));
  const isYearly = picks.maybe(40, () => picks.chance(80));
  return {
    SourcePercent: new Decimal(picks.whole(0, 9_999)).div(picks.of(1_000, 10_000)),
    ...(base === undefined ? {} : { PercentAppliedTo: base }),
    ...(isYearly === undefined ? {} : { PerAnnum: isYearly }),
  };
}

function periodicity(picks: Picks, frame: ChargeFrame): string {
  const days = (frame.dates.plain[frame.lastRow] ?? 0) - frame.dates.accrualStart;
  const all = ['Monthly', 'Monthly', 'Quarterly', 'Semestrial', 'Annual', 'Bimonthly'];
  return picks.of(...all, ...(days < 3_000 ? ['Weekly', 'Biweekly'] : []), ...(days < 500 ? ['Daily'] : []));
}

function commission(picks: Picks, frame: ChargeFrame, index: number): CommissionItem {
  const price = priceOf(picks, frame);
  const isForUnusage = price.SourcePercent !== undefined && picks.chance(25);
  return {
    ...price,
    FeeName: `Fee ${index}`,
    FeePeriodicityType: periodicity(picks, frame),
    FeeDate: dateNear(picks, frame),
    GracePeriodFee: picks.maybe(30, () => picks.whole(0, frame.lastRow)),
    BlockFeeAmount: picks.maybe(25, () => minor(picks.whole(0, 2_000), frame.digits)),
    IsUpfront: picks.maybe(60, () => picks.chance(60)),
    ...(isForUnusage ? { IsForUnusage: true, PercentAppliedTo: undefined, PerAnnum: undefined } : {}),
  };
}

function insurance(picks: Picks, frame: ChargeFrame, index: number): InsuranceItem {
  return {
    ...priceOf(picks, frame),
    InsuranceName: `Insurance ${index}`,
    InsurancePeriodicityType: periodicity(picks, frame),
    InsuranceDate: dateNear(picks, frame),
    GracePeriodInsurance: picks.maybe(30, () => picks.whole(0, frame.lastRow)),
    BlockInsuranceAmount: picks.maybe(25, () => minor(picks.whole(0, 2_000), frame.digits)),
    IsUpfront: picks.maybe(60, () => picks.chance(60)),
  };
}

/** The charge fields of a request, with the unused amount that some charges need. */
export function randomCharges(picks: Picks, frame: ChargeFrame): Partial<RepaymentScheduleRequest> {
  const list = <Item>(make: (index: number) => Item) =>
    Array.from({ length: picks.whole(1, 3) }, (_, index) => make(index));
  const { accrualStart, plain } = frame.dates;
  const last = plain[frame.lastRow] ?? accrualStart;
  const from = picks.maybe(40, () => picks.whole(accrualStart - 20, last) as CalendarDate);
  return {
    Commission: picks.maybe(65, () => list((index) => commission(picks, frame, index))),
    Insurance: picks.maybe(40, () => list((index) => insurance(picks, frame, index))),
    UnusedAmount: minor(picks.whole(0, frame.amountMinor), frame.digits),
    StartDateForUnusage: from,
    ExpiryDateForOD: picks.maybe(20, () => picks.whole(from ?? accrualStart + 1, last + 20) as CalendarDate),
  };
}
