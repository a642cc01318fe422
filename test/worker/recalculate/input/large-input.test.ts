import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { InputFormat } from '../../../../scripts/recalculate/input-records.ts';
import { openInput } from '../../../../scripts/recalculate/read-portfolio.ts';
import { contractLine, PLAIN_LOAN } from '../../../support/builders/portfolio-lines.ts';

const LINES = 20_000;
const BLOCK_LINES = 400;
/** Limit of the memory growth: 210 bytes for each contract, which would take 700 to 1,200 as an object. */
const MAX_GROWTH_BYTES = 4 * 1_024 * 1_024;
/** The test takes a second on an idle core. */
const TIME_LIMIT_MS = 120_000;

const CSV_CELLS = Object.values(PLAIN_LOAN).join(',');
const LINE_OF: Readonly<Record<InputFormat, (id: number) => string>> = {
  ndjson: (id) => contractLine(id),
  csv: (id) => `${id},${CSV_CELLS}`,
};

/** The portfolio is generated while it is read, so that it does not take memory. */
function* portfolio(format: InputFormat): Generator<Buffer> {
  if (format === 'csv') yield Buffer.from(`id,${Object.keys(PLAIN_LOAN).join(',')}\n`);
  for (let id = 0; id < LINES; id += BLOCK_LINES) {
    const lines = Array.from({ length: BLOCK_LINES }, (_, index) => LINE_OF[format](id + index));
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

// Collect garbage before measuring the heap.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a portfolio of 20,000 contracts', () => {
  it.each<InputFormat>(['ndjson', 'csv'])(
    'is read from %s in order with constant memory',
    async (format) => {
      const stdin = Readable.from(portfolio(format), { objectMode: false });
      const input = await openInput({ file: '-', format, maxContracts: 100, stdin });
      const heldBytes: number[] = [];
      let expected = 0;
      for await (const { records } of input.records()) {
        for (const { id } of records) {
          if (String(id) !== String(expected)) throw new Error(`${String(id)} in place of ${expected}`);
          expected += 1;
        }
        if (expected % 2_000 === 0) {
          collectGarbage();
          const { heapUsed, external } = process.memoryUsage();
          heldBytes.push(heapUsed + external);
        }
      }
      expect(expected).toBe(LINES);
      const [first = 0, ...later] = heldBytes;
      expect(later).toHaveLength(9);
      expect(Math.max(...later) - first).toBeLessThan(MAX_GROWTH_BYTES);
    },
    TIME_LIMIT_MS,
  );
});
