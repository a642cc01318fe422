import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type InputChunk,
  InputError,
  type InputFormat,
} from '../../../../scripts/recalculate/input-records.ts';
import { openInput } from '../../../../scripts/recalculate/read-portfolio.ts';
import { portfolioFolder } from '../../../support/worlds/recalculate-process.ts';
import {
  contractLine,
  PLAIN_LOAN,
  readChunks,
  readRecords,
} from '../../../support/builders/portfolio-lines.ts';

const lines = (count: number, members: object = {}) =>
  Array.from({ length: count }, (_, index) => contractLine(`c-${index}`, members));

async function readFileChunks(file: string) {
  const input = await open(file, 100);
  const chunks: InputChunk[] = [];
  try {
    for await (const chunk of input.records()) chunks.push(chunk);
  } finally {
    input.close();
  }
  return { chunks, totalBytes: input.totalBytes, bytesRead: input.bytesRead() };
}

const open = (file: string, maxContracts = 1) => openInput({ file, format: 'ndjson', maxContracts });

describe('a portfolio in a file', () => {
  it('is decompressed if its name or first bytes say so, and reports its size on disk', async () => {
    const text = lines(250).join('\n');
    const packed = gzipSync(text);
    const files = portfolioFolder();
    const plain = await readFileChunks(files.write('plain.ndjson', text));
    const sizes = plain.chunks.map(({ records, lastLine }) => `${records.length} to ${lastLine}`);
    expect(sizes).toEqual(['100 to 100', '100 to 200', '50 to 250']);
    expect(plain).toMatchObject({ totalBytes: text.length, bytesRead: text.length });
    for (const name of ['packed.ndjson.gz', 'packed.ndjson']) {
      const read = await readFileChunks(files.write(name, packed));
      const [packedChunks, plainChunks] = [read, plain].map(({ chunks }) =>
        chunks.map(({ digest, records }) => ({ digest, records })),
      );
      expect(packedChunks).toEqual(plainChunks);
      expect(read).toMatchObject({ totalBytes: packed.length, bytesRead: packed.length });
    }
  });

  it('is read from concatenated gzip members, and from gzip on the standard input byte by byte', async () => {
    const parts = [gzipSync(`${contractLine('a')}\n`), gzipSync(`${contractLine('b')}\n`)];
    const bytes = Buffer.concat(parts);
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect((await readRecords(pieces)).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('fails where the gzip data is truncated or corrupt', async () => {
    const packed = gzipSync(lines(1_000).join('\n'));
    const damaged = Buffer.from(packed);
    const middle = Math.floor(packed.length / 2);
    damaged.fill(0, middle, middle + 64);
    for (const content of [packed.subarray(0, packed.length - 20), damaged]) {
      const file = portfolioFolder().write('broken.ndjson.gz', content);
      const text = /^the gzip data of the input is truncated or corrupt: /;
      await expect(readFileChunks(file)).rejects.toThrow(text);
      await expect(readFileChunks(file)).rejects.toThrow(InputError);
    }
  });

  it('is refused if it does not exist, is a folder, or is not gzip although its name says so', async () => {
    const files = portfolioFolder();
    await expect(open(files.at('none.ndjson'))).rejects.toThrow(/^the input cannot be opened: ENOENT/);
    await expect(open(files.at('.'))).rejects.toThrow('the input cannot be opened: is a directory');
    for (const content of [contractLine('c'), '', '\u001F']) {
      const file = files.write('plain.ndjson.gz', content);
      await expect(open(file)).rejects.toThrow(/is not compressed with gzip, although its name ends in .gz$/);
    }
    const csv = openInput({
      file: files.write('a.csv', 'id,Ammount\n1,2\n'),
      format: 'csv',
      maxContracts: 1,
    });
    await expect(csv).rejects.toThrow(/unknown columns: "Ammount"/);
  });

  it('fails when the stream breaks off', async () => {
    const stdin = Readable.from(
      (function* () {
        yield Buffer.from(`${contractLine('a')}\n`);
        throw new Error('the pipe is gone');
      })(),
    );
    const input = await openInput({ file: '-', format: 'ndjson', maxContracts: 1, stdin });
    const reading = async () => {
      const ids: unknown[] = [];
      for await (const { records } of input.records()) ids.push(...records.map(({ id }) => id));
      return ids;
    };
    await expect(reading()).rejects.toThrow(new InputError('the input broke off: the pipe is gone'));
  });
});

describe('the chunks of a portfolio', () => {
  it('have at most 12,000 instalments, 1 MiB of text or 500 refused lines', async () => {
    const rows = await readChunks(lines(25, { InstallmentsNo: 1_200 }).join('\n'));
    expect(rows.map(({ records }) => records.length)).toEqual([10, 10, 5]);
    const wide = lines(5).map((line) => line.padEnd(400_000, ' '));
    expect((await readChunks(wide.join('\n'))).map(({ records }) => records.length)).toEqual([2, 2, 1]);
    const refused = await readChunks('nothing\n'.repeat(1_100));
    expect(refused.map(({ records }) => records.length)).toEqual([500, 500, 100]);
  });

  it('are returned as soon as they are complete, without reading ahead', async () => {
    let sent = 0;
    const stdin = Readable.from(
      (function* () {
        for (;;) yield Buffer.from(`${contractLine((sent += 1)).padEnd(100_000, ' ')}\n`);
      })(),
      { objectMode: false, highWaterMark: 100_000 },
    );
    const input = await openInput({ file: '-', format: 'ndjson', maxContracts: 2, stdin });
    for await (const { records, lastLine } of input.records()) {
      expect(records).toHaveLength(2);
      expect(sent - lastLine).toBeLessThan(6);
      if (lastLine === 20) break;
    }
    input.close();
    expect(stdin.destroyed).toBe(true);
  });
});

describe('resumed reading', () => {
  const text = [...lines(30), 'refused', '', ...lines(30)].join('\n');

  it('continues after the last chunk with the digests of an uninterrupted run', async () => {
    const whole = await readChunks(text, { maxContracts: 7 });
    const reading = { maxContracts: 7, skip: whole[3]! };
    expect(await readChunks(text, reading)).toEqual(whole.slice(4));
    const resumed = await readChunks(gzipSync(text), reading);
    expect(resumed.map((chunk) => chunk.digest)).toEqual(whole.slice(4).map((chunk) => chunk.digest));
    expect(await readChunks(text, { skip: whole.at(-1)! })).toEqual([]);
  });

  it('refuses an input that is shorter, shifted by a line or different in one character', async () => {
    const skip = (await readChunks(text, { maxContracts: 7 }))[2]!;
    const changed = `the first ${skip.lastLine} lines of the input have changed since the run started`;
    for (const other of ['', text.slice(0, 500), `\n${text}`, text.replace('c-9"', 'c-8"')]) {
      await expect(readChunks(other, { skip })).rejects.toThrow(new InputError(changed));
    }
    const after = text.replace(/c-29"(?!.*c-29")/s, 'c-28"');
    expect((await readChunks(after, { maxContracts: 7, skip })).length).toBeGreaterThan(0);
  });
});

const LINES = 20_000;
const BLOCK_LINES = 400;
/** Limit of the memory growth: 210 bytes for each contract, which would take 700 to 1,200 as an object. */
const MAX_GROWTH_BYTES = 4 * 1_024 * 1_024;
const TIME_LIMIT_MS = 120_000;
const CSV_CELLS = Object.values(PLAIN_LOAN).join(',');

/** The portfolio is generated while it is read, so that it does not take memory. */
function* largePortfolio(format: InputFormat): Generator<Buffer> {
  if (format === 'csv') yield Buffer.from(`id,${Object.keys(PLAIN_LOAN).join(',')}\n`);
  for (let first = 0; first < LINES; first += BLOCK_LINES) {
    const ids = Array.from({ length: BLOCK_LINES }, (_, index) => first + index);
    const block = ids.map((id) => (format === 'csv' ? `${id},${CSV_CELLS}` : contractLine(id)));
    yield Buffer.from(`${block.join('\n')}\n`);
  }
}

it.each<InputFormat>(['ndjson', 'csv'])(
  'a portfolio of 20,000 contracts is read from %s in order with constant memory',
  async (format) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const stdin = Readable.from(largePortfolio(format), { objectMode: false });
    const input = await openInput({ file: '-', format, maxContracts: 100, stdin });
    const heldBytes: number[] = [];
    let expected = 0;
    for await (const { records } of input.records()) {
      for (const { id } of records) {
        if (String(id) !== String(expected)) throw new Error(`${String(id)} in place of ${expected}`);
        expected += 1;
      }
      if (expected % 2_000 !== 0) continue;
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      heldBytes.push(heapUsed + external);
    }
    expect(expected).toBe(LINES);
    const [first = 0, ...later] = heldBytes;
    expect(later).toHaveLength(9);
    expect(Math.max(...later) - first).toBeLessThan(MAX_GROWTH_BYTES);
  },
  TIME_LIMIT_MS,
);
