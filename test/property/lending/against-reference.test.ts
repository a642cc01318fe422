/** Compares the engine with the reference implementation, which calculates every rule independently. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference, engineOf, requestText } from '../../support/reference/compare-with-reference.ts';
import {
  randomRequest,
  randomRequestByHalfMonths,
  randomRequestInAdvance,
  randomRequestWithFeatures,
} from '../../support/random/request.ts';
import { brokenInvariant } from '../../support/reference/schedule-invariants.ts';

const REQUESTS_PER_TEST = 1_500;
const REQUESTS_WITH_RATES = 500;
const MAX_TEST_MS = 120_000;
/** A fixed seed, so that every run tests the same requests; each part adds its number. */
const SEED = 20_261_121;
/** The smallest accepted share of random requests that are calculated; the rules refuse the others. */
const MIN_CALCULATED_SHARE = 0.8;

/** Throws an error with the request if two schedules differ; returns the number of calculated requests. */
function compare(requests: number, withRates: boolean, part: number, arbitrary = randomRequest): number {
  let calculated = 0;
  fc.assert(
    fc.property(arbitrary, (request) => {
      const engine = engineOf(request);
      const found = difference(request, withRates, engine);
      if (found !== undefined) throw new Error(`${found}: ${requestText(request)}`);
      if (engine.kind === 'refused') return;
      calculated += 1;
      expect(brokenInvariant(request, engine)).toBeUndefined();
    }),
    { numRuns: requests, seed: SEED + part },
  );
  return calculated;
}

describe('calculateRepaymentSchedule for random requests', { timeout: MAX_TEST_MS }, () => {
  it.each([1, 2])(
    'equals the reference to the cent in every row, and satisfies M3 (part %i of 2)',
    (part) => {
      expect(compare(REQUESTS_PER_TEST, false, part)).toBeGreaterThan(
        REQUESTS_PER_TEST * MIN_CALCULATED_SHARE,
      );
    },
  );

  it('equals the reference with payments in advance, rates included (B7)', () => {
    expect(compare(REQUESTS_PER_TEST, true, 3, randomRequestInAdvance)).toBeGreaterThan(
      REQUESTS_PER_TEST * MIN_CALCULATED_SHARE,
    );
  });

  it('equals the reference with listed dates, credit values, single charges and overpayments (D8, D9, F2, F3, X3)', () => {
    expect(compare(REQUESTS_PER_TEST, true, 4, randomRequestWithFeatures)).toBeGreaterThan(
      REQUESTS_PER_TEST * MIN_CALCULATED_SHARE,
    );
  });

  it('equals the reference with half months (D10)', () => {
    expect(compare(REQUESTS_PER_TEST, true, 5, randomRequestByHalfMonths)).toBeGreaterThan(
      REQUESTS_PER_TEST * MIN_CALCULATED_SHARE,
    );
  });

  it('returns the DAE or EIR that the reference proves with 60 digits (A1, A2)', () => {
    expect(compare(REQUESTS_WITH_RATES, true, 0)).toBeGreaterThan(REQUESTS_WITH_RATES * MIN_CALCULATED_SHARE);
  });
});
