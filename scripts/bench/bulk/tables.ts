/** The figures of whole portfolios as tables. */

import type { BulkResults } from './scenarios.ts';
import { median } from '../closed-loop.ts';
import type { IsolationResults } from './isolation-scenario.ts';
import type { LaneResults } from './lane-scenario.ts';
import type { PortfolioResults } from './portfolio-scenario.ts';
import { peaksOf } from '../proc-readings.ts';
import { ratioTable, table, wholeNumber } from '../tables.ts';

const PERCENT = 100;
const PROCESSES = ['requester', 'broker', 'workers'] as const;

/** Contracts a second, and what they take of the processors. */
export function bulkTables({ lines, ratios }: BulkResults): readonly string[] {
  const rows = lines.map(({ scenario, rounds }) => {
    const rates = rounds.map(({ contractsPerSecond }) => contractsPerSecond);
    const cpu = PROCESSES.map((name) => {
      const used = rounds.flatMap(({ cpuUs }) => cpuUs[name] ?? []);
      return used.length === 0 ? '' : wholeNumber(median(used));
    });
    const busy = share(median(rounds.map(({ busyShare }) => busyShare)));
    return [scenario, wholeNumber(median(rates)), wholeNumber(Math.max(...rates)), ...cpu, busy];
  });
  const head = ['contracts of 60 rows', 'per second', 'fastest round'];
  const cpuHead = PROCESSES.map((name) => `us of ${name}`);
  return [table([...head, ...cpuHead, 'processors busy'], rows), ratioTable(ratios)];
}

/** Messages a second by keys. */
export function laneTables({ rates, ratios }: LaneResults): readonly string[] {
  const rows = rates.map(({ broker, keys, rounds }) => [
    broker,
    String(keys),
    wholeNumber(median(rounds)),
    wholeNumber(Math.max(...rounds)),
  ]);
  return [
    table(['one partition, handler of 5 ms', 'keys', 'messages per second', 'fastest round'], rows),
    ratioTable(ratios),
  ];
}

/** Runs of the command with their memory. */
export function portfolioTables({ runs, ratios }: PortfolioResults): readonly string[] {
  const rows = runs.map(({ broker, contracts, seconds, perContractUs, memory }) => {
    const peaks = ['command', 'worker'].flatMap((name) => {
      const { early, all } = peaksOf(memory, name);
      return [early, all];
    });
    return [
      broker,
      wholeNumber(contracts),
      seconds.toFixed(1),
      wholeNumber(contracts / seconds),
      wholeNumber(perContractUs),
      ...peaks.map((mib) => (mib === 0 ? '' : wholeNumber(mib))),
    ];
  });
  const head = ['npm run recalculate', 'contracts', 'seconds', 'per second', 'us per contract'];
  const memoryHead = ['command MiB, first quarter', 'peak', 'worker MiB, first quarter', 'peak'];
  return [table([...head, ...memoryHead], rows), ratioTable(ratios)];
}

/** Live traffic, round by round. */
export function isolationTables({ idle, loaded, ratios }: IsolationResults): readonly string[] {
  const rows = idle.flatMap((alone, index) => {
    const beside = loaded[index];
    const both = beside === undefined ? [alone] : [alone, beside];
    return both.map((round) => [
      `${index + 1}: ${round === alone ? 'idle' : 'beside a bulk run'}`,
      wholeNumber(round.requests),
      wholeNumber(round.failed),
      round.p50Ms.toFixed(1),
      round.p99Ms.toFixed(1),
      round.longestMs.toFixed(1),
      round.lateP99Ms.toFixed(1),
      wholeNumber(round.contractsPerSecond),
      share(round.busyShare),
    ]);
  });
  const head = ['live requests, 20 a second', 'requests', 'failed', 'p50 ms', 'p99 ms', 'longest ms'];
  const more = ['sent late p99 ms', 'contracts per second beside', 'processors busy'];
  return [table([...head, ...more], rows), ratioTable(ratios)];
}

function share(value: number): string {
  return `${Math.round(value * PERCENT)} %`;
}
