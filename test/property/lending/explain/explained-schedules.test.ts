/** Explanations of random schedules: each formula evaluates to its figure, and nothing else changes (S6). */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScheduleRow } from '../../../../shared/lending/request/repayment-schedule.ts';
import { engineOf } from '../../../support/reference/compare-with-reference.ts';
import { faultsOfExplanations } from '../../../support/reference/formula-checker.ts';
import { randomRequest } from '../../../support/random/request.ts';

const REQUESTS = 800;
const MAX_TEST_MS = 120_000;
const SEED = 20_261_129;

function withoutExplanation({ explanation: _explanation, ...row }: ScheduleRow): ScheduleRow {
  return row;
}

describe('calculateRepaymentSchedule with Explain', { timeout: MAX_TEST_MS }, () => {
  it('explains every figure of random schedules with a formula that evaluates to it', () => {
    const property = fc.property(randomRequest, (request) => {
      const rows = { ...request, CalculateDAE: 0 };
      const plain = engineOf({ ...rows, Explain: false });
      const explained = engineOf({ ...rows, Explain: true });
      expect(explained.kind).toBe(plain.kind);
      if (explained.kind === 'refused' || plain.kind === 'refused') return;
      expect({ ...explained, rows: explained.rows.map(withoutExplanation) }).toEqual(plain);
      const faults = explained.rows.flatMap((row) => faultsOfExplanations(row, plain.currencyDigits));
      expect(faults).toEqual([]);
    });
    fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: true });
  });
});
