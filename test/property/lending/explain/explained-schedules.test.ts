/** Explanations of random schedules: each formula evaluates to its figure, and nothing else changes (S6). */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExplainedFigure, ScheduleRow } from '../../../../shared/lending/request/repayment-schedule.ts';
import { engineOf } from '../../../support/reference/compare-with-reference.ts';
import { faultOfExplanation } from '../../../support/reference/formula-checker.ts';
import { randomRequest } from '../../../support/random/request.ts';

const REQUESTS = 800;
const MAX_TEST_MS = 120_000;
const SEED = 20_261_129;
const FIGURES = [
  'remainingValue',
  'interest',
  'capitalisedInterest',
  'principal',
  'pmt',
  'managementFee',
  'insurance',
  'totalInstallment',
] as const;

function explainedAmount({ explanation }: ScheduleRow, figure: ExplainedFigure): number | undefined {
  return explanation?.find((one) => one.figure === figure && one.name === undefined)?.amount;
}

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
      for (const row of explained.rows) {
        const faults = (row.explanation ?? []).map((one) => faultOfExplanation(one, plain.currencyDigits));
        expect(faults.filter((fault) => fault !== '')).toEqual([]);
        for (const figure of FIGURES)
          expect([figure, explainedAmount(row, figure)]).toEqual([figure, row[figure]]);
      }
    });
    fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: true });
  });
});
