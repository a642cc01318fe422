import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { createProblem, type Fault } from '../../../shared/platform/problem.ts';
import { countDirections } from '../../../shared/portfolio/change-distribution.ts';
import { compareSchedules, readFormerSchedule, sumsOf } from '../../../shared/portfolio/comparison.ts';
import {
  countFailure,
  countSchedule,
  emptyTally,
  largestMovers,
  type Tally,
} from '../../../shared/portfolio/tally.ts';

const rowsOf = (amounts: readonly number[]) =>
  amounts.map((principal, index) => {
    const charges = { interest: 0, managementFee: 0, totalInstallment: principal };
    return { InstallmentNo: index + 1, principal, ...charges };
  });

const WARNINGS = [0, 1].map((at) => ({ code: 'unknown-field', path: `jsonParam.Insurance[${at}].Nme` }));

/** Counts a contract whose payments were `before` and are `after`, in whole units. */
function count(tally: Tally, line: number, before: readonly number[], after: readonly number[]): void {
  const former = readFormerSchedule(rowsOf(before), 0)!;
  const rows = rowsOf(after);
  const sums = sumsOf(rows);
  const comparison = compareSchedules(former, rows, sums);
  const common = { line, id: `c-${line}`, currency: 'EUR', digits: 0, warnings: WARNINGS };
  countSchedule(tally, { ...common, rows: rows.length, sums, comparison });
}

function fail(tally: Tally, line: number, ...errors: readonly Fault[]): void {
  countFailure(tally, { line, id: `f-${line}`, problem: createProblem('invalid-request', { errors }) });
}

const fault = (path: string, code = 'missing'): Fault => ({ path, code, message: 'must be present' });

describe('the changes of a tally', () => {
  it('count the payment by the instalment that changes most of those that both schedules have', () => {
    const tally = emptyTally();
    count(tally, 1, [100, 100, 99], [102, 102, 95]);
    count(tally, 2, [100, 100], [90, 90, 30]);
    count(tally, 3, [100], [100]);
    expect(countDirections(tally.paymentChanges)).toEqual({ lower: 2, unchanged: 1, higher: 0 });
    expect(countDirections(tally.totalChanges)).toEqual({ lower: 0, unchanged: 2, higher: 1 });
    expect([tally.compared, tally.changed, tally.otherLength]).toEqual([3, 2, 1]);
    const ignored = { path: 'jsonParam.Insurance[].Nme', code: 'unknown-field', count: 3 };
    expect([tally.warned, ...tally.ignoredFields.fields.values()]).toEqual([3, ignored]);
  });

  it('keep the ten largest rises and falls each, whatever the order in which contracts are counted', () => {
    const changes = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 1 : -1) * (1 + (index % 7)));
    const lines = changes.map((change, index) => ({ line: index + 1, change }));
    const inOrder = emptyTally();
    const reversed = emptyTally();
    for (const { line, change } of lines) count(inOrder, line, [100], [100 + change]);
    for (const { line, change } of lines.toReversed()) count(reversed, line, [100], [100 + change]);
    const sorted = (sign: number) =>
      lines
        .filter(({ change }) => change * sign > 0)
        .toSorted((one, other) => Math.abs(other.change) - Math.abs(one.change) || one.line - other.line)
        .slice(0, 10)
        .map(({ line }) => line);
    expect(inOrder.rises.map(({ line }) => line)).toEqual(sorted(1));
    expect(inOrder.falls.map(({ line }) => line)).toEqual(sorted(-1));
    expect(reversed).toEqual(inOrder);
    expect(largestMovers(inOrder, 4).map(({ line }) => line)).toEqual([7, 14, 21, 28]);
  });
});

describe('the failures of a tally', () => {
  it('are counted once by code and by field, whichever item of a list is at fault', () => {
    const tally = emptyTally();
    fail(tally, 1, fault('jsonParam.Commission[0].Name'), fault('jsonParam.Commission[11].Name'));
    fail(tally, 2, fault('jsonParam.Commission[3].Name'), fault('jsonParam.Amount', 'out-of-range'));
    const problem = createProblem('malformed-json', { detail: 'No JSON.' });
    countFailure(tally, { line: 3, id: undefined, problem });
    const codes = { 'invalid-request': 2, 'malformed-json': 1 };
    expect([...tally.failuresByCode]).toEqual(Object.entries(codes));
    expect([...tally.failedFields.fields.values()]).toEqual([
      { path: 'jsonParam.Commission[].Name', code: 'missing', count: 2 },
      { path: 'jsonParam.Amount', code: 'out-of-range', count: 1 },
    ]);
    expect(tally.firstFailures.map(({ line, id, reason }) => `${line} ${id}: ${reason}`)).toEqual([
      '1 f-1: jsonParam.Commission[0].Name must be present; jsonParam.Commission[11].Name must be present',
      '2 f-2: jsonParam.Commission[3].Name must be present; jsonParam.Amount must be present',
      '3 undefined: No JSON.',
    ]);
  });

  it('take bounded memory, whatever the input names', () => {
    const tally = emptyTally();
    const lines = Array.from({ length: 500 }, (_, index) => index + 1);
    for (const line of lines.toReversed())
      fail(tally, line, fault(`jsonParam.${'x'.repeat(5_000)}${line}`), fault(`f${line}`));
    expect(tally.firstFailures.map(({ line }) => line)).toEqual(lines.slice(0, 20));
    expect(tally.firstFailures.every(({ reason }) => reason.length <= 400)).toBe(true);
    expect(tally.failedFields.fields.size).toBe(50);
    expect(tally.failedFields.others).toBeGreaterThan(400);
    expect(serialize(tally).length).toBeLessThan(60_000);
  });
});
