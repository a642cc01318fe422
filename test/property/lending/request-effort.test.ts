/** Compares estimated and actual reply sizes, and checks that the estimated time grows with the request. */

import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { rateEffort, scheduleEffort, simulationEffort } from '../../../shared/lending/request-effort.ts';
import type {
  CommissionItem,
  RepaymentScheduleRequest,
} from '../../../shared/lending/request/repayment-schedule-request.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { date, decimal, loan, REQUEST_DAY } from '../../support/builders/lending-loan.ts';
import { randomRequest } from '../../support/random/request.ts';

const RANDOM_REQUESTS = 1_500;
const LOANS_WITH_CHARGES = 300;
/**
 * The largest ratio of reply size to estimate for a loan that runs to its end; the number of digits in texts varies.
 */
const MAX_RATIO = 2.5;
const MAX_TEST_MS = 120_000;

const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });
beforeAll(() => codec.prepare(['CalculateRepaymentScheduleReply']));

/** The size of the reply in bytes; undefined if the request is refused. */
async function replyBytesOf(request: RepaymentScheduleRequest): Promise<number | undefined> {
  const schedule = calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY });
  if (schedule.kind === 'refused') return undefined;
  const { value } = await codec.encode('CalculateRepaymentScheduleReply', schedule, 'avro');
  return value.length;
}

const PERIODICITIES = ['Daily', 'Weekly', 'Biweekly', 'Monthly', 'Quarterly', 'Semestrial', 'Annual'];
const START = date('2025-01-01');

const commission: fc.Arbitrary<CommissionItem> = fc
  .record({
    amount: fc.integer({ min: 0, max: 10_000_000 }),
    isPercent: fc.boolean(),
    periodicity: fc.constantFrom(...PERIODICITIES),
    delayDays: fc.constantFrom(-400, 0, 0, 0, 31, 95),
    grace: fc.constantFrom(undefined, undefined, 0, 3),
    name: fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((name) => name.trim() !== ''),
    isUpfront: fc.boolean(),
    base: fc.constantFrom(undefined, 'RemainingValue', 'Interest', 'Principal', 'Installment'),
  })
  .map(({ amount, isPercent, periodicity, delayDays, grace, name, isUpfront, base }) => ({
    ...(isPercent
      ? { SourcePercent: decimal(amount).div(1e6), PercentAppliedTo: base }
      : { SourceValue: decimal(amount).div(100) }),
    FeePeriodicityType: periodicity,
    FeeDate: (START + delayDays) as typeof START,
    FeeName: name,
    GracePeriodFee: grace,
    IsUpfront: isUpfront,
  }));

const chargedLoan = fc
  .record({
    rows: fc.integer({ min: 1, max: 240 }),
    periodicity: fc.constantFrom('Daily', 'Weekly', 'Monthly', 'Monthly', 'Quarterly', 'Annual'),
    commissions: fc.array(commission, { maxLength: 12 }),
    type: fc.constantFrom('EqualInstallments', 'EqualPrincipal', 'InterestOnly', 'Leasing'),
    currency: fc.constantFrom(undefined, 'EUR', 'JPY', 'KWD'),
    isExplained: fc.boolean(),
  })
  .map(({ rows, periodicity, commissions, type, currency, isExplained }) =>
    loan({
      ScheduleType: type,
      Amount: decimal(1_000_000),
      InstallmentsNo: rows,
      PeriodicityType: periodicity,
      Commission: currency === 'JPY' ? [] : commissions,
      Currency: currency,
      Explain: isExplained,
    }),
  );

describe('scheduleEffort, reply size', { timeout: MAX_TEST_MS }, () => {
  it('never exceeds the actual size, so that a request whose reply fits is not refused', async () => {
    await fc.assert(
      fc.asyncProperty(randomRequest, fc.boolean(), async (request, isExplained) => {
        const asked = { ...request, Explain: isExplained };
        const bytes = await replyBytesOf(asked);
        if (bytes === undefined) return;
        expect(scheduleEffort(asked, REQUEST_DAY).leastReplyBytes).toBeLessThanOrEqual(bytes);
      }),
      { numRuns: RANDOM_REQUESTS, seed: 20_261_122 },
    );
  });

  it('never exceeds the actual size for explained charges of any names, dates and periods', async () => {
    let calculated = 0;
    await fc.assert(
      fc.asyncProperty(chargedLoan, async (request) => {
        const bytes = await replyBytesOf(request);
        if (bytes === undefined) return;
        calculated += 1;
        expect(scheduleEffort(request, REQUEST_DAY).leastReplyBytes).toBeLessThanOrEqual(bytes);
      }),
      { numRuns: LOANS_WITH_CHARGES, seed: 20_261_122 },
    );
    expect(calculated).toBeGreaterThan(LOANS_WITH_CHARGES / 2);
  });

  it('is close to the actual size for a long loan with many charges', async () => {
    const charged = fc.record({
      count: fc.integer({ min: 20, max: 60 }),
      value: fc.integer({ min: 1, max: 99_999 }),
      isPercent: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(charged, async ({ count, value, isPercent }) => {
        const one = isPercent
          ? { SourcePercent: decimal(value).div(1e6) }
          : { SourceValue: decimal(value).div(100) };
        const Commission = Array.from({ length: count }, (_, index) => ({
          ...one,
          FeePeriodicityType: 'Monthly',
          FeeDate: START,
          FeeName: `Commission ${index}`,
        }));
        const request = loan({ Amount: decimal(100_000), InstallmentsNo: 120, Commission, Explain: true });
        const bytes = (await replyBytesOf(request)) ?? 0;
        const { leastReplyBytes } = scheduleEffort(request, REQUEST_DAY);
        expect(bytes / leastReplyBytes).toBeGreaterThanOrEqual(1);
        expect(bytes / leastReplyBytes).toBeLessThan(MAX_RATIO);
      }),
      { numRuns: 20, seed: 20_261_122 },
    );
  });
});

const effortOfFlows = (count: number) =>
  rateEffort({ Rule: 'IRR', Amounts: Array.from({ length: count }, () => decimal(1)) }).processorMs;

const EARLY = { Date: START, Amount: decimal(1) };
const effortOfPrepaidBands = (bands: number, prepayments: number) =>
  scheduleEffort(
    loan({
      BandedInterestRates: Array.from({ length: bands }, () => ({})),
      EarlyRepayments: Array.from({ length: prepayments }, () => EARLY),
    }),
    REQUEST_DAY,
  ).processorMs;
const effortOfBands = (InstallmentsNo: number) =>
  scheduleEffort(loan({ InstallmentsNo, BandedInterestRates: [{}, {}] }), REQUEST_DAY).processorMs;

describe('scheduleEffort and rateEffort, processor time', () => {
  const grown = {
    InstallmentsNo: (count: number) => ({ InstallmentsNo: Math.max(1, count) }),
    Commission: (count: number) => ({
      Commission: Array.from({ length: count }, () => ({
        SourceValue: decimal(1),
        FeePeriodicityType: 'Monthly',
        FeeDate: START,
        FeeName: 'F',
      })),
    }),
    MultipleInterestRates: (count: number) => ({
      MultipleInterestRates: Array.from({ length: count }, () => ({})),
    }),
    BandedInterestRates: (count: number) => ({
      BandedInterestRates: Array.from({ length: count }, () => ({})),
    }),
    EarlyRepayments: (count: number) => ({
      EarlyRepayments: Array.from({ length: count }, () => ({ Date: START, Amount: decimal(1) })),
    }),
  };

  it.each(Object.entries(grown))(
    'never decreases when %s grows, with and without explanations',
    (_, changes) => {
      const size = fc.integer({ min: 0, max: 200 });
      fc.assert(
        fc.property(size, size, fc.boolean(), (one, other, Explain) => {
          const effort = (count: number) =>
            scheduleEffort(loan({ ...changes(count), Explain }), REQUEST_DAY).processorMs;
          expect(effort(Math.max(one, other))).toBeGreaterThanOrEqual(effort(Math.min(one, other)));
        }),
      );
    },
  );

  it('includes a recalculation in each row if rate bands may require it (S5)', () => {
    expect(effortOfBands(1200) / effortOfBands(300)).toBeGreaterThan(8);
  });

  it('includes the interest of all bands for the days before and after each prepayment (R2, X3)', () => {
    expect(effortOfPrepaidBands(200, 100)).toBeGreaterThan(effortOfPrepaidBands(2, 100) + 30);
  });

  it('of a simulation is that of the most periods at most', () => {
    expect(simulationEffort({ loanPeriod: 2_000_000_000 })).toEqual(simulationEffort({ loanPeriod: 1_200 }));
  });

  it('increases with the number of flows of a rate', () => {
    expect(effortOfFlows(5_000)).toBeGreaterThan(effortOfFlows(50));
  });
});
