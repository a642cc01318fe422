/**
 * Random requests with all features, most of which the rules calculate. They are built step by step, so that later
 * fields fit the dates and payments that follow from earlier ones.
 */

import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type {
  CommissionItem,
  InsuranceItem,
  RepaymentScheduleRequest,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import { randomCharges } from './charges.ts';
import { Picks } from './pick.ts';
import { dayOf } from '../reference/dates.ts';
import { REFERENCE_DAY_COUNTS } from '../reference/day-count.ts';
import { Refused } from '../reference/decimal.ts';
import {
  rate,
  REFERENCE_CONTEXT,
  share,
  withBlock,
  withDates,
  withEarly,
  withLock,
  withRates,
  withRepayment,
  withSettledRows,
} from './terms.ts';
import { termsOf } from '../reference/terms.ts';

const TYPES = {
  EqualInstallments: ['TL', 'MG', 'C'],
  EqualPrincipal: ['TL', 'MG', 'C'],
  InterestOnly: ['TL', 'MG', 'C'],
  Balloon: ['TL', 'MG', 'C'],
  EffectiveRate: ['TL', 'MG', 'C'],
  Once: ['TL', 'MG'],
  Overdraft: ['OD', 'BA'],
  Deposit: ['D', 'BA'],
  CreditCard: ['CC', 'C'],
  Leasing: ['LS'],
} as const;
const LEVELS = ['EqualInstallments', 'EqualInstallments', 'Balloon', 'EffectiveRate', 'Leasing'] as const;
const TYPE_NAMES = Object.keys(TYPES) as (keyof typeof TYPES)[];
const MONTHLY = ['Monthly', 'Monthly', 'Monthly', 'Bimonthly', 'Quarterly', 'Semestrial'] as const;
const OTHER = ['Daily', 'Weekly', 'Biweekly', 'Annual'] as const;
const FIRST_START = dayOf('2015-01-01');
const START_DAYS = 7_300;
const MAX_SEED = 2_147_483_647;
const SHARE_OF_LONG_LOANS = 0.004;

type Request = RepaymentScheduleRequest;

function rowCount(picks: Picks): number {
  if (picks.share() < SHARE_OF_LONG_LOANS) return picks.whole(120, 360);
  return picks.of(
    () => picks.whole(1, 3),
    () => picks.whole(2, 14),
    () => picks.whole(2, 14),
    () => picks.whole(2, 26),
    () => picks.whole(10, picks.chance(25) ? 60 : 24),
  )();
}

/** The fields of every request: amount, rows, dates. */
function basicRequest(picks: Picks): Request {
  const type = picks.chance(40) ? picks.of(...LEVELS) : picks.of(...TYPE_NAMES);
  const digits = picks.of(0, 2, 2, 2, 2, 3);
  const minor = picks.of(
    () => picks.whole(1, 3_000),
    () => picks.whole(10_000, 10_000_000),
    () => picks.whole(10_000, 10_000_000),
    () => picks.whole(10_000_000, 9_000_000_000),
  )();
  const isOnce = type === 'Once';
  const InstallmentsNo = isOnce ? 1 : rowCount(picks);
  const start = (FIRST_START + picks.whole(0, START_DAYS)) as CalendarDate;
  const PeriodicityType = picks.chance(78) ? picks.of(...MONTHLY) : picks.of(...OTHER);
  return {
    ScheduleType: type,
    ProductType: picks.maybe(50, () => picks.of(...TYPES[type])),
    Amount: new Decimal(minor).div(new Decimal(10).pow(digits)),
    InterestPercent: rate(picks),
    InstallmentsNo,
    PeriodicityType,
    InstallmentDay: picks.of(picks.whole(1, 31), picks.whole(1, 28), picks.of(1, 15, 29, 30, 31)),
    ActivationDate: picks.maybe(90, () => start),
    FirstDueDate: picks.maybe(35, () => (start + picks.whole(1, 70)) as CalendarDate),
    InstallmentMethod: picks.maybe(25, () => picks.of('ActualMonth', 'NextMonth')),
    InterestCalculationMethod: picks.maybe(60, () => picks.of(...REFERENCE_DAY_COUNTS)),
    ...(digits === 2 && picks.chance(60)
      ? { Currency: picks.maybe(50, () => picks.of('EUR', 'RON', 'usd')) }
      : picks.of<Partial<Request>>(
          { Precision: digits },
          { Currency: { 0: 'JPY', 2: 'EUR', 3: 'KWD' }[digits] ?? 'EUR' },
        )),
    CalculateDAE: picks.of(undefined, undefined, 0, 1, 2),
    Explain: picks.maybe(5, () => true),
    ...typeFields(picks, type),
  };
}

function typeFields(picks: Picks, type: keyof typeof TYPES): Partial<Request> {
  if (type === 'CreditCard') return { CapitalPercent: new Decimal(picks.whole(0, 100)) };
  if (type === 'Deposit') return { InterestCapitalization: picks.of(undefined, 0, 1, 1) };
  return {};
}

const EVEN_TYPES: ReadonlySet<string> = new Set([...LEVELS, 'EqualPrincipal']);

/**
 * The request for a seed, with payments in advance (B7) or other basic fields if that is asked. Each step follows those that
 * it depends on.
 */
export function randomRequestOf(
  seed: number,
  isInAdvance = false,
  changes: Partial<Request> = {},
): RepaymentScheduleRequest {
  const picks = new Picks(seed);
  const arrears = { ...basicRequest(picks), ...changes };
  const isEven = EVEN_TYPES.has(arrears.ScheduleType) || seed % 10 === 0;
  const evenType = isEven ? {} : { ScheduleType: 'EqualPrincipal', ProductType: undefined };
  const basic = isInAdvance ? { ...arrears, ...evenType, InterestType: 1 } : arrears;
  try {
    const dated = withDates(picks, basic);
    const { digits } = termsOf({ ...dated, ResidualValue: new Decimal(0) }, REFERENCE_CONTEXT);
    const planned = withRepayment(picks, withRates(picks, dated, digits), digits);
    const left = withSettledRows(picks, planned, termsOf(planned, REFERENCE_CONTEXT));
    const blocked = withBlock(picks, left, digits);
    const upFront = picks.maybe(30, () =>
      share(picks, blocked.Amount, digits).div(4).toDecimalPlaces(digits, 1),
    );
    const drawn = { ...blocked, UpFrontValue: upFront };
    const frame = termsOf(drawn, REFERENCE_CONTEXT);
    const charged =
      basic.ScheduleType === 'Deposit' || picks.chance(45)
        ? drawn
        : {
            ...drawn,
            ...randomCharges(picks, { ...frame, amountMinor: frame.amount.toNumber() }),
            ...(drawn.ExpiryDateForOD === undefined ? {} : { ExpiryDateForOD: drawn.ExpiryDateForOD }),
          };
    const locked = withLock(picks, charged, digits);
    return withEarly(picks, locked, termsOf(locked, REFERENCE_CONTEXT), digits);
  } catch (error) {
    if (error instanceof Refused) return basic;
    throw error;
  }
}

/**
 * Requests with all features, each built from a seed. They do not shrink: a smaller seed gives another request, not a
 * smaller one.
 */
export const randomRequest: fc.Arbitrary<RepaymentScheduleRequest> = fc
  .noShrink(fc.noBias(fc.nat(MAX_SEED)))
  .map((seed) => randomRequestOf(seed));

export const randomRequestInAdvance: fc.Arbitrary<RepaymentScheduleRequest> = fc
  .noShrink(fc.noBias(fc.nat(MAX_SEED)))
  .map((seed) => randomRequestOf(seed, true));

/** Changes a random request into one with further features, each where it fits and not in all requests. */
function withFeatures(picks: Picks, request: Request): Request {
  const dated = picks.chance(50) ? withDueDates(picks, request) : request;
  return withOverpayment(picks, withOtherCharges(picks, withCreditValue(picks, dated), ['Once']));
}

/** A list of due dates near those of the request, in their place (D9). */
function withDueDates(picks: Picks, request: Request): Request {
  if (request.ScheduleType === 'Overdraft') return request;
  const { FirstDueDate: _, MaturityDate: __, InstallmentMethod: ___, ...others } = request;
  try {
    const { dates, settled, rows } = termsOf(request, REFERENCE_CONTEXT);
    const listed: number[] = [];
    for (let row = 1; row <= rows; row += 1) {
      const near = row < settled ? dates.start - (settled - row) * 40 : dates.plain[row]!;
      const moved = row > settled && row < rows ? near + picks.whole(-3, 9) : near;
      listed.push(Math.max(moved, (listed.at(-1) ?? dates.start - 50_000) + 1));
    }
    return { ...others, DueDates: listed as CalendarDate[] };
  } catch (error) {
    if (error instanceof Refused) return request;
    throw error;
  }
}

/** An advance, of which some percentages are a part (F2), and the periods of the contract (D8). */
function withCreditValue(picks: Picks, request: Request): Request {
  const rebase = <Item extends CommissionItem | InsuranceItem>(items: readonly Item[] | undefined) =>
    items?.map((item) =>
      item.SourcePercent !== undefined && picks.chance(50)
        ? { ...item, PercentAppliedTo: 'CreditValue', IsForUnusage: undefined }
        : item,
    );
  return {
    ...request,
    AdvanceAmount: picks.maybe(80, () => request.Amount.times(picks.whole(0, 3))),
    ContractPeriod: picks.maybe(50, () => request.InstallmentsNo + picks.of(0, 0, 0, 0, 0, 1)),
    Commission: rebase(request.Commission),
    Insurance: rebase(request.Insurance),
  };
}

/** Charges of which some have another periodicity (F3, D10). */
function withOtherCharges(picks: Picks, request: Request, others: readonly string[]): Request {
  const rare = <Item extends CommissionItem | InsuranceItem>(item: Item, periodicity: keyof Item) =>
    picks.chance(50)
      ? {
          ...item,
          [periodicity]: picks.of(...others),
          PerAnnum: picks.of(undefined, false),
          IsForUnusage: undefined,
        }
      : item;
  return {
    ...request,
    Commission: request.Commission?.map((item) => rare(item, 'FeePeriodicityType')),
    Insurance: request.Insurance?.map((item) => rare(item, 'InsurancePeriodicityType')),
  };
}

/** A prepayment that is usually above the balance (X3). */
function withOverpayment(picks: Picks, request: Request): Request {
  const [first] = request.EarlyRepayments ?? [];
  if (first === undefined || picks.chance(30)) return request;
  return { ...request, EarlyRepayments: [{ ...first, Amount: request.Amount.times(picks.of(1, 1, 2)) }] };
}

export const randomRequestWithFeatures: fc.Arbitrary<RepaymentScheduleRequest> = fc
  .noShrink(fc.noBias(fc.nat(MAX_SEED)))
  .map((seed) => withFeatures(new Picks(seed + 1), randomRequestOf(seed)));

/** Requests with half months (D10), some with charges of half months or once, and some in advance. */
export const randomRequestByHalfMonths: fc.Arbitrary<RepaymentScheduleRequest> = fc
  .noShrink(fc.noBias(fc.nat(MAX_SEED)))
  .map((seed) =>
    withOtherCharges(
      new Picks(seed + 1),
      randomRequestOf(seed, seed % 4 === 0, { PeriodicityType: 'Semimonthly' }),
      ['Semimonthly', 'Once'],
    ),
  );
