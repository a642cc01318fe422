import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { createLineWriter } from '../../../scripts/recalculate/run-files.ts';
import { portfolioFolder } from '../../support/worlds/recalculate-process.ts';

async function writerOf(name: string, isCompressed = false) {
  const handle = await open(name, 'w');
  onTestFinished(() => handle.close());
  return createLineWriter({ handle, name, from: 0, isCompressed });
}

it('writes lines of any length and characters in order', async () => {
  const files = portfolioFolder();
  const writer = await writerOf(files.at('out'));
  const lines = Array.from({ length: 300 }, (_, index) => `${index} ${'ț€😀x'.repeat(index * 10)}\n`);
  for (const line of [...lines, `${'é'.repeat(2_000_000)}\n`]) await writer.write(line);
  expect(await writer.sync()).toBe(files.bytes('out').length);
  expect(files.text('out')).toBe(`${lines.join('')}${'é'.repeat(2_000_000)}\n`);
});

it('compresses into a file that may be truncated at every sync, and into one that is gzip without lines', async () => {
  const files = portfolioFolder();
  const writer = await writerOf(files.at('out.gz'), true);
  const cuts = [await writer.sync()];
  for (const part of [1, 2]) {
    for (let line = 0; line < 20_000; line += 1) await writer.write(`${part}-${line} ${'abc'.repeat(50)}\n`);
    cuts.push(await writer.sync());
  }
  expect(await writer.sync()).toBe(cuts.at(-1));
  const countLines = (cut: number) =>
    gunzipSync(files.bytes('out.gz').subarray(0, cut)).toString().split('\n').length - 1;
  expect(cuts.map(countLines)).toEqual([0, 20_000, 40_000]);
});

it.runIf(existsSync('/dev/full'))(
  'rejects the next call and all later ones after a failed write',
  async () => {
    const writer = await writerOf('/dev/full');
    await writer.write('line\n');
    for (let call = 0; call < 2; call += 1)
      await expect(writer.sync()).rejects.toThrow(/\/dev\/full cannot be written: .*ENOSPC/);
  },
);
