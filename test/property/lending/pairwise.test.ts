/** Pairwise tests: every two compatible variants of features occur together in a schedule that equals the reference. */

import { describe, expect, it } from 'vitest';
import {
  difference,
  differenceReport,
  engineOf,
  requestText,
} from '../../support/reference/compare-with-reference.ts';
import { featureRequest, reasonAgainst } from '../../support/random/feature-requests.ts';
import { FEATURES } from '../../support/random/features.ts';
import { allPairs, coveringTable } from '../../support/random/pairwise.ts';
import { Picks } from '../../support/random/pick.ts';
import { brokenInvariant } from '../../support/reference/schedule-invariants.ts';

const MIN_COMBINATIONS = 3_600;
const MIN_CALCULATED = 2_000;
const SEED = 20_250_101;
const MAX_REPORTS = 3;
const MAX_TEST_MS = 120_000;

const { combinations, impossiblePairs } = coveringTable({
  features: FEATURES,
  reasonAgainst,
  picks: new Picks(SEED),
  least: MIN_COMBINATIONS,
});
const refused = combinations.filter((combination) => reasonAgainst(combination) !== undefined);
const calculated = combinations.filter((combination) => reasonAgainst(combination) === undefined);

describe('pairwise combinations of features', { timeout: MAX_TEST_MS }, () => {
  it(`cover every compatible pair in ${calculated.length} calculated and ${refused.length} refused requests`, () => {
    const held = new Set(
      calculated.flatMap((combination) => {
        const values = Object.entries(combination).map(([name, value]) => `${name}=${value}`);
        return values.flatMap((one, index) => values.slice(index + 1).map((other) => `${one} & ${other}`));
      }),
    );
    const missing = allPairs(FEATURES).filter((pair) => !held.has(pair));
    expect(missing).toEqual(
      impossiblePairs.toSorted((one, other) => missing.indexOf(one) - missing.indexOf(other)),
    );
    expect(combinations.length).toBeGreaterThanOrEqual(MIN_COMBINATIONS);
    expect(calculated.length).toBeGreaterThan(MIN_CALCULATED);
  });

  it('omit only pairs that a rule refuses', () => {
    const reasons = new Set(
      refused
        .filter((combination) => impossiblePairs.some((pair) => holds(combination, pair)))
        .map(reasonAgainst),
    );
    expect(reasons.has(undefined)).toBe(false);
    expect(
      impossiblePairs.every((pair) =>
        /type=(?:Once|Deposit|Balloon|InterestOnly|Overdraft|CreditCard) /.test(pair),
      ),
    ).toBe(true);
  });

  it('are refused by the engine if a rule refuses them', () => {
    const wrong = refused.map(featureRequest).filter((request) => engineOf(request).kind === 'schedule');
    expect(wrong.map(requestText)).toEqual([]);
  });

  it('equal the reference in every figure and satisfy M3 if no rule refuses them', () => {
    const wrong: string[] = [];
    for (const request of calculated.map(featureRequest)) {
      const engine = engineOf(request);
      const isEqual = engine.kind === 'schedule' && difference(request, false, engine) === undefined;
      const broken = engine.kind === 'schedule' ? brokenInvariant(request, engine) : undefined;
      if (!isEqual || broken !== undefined) wrong.push(broken ?? differenceReport(request));
      if (wrong.length === MAX_REPORTS) break;
    }
    expect(wrong).toEqual([]);
  });
});

function holds(combination: Readonly<Record<string, string>>, pair: string): boolean {
  return pair.split(' & ').every((value) => {
    const [name = '', form] = value.split('=');
    return combination[name] === form;
  });
}
