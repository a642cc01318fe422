import { gunzipSync, gzipSync } from 'node:zlib';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contractLine } from '../../support/builders/portfolio-lines.ts';
import { repricedPortfolio } from '../../support/builders/repriced-portfolio.ts';
import {
  linesOf,
  portfolio,
  portfolioFolder,
  reportOf,
  recalculateHere,
  textOf,
} from '../../support/worlds/recalculate-process.ts';

const CONTRACTS = 1_000;

it('calculates every contract of a portfolio once and in order, and reports the totals', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(CONTRACTS));
  const options = `--input ${input} --output ${files.at('out.ndjson')} --json`;
  const { code, stdout } = await recalculateHere(options.split(' '));
  expect(code).toBe(0);
  const results = files.lines('out.ndjson');
  const ids = results.map((line) => (JSON.parse(line) as { id: string }).id);
  expect(ids).toEqual(Array.from({ length: CONTRACTS }, (_, index) => `c-${index + 1}`));
  expect(files.text('out.ndjson.failures.ndjson')).toBe('');
  expect(existsSync(files.at('out.ndjson.checkpoint'))).toBe(false);
  const principal = results.reduce((sum, line) => sum + Math.round(principalOf(line) * 100), 0);
  const amounts = CONTRACTS * 1_000 + (CONTRACTS * (CONTRACTS - 1)) / 2;
  expect(principal).toBe(amounts * 100);
  const report = reportOf(stdout);
  const totals = [{ currency: null, contracts: CONTRACTS, principal: `${amounts}.00` }];
  const counts = { read: CONTRACTS, calculated: CONTRACTS, failed: 0, sessions: 1 };
  expect(report).toMatchObject({ outcome: 'complete', ...counts, totals });
  expect(report.installments).toBe(results.reduce((sum, line) => sum + rowsOf(line).length, 0));
});

const rowsOf = (line: string) => (JSON.parse(line) as { schedule: { Principal: number }[] }).schedule;
const principalOf = (line: string) => rowsOf(line).reduce((sum, { Principal }) => sum + Principal, 0);

it('returns the same schedules for CSV, compressed or not, and writes CSV and gzip', async () => {
  const files = portfolioFolder();
  const count = 500;
  const csv = linesOf(portfolio(count)).map((line) => {
    const { id, jsonParam } = JSON.parse(line) as { id: string; jsonParam: object };
    return [id, ...Object.values(jsonParam)].join(',');
  });
  const { jsonParam } = JSON.parse(contractLine('x')) as { jsonParam: object };
  const header = ['id', ...Object.keys(jsonParam)].join(',');
  const packed = files.write('in.csv.gz', gzipSync([header, ...csv, ''].join('\n')));
  const plain = files.write('in.ndjson', portfolio(count));
  const runs = await Promise.all([
    recalculateHere(['--input', packed, '--output', files.at('a.ndjson.gz')]),
    recalculateHere(['--input', plain, '--output', files.at('b.ndjson')]),
    recalculateHere(['--input', plain, '--output', files.at('c.csv')]),
  ]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(gunzipSync(files.bytes('a.ndjson.gz')).toString()).toBe(files.text('b.ndjson'));
  const [columns, first, ...others] = files.lines('c.csv');
  const dates = 'id,installments,firstDueDate,lastDueDate';
  expect(columns).toBe(`${dates},firstInstallment,principal,interest,fees,total,dae,eir`);
  const row = /^c-1,3,2024-02-15,2024-04-15,\d+\.\d\d,1000\.00,\d+\.\d\d,0\.00,\d+\.\d\d,,\d+\.\d{4}$/;
  expect(first).toMatch(row);
  expect(others).toHaveLength(count - 1);
});

it('writes each failed line, with its number and problem, to a file and exits with code 1', async () => {
  const files = portfolioFolder();
  const faulty = {
    3: '{broken',
    7: contractLine('no-amount', { Amount: 'much' }),
    9: '',
    20: contractLine('type', { ScheduleType: 'NoSuchType' }),
    40: '{"id": "no-param"}',
  };
  const input = files.write('in.ndjson', portfolio(40, faulty));
  const options = `--input ${input} --output ${files.at('out.ndjson')} --batch 7`;
  const { code, stderr } = await recalculateHere(options.split(' '));
  expect(code).toBe(1);
  expect(files.lines('out.ndjson')).toHaveLength(35);
  const failures = files.lines('out.ndjson.failures.ndjson').map((line) => JSON.parse(line) as unknown);
  expect(failures).toMatchObject([
    { line: 3, problem: { code: 'malformed-json' } },
    { line: 7, id: 'no-amount', problem: { status: 400, errors: [{ path: 'jsonParam.Amount' }] } },
    { line: 20, id: 'type', problem: { errors: [{ path: 'jsonParam.ScheduleType' }] } },
    { line: 40, id: 'no-param', problem: { errors: [{ path: 'jsonParam' }] } },
  ]);
  expect(stderr).toMatch(/failed +4 /);
});

it('writes only the report with --summary, and with --html the same figures as a page', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', repricedPortfolio(300));
  const html = files.at('report.html');
  const options = ['--input', input, '--summary', '--compare', '--json', '--html', html];
  const { code, stdout } = await recalculateHere(options);
  const report = reportOf(stdout);
  expect(code).toBe(1);
  expect(report).toMatchObject({ read: 300, calculated: 294, failuresByCode: { 'not-computable': 6 } });
  const text = textOf(files.text('report.html')).replaceAll(',', '');
  for (const { currency, contracts, principal, interest, fees, total, compared } of report.totals) {
    expect(text).toContain(`${currency} ${contracts} ${principal} ${interest} ${fees} ${total}`);
    const { principal: was, interest: had, fees: cost, total: sum } = compared!.before;
    expect(text).toContain(`Before ${compared?.contracts} ${was} ${had} ${cost} ${sum}`);
  }
  expect(report.largestMovers?.length).toBeGreaterThan(5);
  for (const { id, line, before, after } of report.largestMovers ?? []) {
    expect(text).toMatch(new RegExp(`${id} ${line} (EUR|RON) ${before} ${after} `));
  }
});

it('reports an empty portfolio as a run without contracts, and the ignored fields of a request with its result', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', '\n\n');
  const empty = await recalculateHere(['--input', input, '--output', files.at('out.csv'), '--json']);
  expect([empty.code, reportOf(empty.stdout).read]).toEqual([0, 0]);
  expect(files.lines('out.csv')).toHaveLength(1);
  files.write('in.ndjson', `${contractLine('c-1', { NoSuchMember: 1 })}\n`);
  const warned = await recalculateHere(['--input', input, '--output', files.at('out.ndjson')]);
  const [result = ''] = files.lines('out.ndjson');
  expect((JSON.parse(result) as { warnings?: string }).warnings).toMatch(/jsonParam\.NoSuchMember/);
  expect(warned.stderr).toMatch(/with warnings 1/);
});

it('compares with an earlier file of results and lists the largest changes', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', portfolio(60));
  await recalculateHere(['--input', input, '--output', files.at('old.ndjson')]);
  const former = files.lines('old.ndjson').map(rowsOf);
  const withFormer = linesOf(portfolio(60)).map((line, index) => {
    const contract = JSON.parse(line) as { jsonParam: { Amount: number }; schedule?: unknown };
    contract.schedule = index === 50 ? 'lost' : former[index];
    if (index === 10) contract.jsonParam.Amount += 100;
    if (index === 20) contract.jsonParam.Amount -= 300;
    return JSON.stringify(contract);
  });
  const changed = files.write('changed.ndjson', `${withFormer.join('\n')}\n`);
  const options = `--input ${changed} --output ${files.at('new.ndjson')} --compare --json`;
  const { code, stdout } = await recalculateHere(options.split(' '));
  expect(code).toBe(0);
  const report = reportOf(stdout);
  expect(report.former).toEqual({ compared: 59, changed: 2, unreadable: 1 });
  expect(report.largestMovers?.map(({ id }) => id)).toEqual(['c-21', 'c-11']);
  expect(report.totals[0]?.compared?.difference.principal).toBe('-200.00');
  const results = files.lines('new.ndjson').map((line) => JSON.parse(line) as Compared);
  expect(results[0]?.comparison?.difference).toEqual({ principal: 0, interest: 0, fees: 0, total: 0 });
  expect(results[10]?.comparison?.difference.principal).toBe(100);
  expect(results[10]?.comparison?.installments).toHaveLength(3);
  expect(results[50]?.comparison).toBeUndefined();
});

interface Compared {
  readonly comparison?: {
    readonly installments: readonly object[];
    readonly difference: { readonly principal: number };
  };
}

it('treats all requests as sent on the day of --as-of', async () => {
  const files = portfolioFolder();
  const input = files.write('in.ndjson', `${contractLine('c-1', { ActivationDate: undefined })}\n`);
  const asOf = (day: string) =>
    recalculateHere(['--input', input, '--output', files.at('out.csv'), '--as-of', day]);
  for (const day of ['1999-12-31', '2999-01-01']) {
    const { code, stderr } = await asOf(day);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--as-of must be a day from 2000-01-01')]);
  }
  expect((await asOf('2021-03-04')).code).toBe(0);
  expect(files.lines('out.csv')[1]).toContain('c-1,12,2021-04-15,');
});

it('reads an export of a spreadsheet: its notation, a column that is left out, and ids that occur again', async () => {
  const files = portfolioFolder();
  const lines = [
    '\uFEFFid;ScheduleType;Amount;InstallmentsNo;PeriodicityType;InstallmentDay;InterestPercent;ActivationDate;Observații;',
    '=1+1;EqualInstallments;1.000;12;Monthly;15;7;24.06.2026;restanță;',
    'c-1;EqualInstallments;214.011;12;Monthly;15;7;24.06.2026;;',
    'c-1;EqualInstallments;2.000;12;Monthly;15;7,25;24.06.2026;;',
    ';;;;;;;;;',
  ];
  const input = files.write('in.csv.gz', gzipSync(lines.join('\r\n')));
  const options = `--input ${input} --output ${files.at('out.csv')} --ignore observații --decimal comma`;
  const { code, stderr } = await recalculateHere(options.split(' '));
  expect(code).toBe(0);
  expect(stderr).toContain('duplicate ids 1: c-1 (lines 3 and 4)');
  const cells = files.lines('out.csv').map((line) => line.split(','));
  const idsAndAmounts = cells.slice(1).map((line) => `${line[0]}: ${line[5]}`);
  expect(idsAndAmounts).toEqual(["'=1+1: 1000.00", 'c-1: 214011.00', 'c-1: 2000.00']);
});
