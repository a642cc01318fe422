import { expect, it } from 'vitest';
import { EngineError } from '../../../../workers/ingress/workbench/app/engine-error.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { MAX_LINE_BYTES } from '../../../../shared/portfolio/csv-columns.ts';
import { scheduleFormFields } from '../../../../workers/ingress/workbench/schedule-form-fields.ts';
import {
  createPortfolioRun,
  failuresToCsv,
  resultsToCsv,
  WINDOW,
} from '../../../../workers/ingress/workbench/app/portfolio/portfolio-run.ts';
import {
  FileError,
  MAX_CONTRACTS,
  readContracts,
} from '../../../../workers/ingress/workbench/app/portfolio/read-contracts.ts';

const never = new AbortController().signal;

const FIELDS = scheduleFormFields();
const read = (name: string, text: string) => readContracts(name, new TextEncoder().encode(text), FIELDS);

const faultsOf = (name: string, text: string) =>
  read(name, text).unreadable.map(({ line, id, problem }) => {
    const fault = problem.errors?.[0];
    return [line, id, problem.code, `${fault?.path} ${fault?.message}`];
  });

/** Why a CSV is refused; undefined if it can be read. */
const refusalOf = (head: string, rows: readonly string[]) => {
  try {
    read('a.csv', [head, ...rows].join('\r\n'));
  } catch (error) {
    if (error instanceof FileError) return error.fault;
    throw error;
  }
  return undefined;
};

const columnFaults = (head: string) => {
  const fault = refusalOf(head, ['']);
  return fault?.kind === 'columns' ? fault.faults : (fault ?? []);
};

function failureCsv(id: string | number): string {
  return failuresToCsv([{ line: 1, id, problem: { ...createProblem('unexpected'), detail: String(id) } }]);
}

it('reads NDJSON with blank lines, numeric ids and previous schedules', () => {
  const text =
    '\uFEFF{"id":7,"jsonParam":{"Amount":1.50}}\r\n\r\n{"id":"b","jsonParam":{},"schedule":[{"Principal":1}],"note":1}\n';
  expect(read('a.ndjson', text)).toEqual({
    contracts: [
      { line: 1, id: 7, jsonParam: { Amount: 1.5 }, schedule: undefined, ignored: [] },
      { line: 3, id: 'b', jsonParam: {}, schedule: [{ Principal: 1 }], ignored: ['note'] },
    ],
    unreadable: [],
    duplicates: { count: 0, listed: [] },
  });
});

it('reports each line that is not a contract, with the codes of the command', () => {
  const lines = [
    '[]',
    '{"jsonParam":{}}',
    '{"id":"x"}',
    '{"id":"","jsonParam":{}}',
    '{',
    '{"id":1.5}',
    '{"id":7,"id":8}',
  ];
  const id = 'must be text of 1 to 200 characters or a whole number';
  expect(read('a.ndjson', lines.join('\n')).contracts).toEqual([]);
  expect(faultsOf('a.ndjson', lines.join('\n'))).toEqual([
    [1, undefined, 'invalid-request', 'line must be an object with the members id and jsonParam'],
    [2, undefined, 'invalid-request', `id is missing; ${id}`],
    [3, 'x', 'invalid-request', 'jsonParam must be an object'],
    [4, undefined, 'invalid-request', `id must not be empty; it ${id}`],
    [5, undefined, 'malformed-json', 'line is not valid JSON (at character 1)'],
    [
      6,
      undefined,
      'invalid-request',
      'id must be text or a whole number of at most 9007199254740991 in absolute value',
    ],
    [7, undefined, 'invalid-request', 'id is repeated; each member of an object must be sent once'],
  ]);
});

it.each([',', ';', '\t'])('reads CSV separated by %j, with absent fields', (separator) => {
  const text = [
    ['id', 'Amount', 'ScheduleType', 'MaturityDate'].join(separator),
    ['c-1', '1000.5', 'EqualInstallments', ''].join(separator),
  ].join('\r\n');
  expect(read('a.CSV', text).contracts).toEqual([
    {
      line: 2,
      id: 'c-1',
      jsonParam: { Amount: 1000.5, ScheduleType: 'EqualInstallments' },
      schedule: undefined,
      ignored: [],
    },
  ]);
});

it('reports faulty records of CSV by their lines, and refuses a file with a misplaced quote', () => {
  const text = 'id,Amount,schedule\na,1,\nb,2\nd,4,{broken\ne,5,,6\nf,6,\n';
  expect(read('a.csv', text).contracts.map(({ line, id }) => [line, id])).toEqual([
    [2, 'a'],
    [6, 'f'],
  ]);
  expect(faultsOf('a.csv', text).map(([line, id, , fault]) => [line, id, fault])).toEqual([
    [3, undefined, 'line has 2 cells; must have 3, one for each column'],
    [4, 'd', 'schedule is not valid JSON (at character 1)'],
    [5, undefined, 'line has 4 cells; must have 3, one for each column'],
  ]);
  for (const record of ['c,3,x"y', '"c"d,3,', '"open,4', `"${'x'.repeat(MAX_LINE_BYTES + 1)}",4`]) {
    expect(refusalOf('id,Amount', ['a,1', 'b,2', record, 'd,4'])).toEqual({ kind: 'malformed', line: 3 });
  }
});

it('refuses columns that are unknown, repeated or missing, and names few of a file that is no text', () => {
  expect(columnFaults('Amout,Amount,amount')).toEqual([
    { kind: 'unknown', names: ['Amout'] },
    { kind: 'twice', names: ['Amount'] },
    { kind: 'no-id', names: ['id'] },
  ]);
  expect(columnFaults('id')).toEqual([{ kind: 'no-request', names: ['jsonParam'] }]);
  expect(columnFaults('id,jsonParam,Amount')).toEqual([{ kind: 'two-requests', names: ['jsonParam'] }]);
  expect(columnFaults('id,jsonParam,schedule')).toEqual([]);
  const names = Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(100)}${index}`);
  expect(columnFaults(names.join(','))).toMatchObject([
    { kind: 'unknown', names: Array.from({ length: 20 }, () => 'x'.repeat(60)) },
    { kind: 'no-id' },
    { kind: 'no-request' },
  ]);
});

it('names a workbook and repeated ids, and refuses too many contracts and ambiguous values', () => {
  expect(() => read('a.csv', 'PK\u0003\u0004rest')).toThrow(new FileError({ kind: 'workbook' }));
  expect(read('a.csv', 'id,Amount\na,1\nb,1\na,2\n').duplicates).toEqual({
    count: 1,
    listed: [{ id: 'a', line: 4, firstLine: 2 }],
  });
  const line = '{"id":"a","jsonParam":{}}\n';
  expect(read('a.ndjson', line.repeat(MAX_CONTRACTS)).contracts).toHaveLength(MAX_CONTRACTS);
  expect(() => read('a.ndjson', line.repeat(MAX_CONTRACTS + 1))).toThrow(
    expect.objectContaining({ fault: { kind: 'too-many', count: MAX_CONTRACTS + 1 } }),
  );
  expect(refusalOf('id,Amount', ['a,1', 'b,"1.000"'])).toEqual({
    kind: 'notation',
    fault: { kind: 'ambiguous-number', line: 3, column: 'Amount', value: '1.000' },
  });
  const content = new TextEncoder().encode('id,Amount\na,1.000\n');
  const { contracts } = readContracts('a.csv', content, FIELDS, { decimal: ',' });
  expect(contracts[0]?.jsonParam).toEqual({ Amount: 1_000 });
});

it.each([
  ['Windows-1250', 'latin1'],
  ['UTF-16', 'utf16le'],
] as const)('refuses a file in %s, whose ids could become others', (_, encoding) => {
  const content = Buffer.from(
    '\uFEFFid,Amount\ncaf\u00E9,1\n'.slice(encoding === 'latin1' ? 1 : 0),
    encoding,
  );
  expect(() => readContracts('a.csv', content, FIELDS)).toThrow(new FileError({ kind: 'not-utf8' }));
});

const payment = (amount: number) => [
  { InstallmentNo: 1, Principal: amount, Interest: 0, TotalInstallment: amount },
];

const WARNINGS = [{ code: 'unknown-field', path: 'jsonParam.Warns' }];

/** A run whose schedules have one payment, that of the field Pays; none: a refusal. */
function runOf(lines: readonly object[]) {
  const run = createPortfolioRun(read('a.ndjson', lines.map((line) => JSON.stringify(line)).join('\n')));
  const go = (signal = never, calculated = (_line: number) => {}) =>
    run.continue({
      signal,
      calculate: async ({ jsonParam, line }) => {
        await Promise.resolve();
        calculated(line);
        const { Pays } = jsonParam;
        if (Pays === undefined) throw refusal(400);
        return {
          rows: Pays === 'figure' ? 7 : payment(Number(Pays)),
          warnings: jsonParam['Warns'] === undefined ? [] : WARNINGS,
        };
      },
    });
  return { run, go };
}

function refusal(status: number | undefined): EngineError {
  return new EngineError({
    title: 'refused',
    code: status === undefined ? 'unreachable' : 'invalid-request',
    status,
  });
}

const LINES = [
  { id: 'a', jsonParam: { Pays: 110.5, Currency: 'eur' }, schedule: payment(100) },
  { id: 'b', jsonParam: { Pays: 100, currency: 'EUR', Warns: 1 }, schedule: payment(100) },
  { id: 'c,"d"', jsonParam: { Pays: 5, Currency: 'JPY' } },
  { id: 'e', jsonParam: {} },
  { id: 'f', jsonParam: { Pays: 1 }, schedule: 'none' },
  { id: 'g', jsonParam: { Pays: 'figure' } },
  { id: 'h', jsonParam: { Pays: 1.005, Precision: 3 }, schedule: payment(1.005) },
];

it('a run has the tally of the command: totals by currency, changes, movers and failures', async () => {
  const { run, go } = runOf(LINES);
  expect(await go()).toEqual({ kind: 'finished' });
  const { tally } = run;
  expect(
    [...tally.totals.values()].map(({ currency, digits, after }) => [currency, digits, after.total]),
  ).toEqual([
    ['EUR', 2, 21_050n],
    ['JPY', 0, 5n],
    [null, 2, 100n],
    [null, 3, 1_005n],
  ]);
  expect([tally.calculated, tally.failed, tally.warned, tally.compared, tally.changed]).toEqual([
    5, 2, 1, 3, 1,
  ]);
  expect([tally.formerUnreadableLines, tally.rises.map(({ id }) => id)]).toEqual([[5], ['a']]);
  expect(tally.falls).toEqual([]);
  expect(tally.firstFailures.map(({ line, code }) => [line, code])).toEqual([
    [4, 'invalid-request'],
    [6, 'unexpected'],
  ]);
});

it('a run writes results and failures as CSV in the order of the file, and no formulas', async () => {
  const { run, go } = runOf(LINES.toReversed());
  await go();
  expect(resultsToCsv(run.results).split('\r\n')).toEqual([
    'id,line,currency,installments,principal,interest,fees,total,totalBefore,totalDifference',
    '"h",1,,1,1.005,0.000,0.000,1.005,1.005,0.000',
    '"f",3,,1,1.00,0.00,0.00,1.00,,',
    '"c,""d""",5,JPY,1,5,0,0,5,,',
    '"b",6,EUR,1,100.00,0.00,0.00,100.00,100.00,0.00',
    '"a",7,EUR,1,110.50,0.00,0.00,110.50,100.00,10.50',
    '',
  ]);
  expect(failuresToCsv(run.failures).split('\r\n')).toEqual([
    'id,line,code,reason',
    '"g",2,unexpected,"The reply contains no instalments or invalid figures."',
    '"e",4,invalid-request,"refused"',
    '',
  ]);
  const formulas = ['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '＝1'];
  for (const formula of formulas) {
    expect(failureCsv(formula).split('\r\n')[1]).toBe(`"'${formula}",1,unexpected,"'${formula}"`);
  }
  for (const plain of ['a=1', "O'Neill", '-5', '+40.5', -5, '']) {
    expect(failureCsv(plain)).toContain(`"${plain}",1,unexpected,`);
  }
});

it('a run continues after a stop with what is not done, and counts each contract once', async () => {
  const { run, go } = runOf(
    Array.from({ length: 40 }, (_, index) => ({ id: index, jsonParam: { Pays: 1 } })),
  );
  const abort = new AbortController();
  let calls = 0;
  expect(await go(abort.signal, () => ++calls === 20 && abort.abort())).toEqual({ kind: 'stopped' });
  const before = run.results.length;
  expect(before).toBeLessThan(40);
  expect(await go()).toEqual({ kind: 'finished' });
  expect(new Set(run.results.map(({ line }) => line)).size).toBe(40);
  expect([run.results.length, run.tally.calculated]).toEqual([40, 40]);
});

it('a run fails contracts that are refused, and ends with the first refusal that concerns all', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => ({ id: index, jsonParam: { Pays: 1 } }));
  for (const [status, kind] of [
    [400, 'finished'],
    [422, 'finished'],
    [500, 'finished'],
    [401, 'interrupted'],
    [403, 'interrupted'],
    [503, 'interrupted'],
    [undefined, 'interrupted'],
  ] as const) {
    const { run, go } = runOf(lines);
    const end = await go(never, (line) => {
      if (line === 9) throw refusal(status);
    });
    const outcome = [end.kind, run.failures.length, run.results.length > 20];
    expect([status, ...outcome]).toEqual([status, kind, kind === 'finished' ? 1 : 0, kind === 'finished']);
  }
});

it('a run has a bounded number of calls in progress', async () => {
  const { run } = runOf(Array.from({ length: 20 }, (_, id) => ({ id, jsonParam: {} })));
  let inProgress = 0;
  let most = 0;
  await run.continue({
    signal: never,
    calculate: async () => {
      most = Math.max(most, (inProgress += 1));
      await Promise.resolve();
      inProgress -= 1;
      return { rows: payment(1), warnings: [] };
    },
  });
  expect([most, run.results.length]).toEqual([WINDOW, 20]);
});
