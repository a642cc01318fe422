import { expect, it } from 'vitest';
import { compareSchedules, readFormerSchedule, sumsOf } from '../../../../shared/portfolio/comparison.ts';
import { createReport, reportLines } from '../../../../scripts/recalculate/run-report.ts';
import { createProblem, type ErrorCode } from '../../../../shared/platform/problem.ts';
import {
  countFailure,
  countSchedule,
  emptyTally,
  type CountedSchedule,
  type Tally,
} from '../../../../shared/portfolio/tally.ts';

const END = { runId: 'run-1', outcome: 'complete', elapsedMs: 2_000, sessions: 1, withMovers: true } as const;

const counted = (
  line: number,
  totalMinor: number,
  extra: Partial<CountedSchedule> = {},
): CountedSchedule => ({
  line,
  id: `c-${line}`,
  currency: 'EUR',
  digits: 2,
  rows: 1,
  sums: sumsOf([{ principal: totalMinor - 5, interest: 3, managementFee: 2, totalInstallment: totalMinor }]),
  warnings: [],
  comparison: 'none',
  ...extra,
});

const failure = (code: ErrorCode) => ({ line: 8, id: 'f', problem: createProblem(code) });

const row = (minor: number) => ({
  InstallmentNo: 1,
  principal: minor,
  interest: 0,
  managementFee: 0,
  totalInstallment: minor,
});

function moved(line: number, beforeMinor: number, afterMinor: number): CountedSchedule {
  const text = String(beforeMinor);
  const before = { InstallmentNo: 1, principal: text, interest: 0, totalInstallment: text };
  const former = readFormerSchedule([before], 0)!;
  const rows = [row(afterMinor)];
  const sums = sumsOf(rows);
  return counted(line, afterMinor, { sums, digits: 0, comparison: compareSchedules(former, rows, sums) });
}

function tallyOf(...schedules: CountedSchedule[]): Tally {
  const tally = emptyTally();
  for (const schedule of schedules) countSchedule(tally, schedule);
  return tally;
}

it('adds amounts of any size exactly by currency and digits', () => {
  const huge = Number.MAX_SAFE_INTEGER;
  const others = [counted(3, 100, { currency: 'JPY', digits: 0 }), counted(4, 7, { currency: null })];
  const { totals } = createReport(tallyOf(counted(1, huge), counted(2, huge), ...others), END);
  expect(totals.map(({ currency, total, fees, contracts }) => [currency, total, fees, contracts])).toEqual([
    [null, '0.07', '0.02', 1],
    ['EUR', '180143985094819.82', '0.04', 2],
    ['JPY', '100', '2', 1],
  ]);
});

it('counts all lines, and failures by code with the most frequent first', () => {
  const tally = tallyOf(counted(1, 100, { warnings: [{ code: 'unknown-field', path: 'jsonParam.X' }] }));
  for (const code of ['not-computable', 'invalid-request', 'invalid-request'] as const)
    countFailure(tally, failure(code));
  const report = createReport(tally, END);
  expect(report).toMatchObject({ read: 4, calculated: 1, failed: 3, withWarnings: 1, contractsPerSecond: 2 });
  expect(Object.entries(report.failuresByCode)).toEqual([
    ['invalid-request', 2],
    ['not-computable', 1],
  ]);
});

it('lists the first ten lines with an invalid previous schedule', () => {
  const broken = Array.from({ length: 12 }, (_, index) =>
    counted(index + 5, 100, { digits: 0, comparison: 'unreadable' }),
  );
  const few = createReport(tallyOf(moved(1, 100, 80), ...broken.slice(0, 2)), END);
  expect(few.unreadableFormerLines).toEqual([5, 6]);
  const line = '  compared      1, 1 changed, 2 previous schedules unreadable (line 5, 6)';
  expect(reportLines(few)).toContain(line);
  const many = reportLines(createReport(tallyOf(...broken), END)).join('\n');
  expect(many).toContain('12 previous schedules unreadable (line 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, ...)');
  expect(createReport(tallyOf(moved(1, 100, 80)), END).unreadableFormerLines).toBeUndefined();
});

it('reports with --compare that there was no previous schedule', () => {
  const tally = tallyOf(counted(1, 100));
  const text = 'no line has a previous schedule';
  expect(reportLines(createReport(tally, { ...END, withMovers: true })).join('\n')).toContain(text);
  expect(reportLines(createReport(tally, { ...END, withMovers: false })).join('\n')).not.toContain(text);
});

it('orders changes by their amounts, not by their minor units', () => {
  const tally = tallyOf(moved(1, 1_000, 1_005), { ...moved(2, 1_000, 1_400), digits: 2, currency: 'RON' });
  expect(tally.rises.map(({ line }) => line)).toEqual([1, 2]);
});

it('renders text with grouped thousands and the command that resumes the run', () => {
  const tally = tallyOf(counted(1, 123_456_789), moved(2, 100, 80));
  countFailure(tally, failure('invalid-request'));
  const end = { ...END, outcome: 'aborted', reason: 'SIGINT', resumeWith: 'again --resume' } as const;
  expect(reportLines(createReport(tally, end))).toEqual([
    'run run-1: aborted, SIGINT',
    '  read          3',
    '  calculated    2  (2 installments)',
    '  failed        1  (invalid-request 1)',
    '  EUR, 1 contracts: principal 80, interest 0, fees 0, total 80',
    '    1 with a previous schedule, before: principal 100, interest 0, fees 0, total 100',
    '    1 with a previous schedule, after:  principal 80, interest 0, fees 0, total 80',
    '    1 with a previous schedule, change: principal -20, interest 0, fees 0, total -20',
    '  EUR, 1 contracts: principal 1 234 567.84, interest 0.03, fees 0.02, total 1 234 567.89',
    '  compared      1, 1 changed',
    '  largest change: c-2 (line 2) 100 -> 80, -20 EUR',
    '  took          2.0 s, 2 contracts/s',
    'resume with: again --resume',
  ]);
});

it('warns of an empty input', () => {
  const report = createReport(emptyTally(), END);
  expect(report.warning).toBe('the input did not contain a contract');
  expect(reportLines(report)).toContain('  warning: the input did not contain a contract');
  expect(createReport(emptyTally(), { ...END, outcome: 'aborted' }).warning).toBeUndefined();
  expect(createReport(tallyOf(counted(1, 100)), END).warning).toBeUndefined();
});
