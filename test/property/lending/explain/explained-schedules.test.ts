/** Explanations of random schedules: each formula evaluates to its figure, and nothing else changes (S6). */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScheduleRow } from '../../../../shared/lending/request/repayment-schedule.ts';
import { engineOf } from '../../../support/reference/compare-with-reference.ts';
import { faultsOfExplanations } from '../../../support/reference/formula-checker.ts';
import { randomRequest, randomRequestInAdvance } from '../../../support/random/request.ts';

const REQUESTS = 800;
const MAX_TEST_MS = 120_000;
const SEED = 20_261_129;

function withoutExplanation({ explanation: _explanation, ...row }: ScheduleRow): ScheduleRow {
  return row;
}

describe('calculateRepaymentSchedule with Explain', { timeout: MAX_TEST_MS }, () => {
  it.each([
    ['random schedules', randomRequest, REQUESTS],
    ['schedules with payments in advance', randomRequestInAdvance, REQUESTS / 4],
  ])('explains every figure of %s with a formula that evaluates to it', (_which, requests, numRuns) => {
    const property = fc.property(requests, (request) => {
      const rows = { ...request, CalculateDAE: 0 };
      const plain = engineOf({ ...rows, Explain: false });
      const explained = engineOf({ ...rows, Explain: true });
      expect(explained.kind).toBe(plain.kind);
      if (explained.kind === 'refused' || plain.kind === 'refused') return;
      expect({ ...explained, rows: explained.rows.map(withoutExplanation) }).toEqual(plain);
      const faults = explained.rows.flatMap((row) => faultsOfExplanations(row, plain.currencyDigits));
      expect(faults).toEqual([]);
    });
    fc.assert(property, { numRuns, seed: SEED, endOnFailure: true });
  });
});
