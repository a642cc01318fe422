import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { compareRecords, writeRecord } from '../../../scripts/bench/recorded-ratios.ts';

const RUN = { node: 'v24.0.0', loadAverage: 1 };

function scratch(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, name);
}

interface Rounds {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

function verdict(aim: string, { before, after }: Rounds): string | undefined {
  const [then, now] = [scratch('then.json'), scratch('now.json')];
  writeRecord(then, [{ name: 'cost', aim, rounds: before }], RUN);
  writeRecord(now, [{ name: 'cost', aim, rounds: after }], RUN);
  return /^\| cost .*\| +(.+?) \|$/m.exec(compareRecords(then, now))?.[1];
}

it.each<[string, string, Rounds, string]>([
  ['a cost whose every round rose', 'less', { before: [1, 1.1, 1.2], after: [1.3, 1.4, 1.5] }, 'worse'],
  ['a cost whose every round fell', '<= 1', { before: [1.3, 1.4, 1.5], after: [1, 1.1, 1.2] }, 'better'],
  ['a rate whose every round fell', '>= 1', { before: [1.3, 1.4, 1.5], after: [1, 1.1, 1.2] }, 'worse'],
  ['rounds that overlap', 'less', { before: [1, 1.1, 1.4], after: [1.2, 1.5, 1.6] }, 'within the noise'],
  [
    'medians that differ by 4 %',
    'less',
    { before: [1, 1, 1], after: [1.04, 1.04, 1.04] },
    'within the noise',
  ],
  ['two rounds', 'less', { before: [1, 1], after: [2, 2] }, 'not judged'],
])('a comparison judges %s', (_case, aim, rounds, expected) => {
  expect(verdict(aim, rounds)).toBe(expected);
});

it('a comparison names the file that is not a record', () => {
  const file = scratch('other.json');
  writeFileSync(file, '{}');
  expect(() => compareRecords(file, file)).toThrow(`${file} is not a record of the benchmark`);
});
