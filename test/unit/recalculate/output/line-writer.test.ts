import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gzipSink, type ByteSink } from '../../../../scripts/recalculate/output/line-writer.ts';
import { createLineWriter } from '../../../../scripts/recalculate/output/line-writer.ts';

function memorySink(onWrite: () => Promise<void> = () => Promise.resolve()) {
  const pieces: Buffer[] = [];
  const all = () => Buffer.concat(pieces);
  const sink: ByteSink = {
    write: async (bytes) => {
      pieces.push(Buffer.from(bytes));
      await onWrite();
    },
    sync: () => Promise.resolve(all().length),
  };
  return { sink, pieces, all };
}

const MIB = 1_024 * 1_024;

it('writes lines in order and in large blocks, with characters of any length', async () => {
  const { sink, pieces, all } = memorySink();
  const writer = createLineWriter(sink);
  const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${'ț€😀x'.repeat(100)}\n`);
  for (const line of lines) await writer.write(line);
  const length = await writer.sync();
  expect(all().toString('utf8')).toBe(lines.join(''));
  expect(length).toBe(all().length);
  expect(pieces.length).toBeLessThan((2 * length) / MIB + 1);
});

it('writes a line that is larger than its buffer', async () => {
  const { sink, all } = memorySink();
  const writer = createLineWriter(sink);
  const lines = ['first\n', `${'é'.repeat(2 * MIB)}\n`, 'last\n'];
  for (const line of lines) await writer.write(line);
  await writer.sync();
  expect(all().toString('utf8')).toBe(lines.join(''));
});

it('applies back-pressure when its buffers are full', async () => {
  const written = Promise.withResolvers<void>();
  const { sink } = memorySink(() => written.promise);
  const writer = createLineWriter(sink);
  const line = `${'x'.repeat(300_000)}\n`;
  let held: Promise<void> | undefined;
  let lines = 0;
  while (held === undefined || (await isSettled(held))) {
    held = writer.write(line);
    lines += 1;
  }
  expect(lines * line.length).toBeLessThan(3 * MIB);
  written.resolve();
  await held;
  await writer.sync();
});

it('rejects the next call and all later ones after a failed write', async () => {
  const { sink } = memorySink(() => Promise.reject(new Error('disk full')));
  const writer = createLineWriter(sink);
  await writer.write('line\n');
  await expect(writer.sync()).rejects.toThrow('disk full');
  await expect(writer.sync()).rejects.toThrow('disk full');
});

it.each([
  ['plain', (sink: ByteSink) => sink],
  ['compressed', gzipSink],
])('rejects all calls after a failed sync of %s lines', async (_, through) => {
  const { sink } = memorySink();
  let syncs = 0;
  const failing = {
    ...sink,
    sync: () => {
      syncs += 1;
      return syncs === 1 ? Promise.reject(new Error('disk full')) : sink.sync();
    },
  };
  const writer = createLineWriter(through(failing));
  await writer.write('line\n');
  await expect(writer.sync()).rejects.toThrow('disk full');
  await expect(writer.sync()).rejects.toThrow('disk full');
});

it('rejects all calls after the last bytes of compressed lines could not be written', async () => {
  let writes = 0;
  const { sink } = memorySink(() => {
    writes += 1;
    return writes === 2 ? Promise.reject(new Error('disk full')) : Promise.resolve();
  });
  const writer = createLineWriter(gzipSink(sink));
  await writer.write('line\n');
  await expect(writer.sync()).rejects.toThrow('disk full');
  await expect(writer.sync()).rejects.toThrow('disk full');
});

it('compresses into a file that may be truncated at every sync', async () => {
  const { sink, all } = memorySink();
  const writer = createLineWriter(gzipSink(sink));
  const cuts: number[] = [];
  for (let member = 0; member < 3; member += 1) {
    for (let line = 0; line < 5_000; line += 1) await writer.write(`${member}-${line} ${'abc'.repeat(50)}\n`);
    cuts.push(await writer.sync());
  }
  expect(await writer.sync()).toBe(cuts.at(-1));
  expect(cuts.map((cut) => gunzipSync(all().subarray(0, cut)).toString().split('\n').length - 1)).toEqual([
    5_000, 10_000, 15_000,
  ]);
});

it('compresses no lines into a file that is gzip too', async () => {
  const { sink, all } = memorySink();
  const writer = createLineWriter(gzipSink(sink));
  const length = await writer.sync();
  expect(gunzipSync(all()).length).toBe(0);
  expect([length, await writer.sync()]).toEqual([all().length, length]);
  await writer.write('line\n');
  await writer.sync();
  expect(gunzipSync(all()).toString()).toBe('line\n');
});

async function isSettled(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol('pending');
  const later = new Promise((resolve) => setImmediate(() => resolve(pending)));
  return (await Promise.race([promise, later])) !== pending;
}
