/**
 * The answers to random requests, of which a digest is kept: no figure, explanation or fault changes unnoticed. Whether
 * they are right is proven elsewhere (against-reference.test.ts). After an intended change, delete the files random-*.txt and run the test.
 */

import { createHash } from 'node:crypto';
import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculatePaymentValue } from '../../../shared/lending/payment-value.ts';
import { calculateRate } from '../../../shared/lending/calculate-rate.ts';
import { DAY_COUNT_NAMES } from '../../../shared/lending/dates/day-count.ts';
import { BUILT_IN_PERIODICITIES } from '../../../shared/lending/dates/periodicity.ts';
import { date } from '../../support/builders/lending-loan.ts';
import { fuzzRequest } from '../../support/random/fuzz-request.ts';
import { Picks } from '../../support/random/pick.ts';
import { randomRequest } from '../../support/random/request.ts';
import { engineOf } from '../../support/reference/compare-with-reference.ts';

const SEED = 20_261_130;
const DIGITS = 12;
const REQUESTS = fc.sample(randomRequest, { seed: SEED, numRuns: 600 });
const FIRST_FLOW = date('2023-01-31');
const PERIODICITIES = BUILT_IN_PERIODICITIES.map(({ name }) => name).filter((name) => name !== 'Semimonthly');

function digests(count: number, answer: (picks: Picks, index: number) => object): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const outcome = answer(new Picks(SEED + index), index);
    const digest = createHash('sha256').update(JSON.stringify(outcome)).digest('hex').slice(0, DIGITS);
    return `${index} ${'kind' in outcome ? String(outcome.kind) : ''} ${digest}\n`;
  });
  return lines.join('');
}

function answerRate(picks: Picks): object {
  const amount = () => new Decimal(picks.whole(-40_000, 100_000)).div(100);
  const days = (index: number) => picks.of(30.44 * index, 91.31 * index, picks.whole(0, 3_000));
  const count = picks.whole(1, picks.of(3, 12, 60));
  const amounts = [amount().minus(1_000), ...Array.from({ length: count }, amount)];
  const flows = amounts.map((Amount, index) => ({ Date: FIRST_FLOW + Math.round(days(index)), Amount }));
  const CashFlows = flows as unknown as NonNullable<Parameters<typeof calculateRate>[0]['CashFlows']>;
  const Rule = picks.of('DAE', 'DAE', 'XIRR', 'IRR');
  if (Rule === 'IRR')
    return calculateRate({ Rule, Amounts: amounts, PeriodicityType: picks.of(...PERIODICITIES) });
  return calculateRate({ Rule, CashFlows, Unit: picks.of('Years', 'Months', 'Weeks', 'Days', undefined) });
}

function answerPayment(picks: Picks): object {
  const amount = () => new Decimal(picks.whole(-100, 10_000_000)).div(picks.of(1, 100, 1_000));
  return calculatePaymentValue({
    InstallmentsNo: picks.of(picks.whole(0, 4), picks.whole(2, 400)),
    PeriodicityType: picks.of(...PERIODICITIES),
    InterestCalculationMethod: picks.of(...DAY_COUNT_NAMES),
    FinancedAmount: picks.maybe(80, amount),
    InterestPercent: picks.maybe(90, () =>
      new Decimal(picks.whole(-5_000, 40_000)).div(picks.of(100, 1_000, 7_000)),
    ),
    GracePeriodPrincipal: picks.maybe(30, () => picks.whole(0, 2)),
    FutureValue: picks.maybe(40, amount),
    InterestType: picks.maybe(40, () => picks.whole(0, 1)),
    Precision: picks.maybe(30, () => picks.whole(0, 11)),
  });
}

describe('the answers to random requests', () => {
  it.each([
    [
      'schedules',
      () =>
        digests(REQUESTS.length, (picks, index) =>
          engineOf({ ...REQUESTS[index]!, Explain: picks.chance(50) }),
        ),
    ],
    [
      'unusual-schedules',
      () => digests(REQUESTS.length, (picks, index) => engineOf(fuzzRequest(picks, REQUESTS[index]!))),
    ],
    ['rates', () => digests(500, answerRate)],
    ['payment-values', () => digests(400, answerPayment)],
  ] as const)('%s have the kept digests', async (name, answers) => {
    await expect(answers()).toMatchFileSnapshot(`./random-${name}.txt`);
  });
});
