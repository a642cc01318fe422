/** Invalid requests: random ones with fields removed, altered, or replaced by arbitrary values. */

import { Decimal } from 'decimal.js';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { Picks } from './pick.ts';

type Fields = Record<string, unknown>;

const COUNTS = '0 -1 1 2 3 1.5 31 32 1200 1201 1e9 -1e9 9007199254740992 NaN Infinity -Infinity -0'
  .split(' ')
  .map(Number);
const MAX_ROWS = 1_200;
const TEXTS = [
  ...'Monthly once DAILY EqualInstallments ei Whole Capitalised Spread UnusedAmount __proto__ constructor'.split(
    ' ',
  ),
  ...'toString EUR JPY XXX 30/360 Weekdays+Weekdays 🏦'.split(' '),
  'ACT / 365',
  '',
  ' ',
  'a'.repeat(10_000),
];
const AMOUNTS = (
  '0 -0 -1 -0.01 0.001 1 0.01 99.99 100 100.01 1e15 1e16 9007199254740993 1e30 1e-30 1e300 1e9000 ' +
  '-1e9000 1e-9000 33.333333333333333333333333333333 NaN Infinity -Infinity'
).split(' ');
/** The first and last valid dates, 1900-01-01 and 2999-12-31. The request contract rejects others (D1). */
const FIRST_DATE = -25_567;
const LAST_DATE = 376_199;

const COUNT_NAMES = (
  'InstallmentsNo InstallmentDay GracePeriodInterest GracePeriodPrincipal BlockInstallmentNo ' +
  'RealInstallmentNo ContractPeriod CalculateDAE InterestCapitalization Precision'
).split(' ');
const AMOUNT_NAMES = (
  'Amount InterestPercent AdvanceAmount BlockAmount BlockInterestAmount installmentValue ' +
  'principalValue UnusedAmount UpFrontValue ResidualValue CapitalPercent'
).split(' ');
const DATES =
  'LastDueDate ActivationDate FirstDueDate MaturityDate StartDateForUnusage ExpiryDateForOD'.split(' ');
const TEXT_NAMES = (
  'ScheduleType ProductType PeriodicityType HolidayCountry HolidayMethod InstallmentMethod ' +
  'InterestCalculationMethod Currency GraceType BandMethod'
).split(' ');
const FLAG_NAMES =
  'IsLocked HolidayShift DeferDueDate ResidualInInstallment AllowNegativeAmortisation Explain'.split(' ');
const LISTS = 'Commission Insurance MultipleInterestRates BandedInterestRates EarlyRepayments'.split(' ');
const MANDATORY = new Set(['ScheduleType', 'Amount', 'InstallmentsNo', 'PeriodicityType', 'InstallmentDay']);
/** Mandatory fields of items: the request contract rejects an item without them. */
const MANDATORY_IN_ITEMS = new Set(
  'FeePeriodicityType FeeDate InsurancePeriodicityType InsuranceDate Date Amount'.split(' '),
);

function date(picks: Picks): number {
  return picks.of<() => number>(
    () => picks.whole(16_000, 24_000),
    () => picks.whole(FIRST_DATE, LAST_DATE),
    () => picks.of(FIRST_DATE, FIRST_DATE + 1, 0, LAST_DATE - 1, LAST_DATE),
  )();
}

function amount(picks: Picks): Decimal {
  return picks.chance(60)
    ? new Decimal(picks.of(...AMOUNTS))
    : new Decimal(picks.whole(-1_000_000, 1_000_000_000)).div(10 ** picks.whole(0, 4));
}

/** Another value of the same type. */
function mutateValue(picks: Picks, name: string, value: unknown): unknown {
  if (name.endsWith('Date')) return date(picks);
  if (value instanceof Decimal) return picks.chance(20) ? value.negated() : amount(picks);
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return picks.of(...TEXTS);
  return picks.of(...COUNTS);
}

function mutateList(picks: Picks, items: readonly Fields[]): readonly Fields[] {
  const changed = items.map((item) => {
    const names = Object.keys(item).filter((name) => item[name] !== undefined);
    if (names.length === 0) return item;
    const name = picks.of(...names);
    const isTaken = picks.chance(30) && !MANDATORY_IN_ITEMS.has(name);
    return { ...item, [name]: isTaken ? undefined : mutateValue(picks, name, item[name]) };
  });
  return picks.of<() => readonly Fields[]>(
    () => changed,
    () => [...items, ...changed],
    () => [...changed, ...items, ...items],
    () => [],
    () => (picks.chance(5) ? Array.from({ length: 300 }, () => items[0] ?? {}) : changed),
  )();
}

/** Applies one change to the fields of a request. */
function change(picks: Picks, request: Fields): Fields {
  const changeList = () => {
    const name = picks.of(...LISTS);
    const items = request[name] as readonly Fields[] | undefined;
    return items === undefined || items.length === 0 ? {} : { [name]: mutateList(picks, items) };
  };
  const changes: readonly (() => Fields)[] = [
    () => ({ [picks.of(...COUNT_NAMES)]: picks.of(...COUNTS) }),
    () => ({ [picks.of(...COUNT_NAMES)]: picks.whole(0, 12) }),
    () => ({ [picks.of(...AMOUNT_NAMES)]: amount(picks) }),
    () => ({ [picks.of(...AMOUNT_NAMES)]: amount(picks) }),
    () => ({ [picks.of(...DATES)]: date(picks) }),
    () => ({ [picks.of(...DATES)]: Number(request['ActivationDate'] ?? 19_000) + picks.whole(-40, 900) }),
    () => ({ [picks.of(...TEXT_NAMES)]: picks.of(...TEXTS) }),
    () => ({ [picks.of(...FLAG_NAMES)]: picks.chance(70) }),
    () => (picks.chance(8) ? { InstallmentsNo: MAX_ROWS } : { InstallmentsNo: picks.whole(1, 40) }),
    () => {
      const name = picks.of(...Object.keys(request).filter((one) => !MANDATORY.has(one)));
      return { [name]: undefined };
    },
    changeList,
    changeList,
  ];
  return { ...request, ...picks.of(...changes)() };
}

/** The request with one to three invalid or unusual fields. */
export function fuzzRequest(picks: Picks, request: RepaymentScheduleRequest): RepaymentScheduleRequest {
  let members: Fields = { ...request };
  for (let left = picks.of(1, 1, 1, 2, 3); left > 0; left -= 1) members = change(picks, members);
  return members as unknown as RepaymentScheduleRequest;
}
