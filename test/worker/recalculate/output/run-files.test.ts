import { expect, it } from 'vitest';
import { readRecalculateArguments } from '../../../../scripts/recalculate/recalculate-arguments.ts';
import { openRunFiles } from '../../../../scripts/recalculate/run-files.ts';
import { planRun } from '../../../../scripts/recalculate/resume.ts';
import { countFailure, emptyTally } from '../../../../shared/portfolio/tally.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { portfolioFolder } from '../../../support/worlds/recalculate-process.ts';

const FAILURE = { line: 1, id: 'c-1', problem: createProblem('unexpected') };

it('returns the tally of the last save without later changes', async () => {
  const at = portfolioFolder().at;
  const args = readRecalculateArguments(['--input', at('in.ndjson'), '--output', at('out.ndjson')]);
  if (args === undefined) throw new Error('no arguments');
  const plan = planRun(args, 0);
  const files = await openRunFiles(args, plan, undefined);
  const tally = emptyTally();
  countFailure(tally, FAILURE);
  expect(files.saved()).toEqual(emptyTally());
  await files.save({ input: { lastLine: 1, digest: 'd' }, tally, elapsedMs: 1 });
  countFailure(tally, FAILURE);
  await files.close();
  expect([files.saved().failed, files.saved().failuresByCode.get('unexpected')]).toEqual([1, 1]);
});
