/** Compares the further rates and the table of random mortgages with the reference (T4, T5). */

import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { referenceDae, referenceSchedule } from '../../support/reference/schedule.ts';
import { DOCUMENT_DAY, documentOf, figuresOf, homeLoan } from '../../support/worlds/offered-document.ts';
import { guid, interest, rate } from '../../support/worlds/simulated-product.ts';

const LOANS = 60;
const MAX_TEST_MS = 120_000;
const SEED = 20_261_130;
const COLLECTION = '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a103';

const variable = {
  InterestName: 'Later',
  InterestStartPeriod: 1,
  InterestEndPeriod: null,
  InterestStartDate: null,
  InterestEndDate: null,
};

const hundredths = (max: number) => fc.integer({ min: 0, max }).map((count) => count / 100);
const randomLoan = fc
  .record({
    amount: fc.integer({ min: 1_000_000, max: 90_000_000 }).map((cents) => new Decimal(cents).div(100)),
    loanPeriod: fc.integer({ min: 62, max: 150 }),
    atStart: hundredths(200_000),
    first: hundredths(900),
    step: fc.integer({ min: 1, max: 300 }).map((count) => count / 100),
    rise: hundredths(1_500).map((rise) => rise + 0.01),
    initial: fc.integer({ min: 61, max: 148 }),
    from: fc.integer({ min: 1, max: 150 }),
    inAdvance: fc.boolean(),
  })
  .filter(({ loanPeriod, initial, from }) => initial < loanPeriod && from <= loanPeriod);

it(
  'equals the reference in both rates, what they repay, and the sums of the table',
  { timeout: MAX_TEST_MS },
  () => {
    const check = ({
      amount,
      loanPeriod,
      atStart,
      first,
      step,
      rise,
      initial,
      from,
      inAdvance,
    }: typeof randomLoan extends fc.Arbitrary<infer Loan> ? Loan : never) => {
      const raised = new Decimal(first).plus(step).plus(rise);
      const ranges = [
        { InterestRate: new Decimal(first), FromInstNo: 1, ToInstNo: initial },
        { InterestRate: new Decimal(first).plus(step), FromInstNo: initial + 1, ToInstNo: loanPeriod },
      ];
      const offering = (CollectionInterests: readonly (typeof variable)[]) =>
        homeLoan(
          {
            interests: [
              interest({ Type: 'Collection', CollectionInterests, Values: [] }),
              interest({ Id: guid(101), Name: 'Later', Code: 'VAR', Type: 'Variable', ...rate(first) }),
            ],
          },
          atStart,
        );
      const request = {
        amount,
        loanPeriod,
        interestType: COLLECTION,
        jsonMultipleInterestRates: ranges,
        InterestType: inAdvance ? 1 : undefined,
      };
      const document = documentOf(offering([variable]), {
        ...request,
        HighestRate: raised,
        HighestRateFrom: from,
      });
      const figures = figuresOf(document);
      const fixed = figuresOf(documentOf(offering([]), request));
      const terms: RepaymentScheduleRequest = {
        ScheduleType: 'EqualInstallments',
        Amount: amount,
        InstallmentsNo: loanPeriod,
        PeriodicityType: 'Monthly',
        InstallmentDay: 30,
        ActivationDate: DOCUMENT_DAY,
        UpFrontValue: new Decimal(atStart),
        CalculateDAE: 2,
        MultipleInterestRates: ranges,
        InterestType: inAdvance ? 1 : 0,
      };
      const reference = (MultipleInterestRates: typeof ranges) => {
        const outcome = referenceSchedule({ ...terms, MultipleInterestRates }, { requestDay: DOCUMENT_DAY });
        if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome));
        return outcome;
      };
      const own = reference(ranges);
      const last = own.rows[initial - 1]!;
      const balance = own.rows[initial]!.remainingValue;
      const ended = { ...last, totalInstallment: last.totalInstallment + balance };
      const rows = [...own.rows.slice(0, initial - 1), ended];
      expect(fixed).toMatchObject({ InitialPeriodRows: initial, InitialPeriodRepaid: balance / 100 });
      expectRate(fixed['InitialPeriodAPRC'], referenceDae({ ...own, rows }));
      const before = ranges
        .filter(({ FromInstNo }) => FromInstNo < from)
        .map((range) => ({ ...range, ToInstNo: Math.min(range.ToInstNo, from - 1) }));
      const higher = reference([...before, { InterestRate: raised, FromInstNo: from, ToInstNo: loanPeriod }]);
      expectRate(figures['HighestRateAPRC'], referenceDae(higher));
      const paymentsOf = (some: typeof own.rows) => {
        const payments = some.map(({ totalInstallment }) => totalInstallment);
        const settled = payments.pop()!;
        return { settled, largest: Math.max(0, ...payments) };
      };
      const today = paymentsOf(own.rows);
      const { settled, largest } = paymentsOf(higher.rows.slice(from - 1));
      const later = settled > Math.max(today.largest, today.settled) ? settled / 100 : null;
      expect(figures['HighestInstallmentAmount']).toBe(largest > today.largest ? largest / 100 : later);
      const [table] = document.Sections.flatMap(({ Table }) => Table ?? []);
      const sums = (kinds: readonly string[]) =>
        [2, 3, 5].map((column) =>
          (table?.Lines ?? [])
            .filter(({ Kind }) => kinds.includes(Kind))
            .reduce((sum, { Cells }) => sum.plus((Cells[column] ?? '').replaceAll(',', '')), new Decimal(0))
            .toNumber(),
        );
      expect(sums(['subtotal', 'year'])).toEqual(sums(['total']));
      expect(sums(['instalment'])).toEqual(sums(['subtotal']));
    };
    fc.assert(fc.property(randomLoan, check), { numRuns: LOANS, seed: SEED });
  },
);

/** The reference leaves out rates that its search cannot find. */
function expectRate(found: unknown, wanted: string | null | undefined): void {
  expect(wanted === undefined ? undefined : found).toBe(wanted);
}
