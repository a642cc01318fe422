/** The engine against the slow reference: an independent calculation of every rule, equal in every figure. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference, differenceReport, engineOf } from '../../support/reference/compare-with-reference.ts';
import { randomRequest } from '../../support/random/request.ts';
import { brokenInvariant } from '../../support/reference/schedule-invariants.ts';

const REQUESTS_PER_TEST = 2_500;
const REQUESTS_WITH_RATES = 1_000;
const LONGEST_TEST_MS = 120_000;
/** The same requests in every run, so that a change is what makes the difference; other parts add to it. */
const SEED = 20_261_121;
/** Most random requests are ones that the rules calculate. */
const LEAST_CALCULATED = 0.8;

/** Throws with both tables when a random request is answered differently; gives the number of calculated ones. */
function compare(requests: number, withRates: boolean, part: number): number {
  let calculated = 0;
  fc.assert(
    fc.property(randomRequest, (request) => {
      const engine = engineOf(request);
      if (difference(request, withRates, engine) !== undefined) {
        throw new Error(differenceReport(request, withRates));
      }
      if (engine.kind === 'refused') return;
      calculated += 1;
      expect(brokenInvariant(request, engine)).toBeUndefined();
    }),
    { numRuns: requests, seed: SEED + part },
  );
  return calculated;
}

describe('a random request over all features', { timeout: LONGEST_TEST_MS }, () => {
  it.each([1, 2, 3, 4])(
    'is calculated as the slow reference does, to the cent in every row, and keeps M3 (part %i of 4)',
    (part) => {
      expect(compare(REQUESTS_PER_TEST, false, part)).toBeGreaterThan(REQUESTS_PER_TEST * LEAST_CALCULATED);
    },
  );

  it('has the DAE or EIR that the slow reference proves with 60 digits (A1, A2)', () => {
    expect(compare(REQUESTS_WITH_RATES, true, 0)).toBeGreaterThan(REQUESTS_WITH_RATES * LEAST_CALCULATED);
  });
});
