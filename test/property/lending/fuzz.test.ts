/** Whatever is asked: an answer or a list of faults, never an error, and never a figure that is none. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solveRate } from '../../../shared/lending/annual-rate/solve-rate.ts';
import { flowsByDays } from '../../../shared/lending/annual-rate/rate-flows.ts';
import type { RequestFault } from '../../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type {
  RepaymentSchedule,
  ScheduleOutcome,
} from '../../../shared/lending/request/repayment-schedule.ts';
import { engineOf, requestText } from '../../support/reference/compare-with-reference.ts';
import { fuzzed } from '../../support/random/fuzz-request.ts';
import { Picks } from '../../support/random/pick.ts';
import { randomRequest } from '../../support/random/request.ts';
import { brokenInvariant } from '../../support/reference/schedule-invariants.ts';

const REQUESTS = 2_500;
const MUTATIONS_PER_REQUEST = 20;
const LEAST_OF_EACH_KIND = 10_000;
const MAX_ITERATIONS = 200;
/** The same requests in every run. */
const SEED = 20_261_121;
const LONGEST_TEST_MS = 600_000;
const PERCENT = { percentDecimals: 4, unitsAdded: { numerator: 1n, denominator: 1n } };

function isNamed({ path, code, message, status }: RequestFault): boolean {
  return path !== '' && code.length > 0 && message !== '' && (status === 400 || status === 422);
}

/** What is wrong with an answer; undefined when nothing is. */
function wrongIn(request: RepaymentScheduleRequest, outcome: ScheduleOutcome): string | undefined {
  if (outcome.kind === 'refused') {
    const isSaid = outcome.faults.length > 0 && outcome.faults.every(isNamed);
    return isSaid ? undefined : `refused for ${JSON.stringify(outcome.faults)}`;
  }
  return brokenInvariant(request, outcome);
}

/** Trial rates that the interest rate of a schedule takes. */
function iterationsOf({ startDate, rows }: RepaymentSchedule): number {
  const sorted = rows.toSorted((one, other) => one.dueDate - other.dueDate);
  const flows = flowsByDays(
    Math.max(1, rows[0]?.remainingValue ?? 1),
    sorted.map((row) => row.pmt + row.managementFee),
    sorted.map((row) => row.dueDate - startDate),
  );
  return solveRate(flows, PERCENT).iterations;
}

describe('a fuzzed request', { timeout: LONGEST_TEST_MS }, () => {
  it(`is answered or refused with every fault named, ${REQUESTS * MUTATIONS_PER_REQUEST} times`, () => {
    const kinds = { schedule: 0, refused: 0 };
    let mostIterations = 0;
    const property = fc.property(randomRequest, fc.noBias(fc.nat()), (request, seed) => {
      const picks = new Picks(seed);
      for (let turn = 0; turn < MUTATIONS_PER_REQUEST; turn += 1) {
        const wild = fuzzed(picks, request);
        const outcome = engineOf(wild);
        kinds[outcome.kind] += 1;
        const wrong = wrongIn(wild, outcome);
        if (wrong !== undefined) throw new Error(`${wrong}: ${requestText(wild)}`);
        const isSolved = outcome.kind === 'schedule' && turn === 0;
        if (isSolved) mostIterations = Math.max(mostIterations, iterationsOf(outcome));
      }
    });
    fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: true });
    expect(Math.min(kinds.schedule, kinds.refused)).toBeGreaterThan(LEAST_OF_EACH_KIND);
    expect(mostIterations).toBeLessThanOrEqual(MAX_ITERATIONS);
  });
});
