/** Random malformed requests: the engine returns a schedule or a list of faults, never throws, and never returns NaN. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solveRate } from '../../../shared/lending/annual-rate/proven-rate.ts';
import { MAX_ITERATIONS } from '../../../shared/lending/annual-rate/isolated-rates.ts';
import type { RequestFault } from '../../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { ScheduleOutcome } from '../../../shared/lending/request/repayment-schedule.ts';
import { engineOf, requestText } from '../../support/reference/compare-with-reference.ts';
import { FOUR_DECIMALS, flowsByDays } from '../../support/builders/rate-flows.ts';
import { fuzzRequest } from '../../support/random/fuzz-request.ts';
import { Picks } from '../../support/random/pick.ts';
import { randomRequest } from '../../support/random/request.ts';
import { brokenInvariant } from '../../support/reference/schedule-invariants.ts';

const REQUESTS = 1_250;
const MUTATIONS_PER_REQUEST = 20;
const MIN_OF_EACH_KIND = 5_000;
const SEED = 20_261_121;
const MAX_TEST_MS = 600_000;

function isValidFault({ path, code, message, status }: RequestFault): boolean {
  return path !== '' && code.length > 0 && message !== '' && (status === 400 || status === 422);
}

function findViolation(request: RepaymentScheduleRequest, outcome: ScheduleOutcome): string | undefined {
  if (outcome.kind === 'refused') {
    const hasValidFaults = outcome.faults.length > 0 && outcome.faults.every(isValidFault);
    return hasValidFaults ? undefined : `refused with ${JSON.stringify(outcome.faults)}`;
  }
  return brokenInvariant(request, outcome);
}

function countIterations({ startDate, rows }: Extract<ScheduleOutcome, { kind: 'schedule' }>): number {
  const sorted = rows.toSorted((one, other) => one.dueDate - other.dueDate);
  const flows = flowsByDays(
    Math.max(1, rows[0]?.remainingValue ?? 1),
    sorted.map((row) => row.pmt + row.managementFee),
    sorted.map((row) => row.dueDate - startDate),
  );
  return solveRate(flows, FOUR_DECIMALS).iterations;
}

describe('calculateRepaymentSchedule with fuzzed requests', { timeout: MAX_TEST_MS }, () => {
  it(`returns a valid schedule or valid faults for ${REQUESTS * MUTATIONS_PER_REQUEST} requests`, () => {
    const kinds = { schedule: 0, refused: 0 };
    let mostIterations = 0;
    const property = fc.property(randomRequest, fc.noBias(fc.nat()), (request, seed) => {
      const picks = new Picks(seed);
      for (let turn = 0; turn < MUTATIONS_PER_REQUEST; turn += 1) {
        const wild = fuzzRequest(picks, request);
        const outcome = engineOf(wild);
        kinds[outcome.kind] += 1;
        const violation = findViolation(wild, outcome);
        if (violation !== undefined) throw new Error(`${violation}: ${requestText(wild)}`);
        const isSolved = outcome.kind === 'schedule' && turn === 0;
        if (isSolved) mostIterations = Math.max(mostIterations, countIterations(outcome));
      }
    });
    fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: true });
    expect(Math.min(kinds.schedule, kinds.refused)).toBeGreaterThan(MIN_OF_EACH_KIND);
    expect(mostIterations).toBeLessThanOrEqual(MAX_ITERATIONS);
  });
});
