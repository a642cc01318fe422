import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type BenchRecord,
  compareRecords,
  comparisonText,
  newestRecord,
  readRecord,
  recordOf,
  type Verdict,
  writeRecord,
} from '../../../scripts/bench/history.ts';
import { atLeast, atMost, overRounds, type Ratio, toKnow } from '../../../scripts/bench/rounds.ts';

const RUN = { node: 'v24.21.0', busyProcesses: 0, loadAverage: 1.5 };
const recorded = (...ratios: readonly Ratio[]): BenchRecord => recordOf(ratios, RUN);

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'bench-records-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** The verdict on a throughput whose aim is at least 1. */
function verdict(before: readonly number[], after: readonly number[]): Verdict | undefined {
  const [then, now] = [before, after].map((rounds) => recorded(atLeast('rate', overRounds(rounds), 1)));
  return then && now && compareRecords(then, now)[0]?.verdict;
}

/** The verdict on a ratio that has doubled. */
const doubled = (make: (rounds: readonly number[]) => Ratio): Verdict | undefined =>
  compareRecords(recorded(make([1, 1, 1])), recorded(make([2, 2, 2])))[0]?.verdict;
const ratio = (name: string): Ratio => atLeast(name, overRounds([1, 1, 1]), 1);

describe('the comparison of two records', () => {
  test('reports a change only if no round of one run lies within the range of the other', () => {
    expect(verdict([1.0, 1.2, 1.4], [0.6, 0.8, 0.9])).toBe('worse');
    expect(verdict([1.0, 1.2, 1.4], [1.5, 1.6, 1.7])).toBe('better');
    expect(verdict([1.0, 1.2, 1.4], [0.6, 0.8, 1.1])).toBe('within the noise');
  });

  test('ignores a change of at most 5 % however little the rounds differ', () => {
    expect(verdict([1.0, 1.0, 1.0], [0.96, 0.96, 0.96])).toBe('within the noise');
    expect(verdict([1.0, 1.0, 1.0], [0.94, 0.94, 0.94])).toBe('worse');
  });

  test('does not judge ratios of fewer than three rounds or without rounds', () => {
    expect(verdict([1, 1], [0.5, 0.5])).toBe('not judged');
    const [before, after] = [1, 9].map((value) => recorded(atMost('seconds', { value }, 5)));
    expect(before && after && compareRecords(before, after)).toEqual([
      { name: 'seconds', before: 1, after: 9, verdict: 'not judged' },
    ]);
  });

  test('takes the direction of a ratio from its aim', () => {
    expect(doubled((rounds) => atMost('x', overRounds(rounds), 5))).toBe('worse');
    expect(doubled((rounds) => atLeast('x', overRounds(rounds), 5))).toBe('better');
    expect(doubled((rounds) => toKnow('x', overRounds(rounds), 'less'))).toBe('worse');
    expect(doubled((rounds) => toKnow('x', overRounds(rounds), 'more'))).toBe('better');
    expect(doubled((rounds) => toKnow('x', overRounds(rounds)))).toBe('changed');
  });

  test('leaves out ratios that only one of the records has', () => {
    const changes = compareRecords(recorded(ratio('a'), ratio('b')), recorded(ratio('b'), ratio('c')));
    expect(changes.map(({ name }) => name)).toEqual(['b']);
  });

  test('ends with the number of regressions', () => {
    const [before, after] = [1, 0.5].map((value) =>
      recorded(atLeast('rate', overRounds([value, value, value]), 1)),
    );
    const text = before && after && comparisonText(before, after);
    expect(text).toContain('-50 %');
    expect(text).toMatch(/1 ratios compared, 1 worse, 0 not judged\n$/);
  });
});

describe('the record of a run', () => {
  test('has the median and the range of the rounds, and survives the file', () => {
    const file = path.join(folder(), 'new', 'record.json');
    const record = recorded(
      atLeast('rate', overRounds([3, 1, 2]), 1),
      toKnow('never measured', { value: NaN }),
    );
    writeRecord(file, record);
    expect(readRecord(file)).toEqual({
      ...RUN,
      ratios: { rate: { value: 2, aim: '>= 1', rounds: 3, lowest: 1, highest: 3 } },
    });
  });

  test('is the newest of a folder by its name', () => {
    const place = folder();
    for (const name of ['2026-01-01T10.json', '2026-01-02T09.json', 'ci.json']) {
      writeFileSync(path.join(place, name), '{}');
    }
    expect(newestRecord(place)).toBe(path.join(place, '2026-01-02T09.json'));
    expect(() => newestRecord(folder())).toThrow('there is no record in');
  });

  test('is refused with the name of its file if it has no ratios', () => {
    const file = path.join(folder(), 'other.json');
    writeFileSync(file, '{"node": "v24"}');
    expect(() => readRecord(file)).toThrow(`${file} is not a record of the benchmark`);
  });
});
