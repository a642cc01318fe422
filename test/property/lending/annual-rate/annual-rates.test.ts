import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solveEffectiveRate, solveRate } from '../../../../shared/lending/annual-rate/proven-rate.ts';
import type { ExactRatio } from '../../../../shared/lending/numbers/exact-ratio.ts';
import { floatingSign, prepareFlows } from '../../../../shared/lending/annual-rate/floating-present-value.ts';
import { netPresentValue } from '../../../../shared/lending/annual-rate/net-present-value.ts';
import { mergeFlows, type RateFlows } from '../../../../shared/lending/annual-rate/rate-flows.ts';
import { MAX_ITERATIONS } from '../../../../shared/lending/annual-rate/isolated-rates.ts';
import { FOUR_DECIMALS, TEN_DECIMALS } from '../../../support/builders/rate-flows.ts';

interface Step {
  readonly gap: number;
  readonly amount: number;
}

const step = (least: number): fc.Arbitrary<Step> =>
  fc.record({
    gap: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 40 })),
    amount: fc.oneof(
      fc.integer({ min: least, max: 200_000 }),
      fc.integer({ min: least * 1_000, max: 2 ** 52 }),
    ),
  });

/** Flows in years, months, weeks or days, all with the same remaining days, as in a schedule. */
function flowsWith(least: number, mostPayments: number): fc.Arbitrary<RateFlows> {
  return fc
    .record({
      drawn: fc.oneof(fc.integer({ min: 1, max: 3_000_000 }), fc.integer({ min: 1, max: 2 ** 50 })),
      steps: fc.array(step(least), { minLength: 1, maxLength: mostPayments }),
      unitsPerYear: fc.constantFrom(1, 12, 52, 365),
      extra: fc.integer({ min: 0, max: 6 }),
      year: fc.constantFrom(365, 366),
    })
    .map(({ drawn, steps, unitsPerYear, extra, year }) => {
      const extraDays = unitsPerYear === 365 ? 0 : extra;
      let wholeUnits = 0;
      const payments = steps.map(({ gap, amount }) => {
        wholeUnits += gap;
        return { amount, wholeUnits, extraDays, yearDays: year };
      });
      const drawdown = { amount: -drawn, wholeUnits: 0, extraDays: 0, yearDays: year };
      return { flows: [drawdown, ...payments], unitsPerYear };
    });
}

/** The growth factor halfway above a step of a rate with this number of decimals. */
function boundaryAbove(below: bigint, decimals: number): ExactRatio {
  const denominator = 2n * 10n ** BigInt(decimals + 2);
  return { numerator: denominator + 2n * below + 1n, denominator };
}

/** The exact sign of the present value of the flows at a boundary. */
function exactSign(flows: RateFlows, below: bigint, decimals: number): number {
  const growth = boundaryAbove(below, decimals);
  return growth.numerator <= 0n
    ? prepareFlows(mergeFlows(flows)).lastSign
    : netPresentValue(flows, growth).sign;
}

function stepOf(percent: string): bigint {
  return BigInt(percent.replace('.', ''));
}

/** Present value of the flows at 1 + r, by the definition. */
function presentValueAt({ flows, unitsPerYear }: RateFlows, growth: number): number {
  return flows.reduce((sum, { amount, wholeUnits, extraDays, yearDays }) => {
    // The present value of a zero flow is zero, even if its discount factor overflows.
    if (amount === 0) return sum;
    return sum + Number(amount) * growth ** -(wholeUnits / unitsPerYear + extraDays / yearDays);
  }, 0);
}

function withFirst({ flows, unitsPerYear }: RateFlows, amount: number): RateFlows {
  return { flows: flows.map((flow, index) => (index === 0 ? { ...flow, amount } : flow)), unitsPerYear };
}

describe('solveRate for random cash flows (A4)', () => {
  it('solves a plain loan so that the present value changes sign between the rounding boundaries of the last digit', () => {
    const runs = fc.property(
      flowsWith(0, 60),
      fc.constantFrom(FOUR_DECIMALS, TEN_DECIMALS),
      (flows, scale) => {
        const { percent, iterations } = solveRate(flows, scale);
        expect(iterations).toBeLessThanOrEqual(MAX_ITERATIONS);
        if (percent === null) return expectNoPlainRate(flows);
        const found = stepOf(percent);
        const decimals = scale.percentDecimals;
        expect(exactSign(flows, found - 1n, decimals)).toBeGreaterThanOrEqual(0);
        expect(exactSign(flows, found, decimals)).toBeLessThanOrEqual(0);
      },
    );
    fc.assert(runs, { numRuns: 3_000, endOnFailure: true });
  });

  it('rounds a rate close to a rounding boundary correctly', () => {
    const runs = fc.property(
      flowsWith(1, 40),
      fc.integer({ min: -300_000, max: 2_000_000 }),
      fc.integer({ min: -1, max: 1 }),
      (flows, below, offset) => {
        const growth = boundaryAbove(BigInt(below), 4);
        const drawn = Math.round(presentValueAt(withFirst(flows, 0), Number(growth.numerator) / 2_000_000));
        fc.pre(drawn + offset > 0 && drawn < Number.MAX_SAFE_INTEGER && flows.flows.at(-1)!.wholeUnits > 0);
        const near = withFirst(flows, -drawn - offset);
        const sign = netPresentValue(near, growth).sign;
        const above = sign === 0 ? below >= 0 : sign > 0;
        const percent = solveEffectiveRate(near);
        fc.pre(percent !== null);
        const isAbove = stepOf(percent ?? '') > BigInt(below);
        expect(isAbove).toBe(above);
        const fast = floatingSign(prepareFlows(near), growth);
        expect([0, sign]).toContain(fast);
      },
    );
    fc.assert(runs, { numRuns: 3_000, endOnFailure: true });
  });

  it('never derives a floating-point sign that the exact present value contradicts', () => {
    let certain = 0;
    const runs = fc.property(
      flowsWith(-200_000, 40),
      fc.bigInt({ min: -999_999n, max: 40_000_000n }),
      (flows, below) => {
        const growth = boundaryAbove(below, 4);
        const fast = floatingSign(prepareFlows(flows), growth);
        if (fast === 0) return;
        certain += 1;
        expect(fast).toBe(netPresentValue(flows, growth).sign);
      },
    );
    fc.assert(runs, { numRuns: 4_000, endOnFailure: true });
    expect(certain).toBeGreaterThan(3_500);
  });

  it('returns the rate nearest to zero if there are several, and null only if the present value never changes sign', () => {
    const runs = fc.property(flowsWith(-150_000, 8), (flows) => {
      const { percent, iterations } = solveRate(flows, TEN_DECIMALS);
      expect(iterations).toBeLessThanOrEqual(MAX_ITERATIONS);
      const found = percent === null ? Number.POSITIVE_INFINITY : Math.abs(Number(percent) / 100);
      const signs = new Set<number>();
      for (let turn = -400; turn <= 400; turn += 1) {
        const rate = turn < 0 ? -((turn / -400) ** 3) * 0.999 : (turn / 400) ** 3 * 50;
        const value = presentValueAt(flows, 1 + rate);
        if (Math.abs(rate) < found * (1 - 1e-6) && Number.isFinite(value)) signs.add(Math.sign(value));
      }
      signs.delete(0);
      expect(signs.size).toBeLessThanOrEqual(1);
    });
    fc.assert(runs, { numRuns: 2_000, endOnFailure: true });
  });
});

const HIGHEST_RATE = 1e260;

/** The value of the payments is below the drawn amount at every rate, or above it at every searched rate. */
function expectNoPlainRate(flows: RateFlows): void {
  const isNothingPaid = flows.flows.slice(1).every(({ amount }) => amount === 0);
  const isAllAtStart = flows.flows.every(({ wholeUnits, extraDays }) => wholeUnits + extraDays === 0);
  const isBeyondSearch =
    presentValueAt(flows, HIGHEST_RATE * (1 - 1e-9)) > 0 || presentValueAt(flows, 1e-300) < 0;
  expect(isNothingPaid || isAllAtStart || isBeyondSearch).toBe(true);
}
