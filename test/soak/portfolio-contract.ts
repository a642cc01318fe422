/** Generates one contract of a synthetic portfolio from its seed and number. */

import { Picks } from '../support/random/pick.ts';

type Members = Readonly<Record<string, unknown>>;

/** An input line of a recalculation without the previous schedule. */
export interface PortfolioContract {
  /** Usually a string; some upstream systems use numbers. */
  readonly id: string | number;
  readonly jsonParam: Members;
}

export const SHORTEST_ROWS = 12;
export const LONGEST_ROWS = 360;

/** One contract in this number has a numeric id. */
const NUMBERED_EVERY = 7;
const SEED_STRIDE = 1_000_003;
const DAYS_BACK = 3_000;
/** 2026-01-01, the latest activation date. */
const LATEST_START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const MINOR_PER_UNIT = 100;
const YEAR_ROWS: Readonly<Record<string, number>> = { Monthly: 12, Quarterly: 4, Semestrial: 2 };

/** Generates contract number `index`, counted from 0. Every contract can be calculated without a catalogue. */
export function contractOf(seed: number, index: number): PortfolioContract {
  const picks = new Picks(Math.imul(seed, SEED_STRIDE) + index);
  return { id: contractId(index), jsonParam: termsOf(picks) };
}

/** Returns the id of contract number `index`. */
export function contractId(index: number): string | number {
  return index % NUMBERED_EVERY === 0 ? index + 1 : `C-${String(index + 1).padStart(7, '0')}`;
}

function termsOf(picks: Picks): Members {
  const ScheduleType = picks.of(
    'EqualInstallments',
    'EqualInstallments',
    'EqualInstallments',
    'EqualPrincipal',
    'InterestOnly',
    'Balloon',
    'Leasing',
  );
  const InstallmentsNo = picks.whole(SHORTEST_ROWS, LONGEST_ROWS);
  /** Loans of this length are scheduled by month only. */
  const PeriodicityType =
    InstallmentsNo > 120 ? 'Monthly' : picks.of('Monthly', 'Monthly', 'Quarterly', 'Semestrial');
  const amountMinor = picks.whole(100_000, 50_000_000);
  const residual = ScheduleType === 'Balloon' || ScheduleType === 'Leasing' ? picks.whole(5, 30) : undefined;
  return {
    ScheduleType,
    Amount: amountMinor / MINOR_PER_UNIT,
    InstallmentsNo,
    PeriodicityType,
    InstallmentDay: picks.whole(1, 31),
    ...activation(picks),
    ...rates(picks, InstallmentsNo),
    ...calendar(picks),
    ...charges(picks, YEAR_ROWS[PeriodicityType] ?? 1),
    ...(residual === undefined
      ? {}
      : { ResidualValue: Math.floor((amountMinor * residual) / MINOR_PER_UNIT) / MINOR_PER_UNIT }),
    ...(picks.chance(15) ? { GracePeriodPrincipal: picks.whole(1, 6) } : {}),
    ...(picks.chance(30) ? { CalculateDAE: picks.of(0, 2) } : {}),
  };
}

/** Some contracts have no dates: theirs follow from the time of the run, which a resumed run must keep (D2). */
function activation(picks: Picks): Members {
  if (picks.chance(10)) return {};
  const startMs = LATEST_START_MS - picks.whole(0, DAYS_BACK) * DAY_MS;
  return { ActivationDate: new Date(startMs).toISOString().slice(0, 10) };
}

function rates(picks: Picks, rows: number): Members {
  const rate = (): number => picks.whole(100, 24_999) / 1_000;
  if (picks.chance(80)) return { InterestPercent: rate() };
  const border = picks.whole(2, rows - 2);
  return {
    MultipleInterestRates: [
      { InterestRate: rate(), FromInstNo: 1, ToInstNo: border },
      { InterestRate: rate(), FromInstNo: border + 1 },
    ],
  };
}

function calendar(picks: Picks): Members {
  const dayCount = picks.maybe(40, () => picks.of('30/360', 'Actual/365', 'Actual/360', 'Actual/Actual'));
  return {
    ...(dayCount === undefined ? {} : { InterestCalculationMethod: dayCount }),
    ...(picks.chance(25)
      ? {
          HolidayShift: true,
          HolidayCountry: picks.of('RO', 'TARGET', 'RO+TARGET'),
          HolidayMethod: picks.of('Forward', 'ModifiedForward', 'Backward'),
        }
      : {}),
  };
}

function charges(picks: Picks, rowsPerYear: number): Members {
  const periodicity = rowsPerYear === 12 ? picks.of('Monthly', 'Quarterly', 'Annual') : 'Annual';
  const Commission = picks.maybe(35, () => [
    {
      FeeName: 'Administration',
      FeePeriodicityType: periodicity,
      FeeDate: '2018-01-01',
      ...(picks.chance(50)
        ? { SourceValue: picks.whole(0, 5_000) / MINOR_PER_UNIT }
        : { SourcePercent: picks.whole(1, 500) / 1_000, PercentAppliedTo: 'RemainingValue', PerAnnum: true }),
    },
  ]);
  const Insurance = picks.maybe(15, () => [
    {
      InsuranceName: 'Life',
      InsurancePeriodicityType: periodicity,
      InsuranceDate: '2018-01-01',
      SourceValue: picks.whole(100, 20_000) / MINOR_PER_UNIT,
    },
  ]);
  return {
    ...(Commission === undefined ? {} : { Commission }),
    ...(Insurance === undefined ? {} : { Insurance }),
  };
}
