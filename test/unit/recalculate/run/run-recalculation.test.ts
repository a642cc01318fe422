import { expect, it } from 'vitest';
import { runRecalculation } from '../../../../scripts/recalculate/run/run-recalculation.ts';
import type { InputChunk } from '../../../../scripts/recalculate/input/records.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { emptyTally } from '../../../../shared/portfolio/tally.ts';

const refused = (line: number): InputChunk => ({
  records: [{ kind: 'refused', line, id: undefined, problem: createProblem('invalid-request') }],
  lastLine: line,
  digest: `digest ${line}`,
  bytesRead: 0,
});

async function* twoChunks() {
  yield refused(1);
  yield refused(2);
}

async function* oneChunkAndFailure() {
  yield refused(1);
  throw new Error('the input cannot be read');
}

/** A run over these chunks; `saves` are the last lines of all saves, of which the first ones fail. */
function setUp(chunks: AsyncIterable<InputChunk>, failures: number) {
  const saves: number[] = [];
  const ended = runRecalculation({
    chunks,
    calculate: () => Promise.resolve([]),
    files: {
      results: undefined,
      failures: undefined,
      save: ({ input }) => {
        saves.push(input.lastLine);
        return saves.length > failures ? Promise.resolve() : Promise.reject(new Error('disk full'));
      },
    },
    args: { output: undefined, compare: false, window: 1, maxFailures: undefined },
    plan: { tally: emptyTally(), input: { lastLine: 0, digest: '' } },
    elapsedMs: () => 0,
    stopped: new AbortController().signal,
    abandoned: new AbortController().signal,
  });
  return { ended, saves };
}

it('saves once at the end, and not again when that fails', async () => {
  const { ended, saves } = setUp(twoChunks(), 1);
  await expect(ended).rejects.toThrow('disk full');
  expect(saves).toEqual([2]);
});

it('saves the finished chunks when the input fails', async () => {
  const { ended, saves } = setUp(oneChunkAndFailure(), 0);
  await expect(ended).rejects.toThrow('the input cannot be read');
  expect(saves).toEqual([1]);
});
