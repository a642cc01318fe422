import { expect, it } from 'vitest';
import type { ContractOutcome } from '../../../../scripts/recalculate/calculate-chunk.ts';
import { readContract } from '../../../../scripts/recalculate/input-records.ts';
import { runRecalculation } from '../../../../scripts/recalculate/run-recalculation.ts';
import { emptyTally } from '../../../../shared/portfolio/tally.ts';
import { PROOF_REQUEST } from '../../../support/builders/schedule-call.ts';

it('makes an answer with figures that cannot be shown the failure of its line, and continues', async () => {
  const lines: string[] = [];
  const write = (line: string): undefined => void lines.push(line);
  const tally = emptyTally();
  const records = [1, 2].map((id) => readContract(id, { id, jsonParam: PROOF_REQUEST }));
  const chunk = { records, lastLine: 2, digest: '', bytesRead: 0 };
  const amounts = { principal: 0.5, interest: 0, managementFee: 0, insurance: 0, totalInstallment: 0.5 };
  const schedule = { rows: [amounts], currencyDigits: 2 } as never;
  const answers: readonly ContractOutcome[] = [
    { kind: 'schedule', schedule, warnings: undefined },
    { kind: 'problem', problem: { type: '', title: '', status: 422, code: 'not-computable' } },
  ];
  const signal = new AbortController().signal;
  const end = await runRecalculation({
    chunks: (async function* () {
      yield chunk;
    })(),
    calculate: async () => answers.map((answer) => async () => answer),
    files: { results: undefined, failures: { write } as never, save: async () => undefined },
    args: { output: undefined, compare: false, window: 1, maxFailures: undefined },
    plan: { tally, input: { lastLine: 0, digest: '' } },
    elapsedMs: () => 0,
    stopped: signal,
    abandoned: signal,
  });
  expect([end, tally.failed]).toEqual(['complete', 2]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { line: 1, id: 1, problem: { code: 'unexpected', detail: 'The reply contains invalid figures.' } },
    { line: 2, id: 2, problem: { code: 'not-computable' } },
  ]);
});
