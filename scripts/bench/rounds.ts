import { median, type LoopResult } from './closed-loop.ts';
import { bulkTables, isolationTables, laneTables, portfolioTables } from './bulk/tables.ts';
import type { BulkResults } from './bulk/scenarios.ts';
import type { CatalogueResults } from './catalogue/scenarios.ts';
import type { IsolationResults } from './bulk/isolation-scenario.ts';
import type { LaneResults } from './bulk/lane-scenario.ts';
import type { LendingResults } from './lending/scenarios.ts';
import type { DeliveryResults } from './notification/scenarios.ts';
import type { PortfolioResults } from './bulk/portfolio-scenario.ts';
import { costTable, ratioTable, table, wholeNumber } from './tables.ts';

/** One line of the result: a scenario at a window, each figure the median over the rounds. */
export interface Measurement {
  readonly scenario: string;
  readonly window: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The medians of several rounds: one round on a shared machine says little. */
export function summarise(scenario: string, window: number, rounds: readonly LoopResult[]): Measurement {
  return {
    scenario,
    window,
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
  };
}

/** A figure that is compared with an aim; `atMost` or `atLeast` says which side is good. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  /** The same of the fastest rounds, where there were several of each side. */
  readonly byFastest?: number;
  readonly aim: string;
  /** Absent where there is no aim. */
  readonly reached?: boolean;
}

export interface CostPerCall {
  readonly name: string;
  readonly microseconds: number;
  /** The fastest round, where there were several. */
  readonly fastest?: number;
}

/** What was measured. */
export interface Results {
  readonly measurements: readonly Measurement[];
  readonly ratios: readonly Ratio[];
  readonly costs: readonly CostPerCall[];
  readonly lending: LendingResults | undefined;
  readonly catalogue: CatalogueResults | undefined;
  readonly delivery: DeliveryResults | undefined;
  readonly bulk: BulkResults | undefined;
  readonly lanes: LaneResults | undefined;
  readonly portfolio: PortfolioResults | undefined;
  readonly isolation: IsolationResults | undefined;
}

/** The results as tables that read in a terminal and in Markdown; empty ones are left out. */
export function formatResults(results: Results): string {
  const { measurements, ratios, costs, lending, catalogue, delivery } = results;
  const { bulk, lanes, portfolio, isolation } = results;
  const rows = measurements.map((line) => [
    line.scenario,
    String(line.window),
    wholeNumber(line.perSecond),
    line.p50Ms.toFixed(2),
    line.p99Ms.toFixed(2),
  ]);
  const tables = [
    table(['round trip', 'window', 'per second', 'p50 ms', 'p99 ms'], rows),
    ratioTable(ratios),
    table(
      ['work per call', 'us'],
      costs.map(({ name, microseconds }) => [name, microseconds.toFixed(1)]),
    ),
  ];
  if (lending !== undefined) tables.push(...lendingTables(lending));
  if (catalogue !== undefined) tables.push(...catalogueTables(catalogue));
  if (delivery !== undefined) tables.push(...deliveryTables(delivery));
  if (bulk !== undefined) tables.push(...bulkTables(bulk));
  if (lanes !== undefined) tables.push(...laneTables(lanes));
  if (portfolio !== undefined) tables.push(...portfolioTables(portfolio));
  if (isolation !== undefined) tables.push(...isolationTables(isolation));
  return tables.filter((text) => text !== '').join('\n');
}

function lendingTables({ costs, ratios, peers }: LendingResults): readonly string[] {
  return [
    costTable('schedules and rates, per call', costs),
    ratioTable(ratios),
    table(
      ['package', 'version'],
      peers.map(({ name, version }) => [name, version]),
    ),
  ];
}

function catalogueTables({ costs, tables, ratios }: CatalogueResults): readonly string[] {
  const lines = tables.map((figures) => [
    figures.products.toLocaleString('en-US'),
    figures.readyMs.toFixed(0),
    figures.encodedMiB.toFixed(1),
    figures.logMiB.toFixed(1),
    figures.tableMiB.toFixed(1),
    figures.allMiB.toFixed(1),
    figures.hotUs.toFixed(1),
    figures.coldUs.toFixed(0),
  ]);
  return [
    costTable('schedules and simulations, per call', costs),
    table(
      [
        'products of 20 KB',
        'ready ms',
        'packed MiB',
        'log MiB',
        'table MiB',
        'all in use MiB',
        'look-up us',
        'first look-up us',
      ],
      lines,
    ),
    ratioTable(ratios),
  ];
}

function deliveryTables({ rates, memory, ratios }: DeliveryResults): readonly string[] {
  return [
    table(
      ['e-mails to one mail server', 'per second', 'fastest round'],
      rates.map(({ name, rounds }) => [name, wholeNumber(median(rounds)), wholeNumber(Math.max(...rounds))]),
    ),
    table(
      ['notifications by one worker', 'process MiB', 'heap and buffers MiB'],
      memory.map(({ notifications, rss, heap }) => [
        wholeNumber(notifications),
        rss.toFixed(0),
        heap.toFixed(1),
      ]),
    ),
    ratioTable(ratios),
  ];
}
