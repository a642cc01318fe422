import { expect, it } from 'vitest';
import {
  csvHeader,
  csvResult,
  failureLine,
  ndjsonResult,
  type ContractResult,
} from '../../../../scripts/recalculate/output/result-lines.ts';
import { resumeCommand } from '../../../../scripts/recalculate/arguments.ts';
import { sumsOf } from '../../../../shared/portfolio/schedule-sums.ts';
import { renderRepaymentSchedule } from '../../../../shared/contract/schedule/render-schedule.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { schedule } from '../../../support/builders/codec-fixture.ts';

const result = (members: Partial<ContractResult> = {}): ContractResult => ({
  id: 'c-1',
  schedule,
  sums: sumsOf(schedule.rows),
  warnings: undefined,
  comparison: undefined,
  ...members,
});

it('a result is one line of JSON with the unchanged id', () => {
  const numbered = ndjsonResult(result({ id: 42 }));
  expect(numbered).toBe(`{"id":42,"schedule":${renderRepaymentSchedule(schedule)}}\n`);
  const reported = ndjsonResult(result({ id: 'a"\n', warnings: 'code;path' }));
  expect(reported.indexOf('\n')).toBe(reported.length - 1);
  expect(JSON.parse(reported)).toMatchObject({ id: 'a"\n', warnings: 'code;path' });
});

it('a result as CSV has as many cells as the header, with and without a comparison', () => {
  for (const isCompared of [false, true]) {
    const columns = csvHeader(isCompared).trim().split(',');
    expect(csvResult(result(), isCompared).trimEnd().split(',')).toHaveLength(columns.length);
  }
});

it('an id with special characters is quoted in CSV', () => {
  expect(csvResult(result({ id: 'a,"b"' }), false)).toMatch(/^"a,""b""",\d/);
  expect(csvResult(result({ id: '0042' }), false)).toMatch(/^0042,/);
});

const cellOf = (id: string | number) => csvResult(result({ id }), false);

it('an id that a spreadsheet would run as a formula has an apostrophe before it in CSV', () => {
  expect(['=1+1', '+cmd|x', '-2+3', '@A1', '＝1'].map((id) => cellOf(id).startsWith(`'${id},`))).toEqual(
    Array.from({ length: 5 }, () => true),
  );
  expect(cellOf('=A1,"2"')).toMatch(/^"'=A1,""2""",/);
  expect(cellOf('\t=1')).toMatch(/^"'\t=1",/);
  expect(['-5', '+40.5', -5, 'a=1'].map((id) => cellOf(id).startsWith(`${id},`))).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});

it('a failure contains its line, its id if there is one, and the problem', () => {
  const problem = createProblem('invalid-request');
  expect(failureLine(7, undefined, problem)).toBe(`${JSON.stringify({ line: 7, problem })}\n`);
  expect(JSON.parse(failureLine(7, 8, problem))).toMatchObject({ line: 7, id: 8 });
});

it('the command that resumes a run is quoted for a shell and does not overwrite anything', () => {
  expect(resumeCommand(['--input', 'my file.ndjson', '--output', "o'brien.csv", '--overwrite'])).toBe(
    String.raw`npm run recalculate -- --input 'my file.ndjson' --output 'o'\''brien.csv' --resume`,
  );
  expect(resumeCommand(['--input', 'a', '--output', 'b', '--resume'])).toBe(
    'npm run recalculate -- --input a --output b --resume',
  );
});
