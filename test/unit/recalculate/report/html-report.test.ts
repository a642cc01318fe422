import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type HtmlReportRun, renderHtmlReport } from '../../../../scripts/recalculate/report/html-report.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { compareSchedules, readFormerSchedule } from '../../../../shared/portfolio/comparison.ts';
import { sumsOf } from '../../../../shared/portfolio/schedule-sums.ts';
import { countFailure, countSchedule, emptyTally } from '../../../../shared/portfolio/tally.ts';

const MARKUP = `<script>alert("1")</script>&'`;
const RUN: HtmlReportRun = {
  runId: 'run-1',
  outcome: 'complete',
  warning: undefined,
  duplicateIds: undefined,
  reason: undefined,
  resumeWith: undefined,
  read: 2,
  durationSeconds: 61,
  contractsPerSecond: 1_234,
  sessions: 1,
  input: 'folder/loans.ndjson',
  output: 'out.csv',
  failures: 'out.csv.failures.ndjson',
  startedAtMs: Date.UTC(2026, 4, 1, 8),
  endedAtMs: Date.UTC(2026, 4, 1, 8, 1, 1),
  originTimestampMs: Date.UTC(2026, 3, 30),
  calculatedBy: 'kafka',
};

/** A contract whose total is `after` instead of `before` minor units, and one that fails. */
function tallyOf(before: string, after: number, { id = 'c-1', currency = 'EUR' } = {}) {
  const tally = emptyTally();
  const former = readFormerSchedule(
    [{ InstallmentNo: 1, principal: before, interest: 0, totalInstallment: before }],
    2,
  );
  const rows = [
    { InstallmentNo: 1, principal: after, interest: 0, managementFee: 0, totalInstallment: after },
  ];
  const sums = sumsOf(rows);
  const comparison = former === undefined ? 'unreadable' : compareSchedules(former, rows, sums);
  countSchedule(tally, {
    line: 1,
    id,
    currency,
    digits: 2,
    rows: 1,
    sums,
    warnings: [{ code: 'unknown-field', path: `jsonParam.w${id}` }],
    comparison,
  });
  const errors = [{ path: `jsonParam.${id}`, code: 'unknown-field', message: `is ${id}` }];
  countFailure(tally, { line: 2, id, problem: createProblem('invalid-request', { errors }) });
  return tally;
}

const textOf = (page: string): string =>
  page
    .replace(/<style>[^]*<\/style>/, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

it('states what was run, the totals, the changes, the movers and the failures', () => {
  const text = textOf(renderHtmlReport(tallyOf('90.00', 9_500), RUN));
  const parts = [
    'Recalculation of loans.ndjson',
    'complete',
    'Calculated 1 Failed 1 Instalments 1 With ignored fields 1',
    'EUR 1 95.00 0.00 0.00 95.00',
    'jsonParam.wc-1 unknown-field 1',
    'EUR Before 1 90.00 0.00 0.00 90.00',
    'EUR Change 1 +5.00 0.00 0.00 +5.00',
    'Change of the payment',
    '5 % to 10 % higher 1 100.00 %',
    'Change of the total',
    'Largest increases',
    'c-1 1 EUR 90.00 95.00 +5.00 +5.56 %',
    'Failures by code',
    'invalid-request 1',
    'jsonParam.c-1 unknown-field 1',
    'c-1 2 invalid-request jsonParam.c-1 is c-1',
    'Input folder/loans.ndjson',
    'Started 2026-05-01 08:00:00 UTC Ended 2026-05-01 08:01:01 UTC',
    'Duration 1 min 1 s, 1,234 contracts/s',
    'Calculated as of 2026-04-30 00:00:00 UTC',
    'the schedule workers on Kafka',
  ];
  let at = 0;
  for (const part of parts) {
    expect(text.slice(at)).toContain(part);
    at = text.indexOf(part, at) + part.length;
  }
  expect(text).not.toContain('Largest decreases');
});

it('escapes all texts of the input', () => {
  const run = { ...RUN, input: MARKUP, output: MARKUP, failures: MARKUP, reason: MARKUP, resumeWith: MARKUP };
  const page = renderHtmlReport(tallyOf('90.00', 9_500, { id: MARKUP, currency: '<b>' }), {
    ...run,
    outcome: 'aborted',
  });
  expect(page).not.toMatch(/<script|<b>/);
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;');
});

it('permits its own styles only, and refers to nothing outside', () => {
  const page = renderHtmlReport(tallyOf('90.00', 9_500), RUN);
  const styles = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(styles).digest('base64');
  expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
  expect(page).not.toMatch(/https?:|url\(|@import|\ssrc=|\shref=|\sstyle=|\son\w+=/);
});

it('writes amounts of any size exactly', () => {
  const text = textOf(renderHtmlReport(tallyOf('90071992547409.90', 9_007_199_254_740_991), RUN));
  expect(text).toContain('EUR 1 90,071,992,547,409.91');
  expect(text).toContain('+0.01');
});

it('says why an aborted run ended, and how to continue it', () => {
  const end = {
    outcome: 'aborted',
    reason: 'SIGINT',
    resumeWith: 'npm run recalculate -- --resume',
  } as const;
  const text = textOf(renderHtmlReport(emptyTally(), { ...RUN, ...end }));
  expect(text).toContain('not complete');
  expect(text).toContain('The run was aborted: SIGINT.');
  expect(text).toContain('npm run recalculate -- --resume');
  expect(text).toContain('No contract has a previous schedule');
});

it('warns of an empty input and of previous schedules that cannot be read', () => {
  expect(textOf(renderHtmlReport(emptyTally(), { ...RUN, warning: 'nothing was read' }))).toContain(
    'Warning: nothing was read.',
  );
  const text = textOf(renderHtmlReport(tallyOf('much', 9_500), RUN));
  expect(text).toContain('of 1 contracts cannot be read, so these are not compared. First lines: 1.');
  expect(text).not.toContain('Change of the payment');
});
