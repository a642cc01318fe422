import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  toCalendarDate,
  type CalendarDate,
} from '../../../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from '../../../../shared/lending/dates/periodicity.ts';
import type { ChargeSchedule } from '../../../../shared/lending/charges/schedule-charges.ts';
import { fee, feesOn, premium, premiumsOn, rowsOn } from '../../../support/builders/lending-charges.ts';
import { decimal } from '../../../support/builders/lending-loan.ts';

const DAY_MS = 86_400_000;
const FIRST = toCalendarDate(2019, 1, 1);
const REPEATING = BUILT_IN_PERIODICITIES.filter(({ unit }) => unit !== 'Once');
const STEPS: Readonly<Record<string, { months: number; days: number }>> = {
  Days: { months: 0, days: 1 },
  Weeks: { months: 0, days: 7 },
  Months: { months: 1, days: 0 },
  Years: { months: 12, days: 0 },
};

interface Charge {
  readonly periodicity: Periodicity;
  readonly firstDate: CalendarDate;
  readonly isUpfront: boolean;
}

/** Date k of a charge by the UTC calendar of the host, clamped to the end of the month. */
function chargeDate({ periodicity, firstDate }: Charge, k: number): number {
  const { months, days } = STEPS[periodicity.unit]!;
  if (days > 0) return firstDate + k * days * periodicity.count;
  const first = new Date(firstDate * DAY_MS);
  const [year, month] = [first.getUTCFullYear(), first.getUTCMonth() + k * months * periodicity.count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(first.getUTCDate(), lastDay)) / DAY_MS;
}

/** Applies rule F3 literally: finds the row that collects the charge of each date. */
function countedOneByOne(charge: Charge, { start, dates, isRecalculation }: ChargeSchedule): number[] {
  const { dueDates } = dates;
  const counts = dueDates.map(() => 0);
  const last = dueDates.at(-1)!;
  for (let k = charge.isUpfront ? 0 : 1; ; k += 1) {
    const on = chargeDate(charge, k);
    if (charge.isUpfront ? on >= last : on > last) return counts;
    const isSettled = on < start || (on === start && isRecalculation && !charge.isUpfront);
    const row = dueDates.findIndex((dueDate) => (charge.isUpfront ? dueDate > on : dueDate >= on));
    if (!isSettled) counts[row]! += 1;
  }
}

const day = fc.integer({ min: 0, max: 2_000 }).map((days) => addDays(FIRST, days));
/** Days from the 28th to the 31st, which short months clamp. */
const monthEnd = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 3 }))
  .map(([months, before]) =>
    addDays(toCalendarDate(2019 + Math.floor(months / 12), (months % 12) + 1, 1), -1 - before),
  );
const anyDay = fc.oneof(day, monthEnd);

const schedule = fc
  .record({
    start: anyDay,
    gaps: fc.array(fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(28, 29, 30, 31)), {
      minLength: 1,
      maxLength: 30,
    }),
    isRecalculation: fc.boolean(),
  })
  .map(({ start, gaps, isRecalculation }) => {
    let date = start;
    const dueDates = gaps.map((gap) => (date = addDays(date, gap)));
    return rowsOn(start, dueDates, { isRecalculation });
  });

const chargedSchedule = fc
  .record({
    schedule,
    firstDate: anyDay,
    periodicity: fc.constantFrom(...REPEATING),
    isUpfront: fc.boolean(),
  })
  .filter(({ schedule: { dates }, firstDate }) => firstDate <= dates.dueDates.at(-1)!);

/** A fee of one minor unit per charge, so that the amount equals the number of charges. */
function oneCentFee({ periodicity, firstDate, isUpfront }: Charge) {
  return fee({
    SourceValue: decimal('0.01'),
    FeeDate: firstDate,
    FeePeriodicityType: periodicity.name,
    IsUpfront: isUpfront,
  });
}

function countsOf(charge: Charge, on: ChargeSchedule): readonly number[] {
  return feesOn(on, { Commission: [oneCentFee(charge)] });
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** A whole number of minor units, never -0. */
function rounded(value: Decimal): number {
  return value.toDecimalPlaces(0).toNumber() + 0;
}

describe('charge counts on random rows (F3)', () => {
  it('equal those from a list of all charge dates', () => {
    fc.assert(
      fc.property(chargedSchedule, ({ schedule: on, ...charge }) => {
        expect(countsOf(charge, on)).toEqual(countedOneByOne(charge, on));
      }),
      { numRuns: 3_000 },
    );
  });

  it('have the same sum however the term is divided into rows', () => {
    fc.assert(
      fc.property(chargedSchedule, ({ schedule: on, ...charge }) => {
        const whole = { ...on, dates: { ...on.dates, rowCount: 1, dueDates: on.dates.dueDates.slice(-1) } };
        expect(sum(countsOf(charge, on))).toBe(sum(countsOf(charge, whole)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('stay the same for the remaining rows of a recalculation (X1)', () => {
    fc.assert(
      fc.property(
        chargedSchedule,
        fc.nat(),
        fc.integer({ min: 0, max: 40 }),
        ({ schedule: on, ...charge }, cut, grace) => {
          const { dueDates } = on.dates;
          const settledRows = cut % dueDates.length;
          if (settledRows === 0) return;
          const start = dueDates[settledRows - 1]!;
          const left = rowsOn(start, dueDates.slice(settledRows), { isRecalculation: true });
          const recalculated = { ...left, dates: { ...left.dates, settledRows } };
          const Commission = [{ ...oneCentFee(charge), GracePeriodFee: grace }];
          expect(feesOn(recalculated, { Commission })).toEqual(feesOn(on, { Commission }).slice(settledRows));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('are the same for commissions and insurances', () => {
    fc.assert(
      fc.property(chargedSchedule, ({ schedule: on, ...charge }) => {
        const insurance = premium({
          SourceValue: decimal('0.01'),
          InsuranceDate: charge.firstDate,
          InsurancePeriodicityType: charge.periodicity.name,
          IsUpfront: charge.isUpfront,
        });
        expect(premiumsOn(on, { Insurance: [insurance] })).toEqual(countsOf(charge, on));
      }),
    );
  });
});

describe('amounts of random charges (F2, F5)', () => {
  const percent = fc.oneof(
    fc.integer({ min: 0, max: 10_000_000 }).map((millionths) => new Decimal(millionths).div(1_000_000)),
    fc
      .integer({ min: 1, max: 9_999_999 })
      .map((digits) => new Decimal(`0.${String(digits).padStart(25, '3')}`)),
  );
  const Exact = Decimal.clone({ precision: 80, rounding: Decimal.ROUND_HALF_UP });
  const minor = fc.integer({ min: 1, max: 1_000_000_000_000_000 });

  it('equal the exact percentage of the row, rounded once for each charge', () => {
    fc.assert(
      fc.property(
        chargedSchedule,
        percent,
        minor,
        fc.boolean(),
        ({ schedule: on, ...charge }, share, remaining, perAnnum) => {
          const { months, days } = STEPS[charge.periodicity.unit]!;
          const { count } = charge.periodicity;
          const year = months > 0 ? new Exact(12).div(months * count) : new Exact(365).div(days * count);
          const each = rounded(
            new Exact(remaining)
              .times(share)
              .div(100)
              .div(perAnnum ? year : 1),
          );
          const Commission = [
            { ...oneCentFee(charge), SourceValue: undefined, SourcePercent: share, PerAnnum: perAnnum },
          ];
          const ofRow = Commission.map((item) => ({ ...item, PercentAppliedTo: 'RemainingValue' }));
          const expected = countsOf(charge, on).map((charges) => charges * each);
          expect(feesOn(on, { Commission: ofRow }, { remaining, interest: 0, principal: 0 })).toEqual(
            expected,
          );
          expect(feesOn({ ...on, amount: remaining }, { Commission })).toEqual(expected);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('cover the days of the row within the unused time for a charge on the unused amount', () => {
    fc.assert(
      fc.property(
        schedule,
        percent,
        minor,
        fc.tuple(anyDay, fc.nat(900)),
        (on, share, unused, [from, length]) => {
          const to = addDays(from, length);
          const days = on.dates.dueDates.map((end, row) => {
            const start = row === 0 ? on.start : on.dates.dueDates[row - 1]!;
            return Math.max(0, Math.min(end, to) - Math.max(start, from));
          });
          const request = {
            Commission: [fee({ SourcePercent: share, IsForUnusage: true, FeeDate: on.start })],
            UnusedAmount: new Decimal(unused).div(100),
            StartDateForUnusage: from,
            ExpiryDateForOD: to,
          };
          const expected = days.map((count) =>
            rounded(new Exact(unused).times(share).times(count).div(36_500)),
          );
          expect(feesOn({ ...on, dayCount: 'Actual/365' }, request)).toEqual(expected);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('add up over several items', () => {
    fc.assert(
      fc.property(
        chargedSchedule,
        fc.array(percent, { maxLength: 6 }),
        ({ schedule: on, ...charge }, shares) => {
          const items = shares.map((share) => ({
            ...oneCentFee(charge),
            SourceValue: undefined,
            SourcePercent: share,
            PercentAppliedTo: 'Installment',
          }));
          const alone = items.map((item) => feesOn(on, { Commission: [item] }));
          const added = on.dates.dueDates.map((_, row) => sum(alone.map((fees) => fees[row] ?? 0)));
          expect(feesOn(on, { Commission: items })).toEqual(added);
        },
      ),
    );
  });
});
