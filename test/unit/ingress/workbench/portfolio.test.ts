import { describe, expect, it } from 'vitest';
import {
  changeOf,
  distribution,
  largestMovers,
  resultsToCsv,
  sumResults,
  sumSchedule,
  unitsToText,
  type ContractResult,
} from '../../../../workers/ingress/workbench/app/portfolio/portfolio-summary.ts';
import {
  MAX_CONTRACTS,
  readContracts,
} from '../../../../workers/ingress/workbench/app/portfolio/read-contracts.ts';
import {
  runContracts,
  WINDOW,
  type Outcome,
} from '../../../../workers/ingress/workbench/app/portfolio/run-contracts.ts';

const units = (total: bigint) => ({ principal: total, interest: 0n, fees: 0n, total });
const result = (id: string, total: bigint, before?: bigint): ContractResult => ({
  id,
  line: Number(id),
  installments: 1,
  sums: units(total),
  before: before === undefined ? undefined : units(before),
});

describe('reading a portfolio', () => {
  it('reads NDJSON with blank lines, numeric ids and previous schedules', () => {
    const text =
      '\uFEFF{"id":7,"jsonParam":{"Amount":1.50}}\n\n{"id":"b","jsonParam":{},"schedule":[{"Principal":1}]}\n';
    expect(readContracts('a.ndjson', text)).toEqual({
      contracts: [
        { line: 1, id: '7', jsonParam: { Amount: 1.5 }, schedule: undefined },
        { line: 3, id: 'b', jsonParam: {}, schedule: [{ Principal: 1 }] },
      ],
      unreadable: [],
    });
  });

  it('reports each line that is not a contract', () => {
    const lines = ['[]', '{"jsonParam":{}}', '{"id":"x"}', '{"id":"y","jsonParam":{},"schedule":[1]}', '{'];
    const { contracts, unreadable } = readContracts('a.ndjson', lines.join('\n'));
    expect(contracts).toEqual([]);
    expect(unreadable.map(({ line, id }) => [line, id])).toEqual([
      [1, ''],
      [2, ''],
      [3, 'x'],
      [4, 'y'],
      [5, ''],
    ]);
    expect(unreadable[2]?.reason).toBe('jsonParam: must be an object');
  });

  it.each([',', ';', '\t'])(
    'reads CSV separated by %j: numbers, texts, lists and absent fields',
    (separator) => {
      const text = [
        ['id', 'Amount', 'ScheduleType', 'MaturityDate'].join(separator),
        ['c-1', '1000.5', 'EqualInstallments', ''].join(separator),
      ].join('\r\n');
      expect(readContracts('a.CSV', text).contracts).toEqual([
        {
          line: 2,
          id: 'c-1',
          jsonParam: { Amount: 1000.5, ScheduleType: 'EqualInstallments' },
          schedule: undefined,
        },
      ]);
    },
  );

  it('refuses more contracts than the page takes', () => {
    const line = '{"id":"a","jsonParam":{}}\n';
    expect(readContracts('a.ndjson', line.repeat(MAX_CONTRACTS)).contracts).toHaveLength(MAX_CONTRACTS);
    expect(() => readContracts('a.ndjson', line.repeat(MAX_CONTRACTS + 1))).toThrow(RangeError);
  });
});

describe('the sums of a portfolio', () => {
  it('add up rows exactly, in both spellings', () => {
    const rows = [
      { Principal: 0.1, Interest: 0.2, TotalInstallment: 0.3, ManagementFee: 0.01, Insurance: 0.02 },
      { principal: 0.2, interest: 0.1, totalInstallment: 0.3 },
    ];
    expect(sumSchedule(rows)).toEqual({ principal: 3_000n, interest: 3_000n, fees: 300n, total: 6_000n });
    expect(sumSchedule([{ Principal: 1 }])).toBeUndefined();
  });

  it('compare only contracts with a previous schedule', () => {
    const results = [result('1', 10_000n, 9_000n), result('2', 20_000n, 20_000n), result('3', 5_000n)];
    const sums = sumResults(results);
    expect([sums.after.total, sums.before.total, sums.afterCompared.total]).toEqual([
      35_000n,
      29_000n,
      30_000n,
    ]);
    expect([sums.compared, sums.changed]).toEqual([2, 1]);
    expect(results.map(changeOf)).toEqual([1_000n, 0n, undefined]);
  });

  it('name the largest changes, increases and decreases alike, and no unchanged contract', () => {
    const results = [result('1', 5n, 4n), result('2', 1n, 9n), result('3', 4n, 4n), result('4', 7n)];
    expect(largestMovers(results, 10).map(({ id }) => id)).toEqual(['2', '1']);
    expect(largestMovers(results, 1).map(({ id }) => id)).toEqual(['2']);
  });

  it('distribute changes over bars around zero, each contract in one', () => {
    const results = [
      result('1', 110n, 100n),
      result('2', 90n, 100n),
      result('3', 100n, 100n),
      result('4', 1n),
    ];
    const bins = distribution(results);
    expect(bins).toHaveLength(21);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    expect([bins[0]?.count, bins[10]?.count, bins[20]?.count]).toEqual([1, 1, 1]);
    expect(distribution([result('4', 1n)])).toEqual([]);
  });

  it('are written as decimals, and ids of CSV are quoted', () => {
    expect([0n, 12_345_600n, -50n, 1n].map(unitsToText)).toEqual(['0.00', '1234.56', '-0.005', '0.0001']);
    const csv = resultsToCsv([{ ...result('2', 10_000n, 20_000n), id: 'a"b' }, result('1', 0n)]);
    expect(csv.split('\n').slice(1)).toEqual([
      '"1",1,0.00,0.00,0.00,0.00,,',
      '"a""b",1,1.00,0.00,0.00,1.00,2.00,-1.00',
      '',
    ]);
  });
});

describe('running contracts', () => {
  const contracts = Array.from({ length: 20 }, (_, line) => ({
    line,
    id: String(line),
    jsonParam: {},
    schedule: undefined,
  }));

  it('keeps a bounded number of calls in progress and gives each contract one outcome', async () => {
    let inProgress = 0;
    let most = 0;
    const outcomes: Outcome<number>[] = [];
    await runContracts({
      contracts,
      signal: new AbortController().signal,
      calculate: async ({ line }) => {
        most = Math.max(most, (inProgress += 1));
        await Promise.resolve();
        inProgress -= 1;
        if (line === 3) throw new Error('invalid');
        return line;
      },
      retryAfterMs: () => undefined,
      wait: () => Promise.resolve(),
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    expect(most).toBe(WINDOW);
    expect(outcomes.map(({ contract }) => contract.line).toSorted((one, other) => one - other)).toEqual(
      contracts.map(({ line }) => line),
    );
    expect(outcomes.filter(({ kind }) => kind === 'failed').map(({ contract }) => contract.line)).toEqual([
      3,
    ]);
  });

  it('repeats calls that are refused for now, after the wait', async () => {
    const waits: number[] = [];
    let calls = 0;
    const outcomes: Outcome<string>[] = [];
    await runContracts({
      contracts: contracts.slice(0, 1),
      signal: new AbortController().signal,
      calculate: async () => {
        calls += 1;
        if (calls < 3) throw new Error('busy');
        return 'rows';
      },
      retryAfterMs: (_error, attempt) => attempt * 100,
      wait: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    expect(waits).toEqual([100, 200]);
    expect(outcomes).toEqual([{ kind: 'calculated', contract: contracts[0], rows: 'rows' }]);
  });

  it('stops after an abort and reports nothing more', async () => {
    const abort = new AbortController();
    const outcomes: unknown[] = [];
    await runContracts({
      contracts,
      signal: abort.signal,
      calculate: async () => {
        abort.abort();
        throw new Error('aborted');
      },
      retryAfterMs: () => 1,
      wait: () => Promise.resolve(),
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    expect(outcomes).toEqual([]);
  });
});
