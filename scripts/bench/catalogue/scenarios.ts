/**
 * Measures the cost of simulations compared with plain schedules, and of a table with many products compared with one
 * with few products.
 */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Decimal } from 'decimal.js';
import { readWholeCatalogue } from '../../../shared/contract/catalogue-files/read-folder.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { toCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { CatalogueView } from '../../../shared/product/catalogue/catalogue-view.ts';
import type { ProductRecord } from '../../../shared/product/catalogue/product-record.ts';
import type { SimulateRequest } from '../../../shared/product/simulation/simulate-request.ts';
import { simulate, type SimulateContext } from '../../../shared/product/simulation/simulate.ts';
import type { SimulationRecord } from '../../../shared/product/simulation/simulation-result.ts';
import { plainLoan } from '../lending/loans.ts';
import {
  atMost,
  type BenchOptions,
  compareTimes,
  type CostPerCall,
  costsOf,
  type PartResults,
  type Ratio,
  type RoundTimes,
  timeCalls,
  toKnow,
  type Work,
} from '../rounds.ts';
import { costTable, ratioTable, table, thousands } from '../tables.ts';

const ROWS = 60;
const REQUEST_DAY = toCalendarDate(2026, 1, 15);
const FOLDER = fileURLToPath(new URL('../../../shared/product/example-catalogue', import.meta.url));
/** A simulation runs much code, each part of it rarely, so compilation takes longer. */
const WARM_UP_MS = 3_000;
/** The share of the measured seconds that one task gets in a round. */
const SLICES = 16;
/** The compared table sizes. */
const TABLE_SIZES = [100, 1_000, 10_000] as const;
const TABLE_LIMIT_MS = 180_000;

/** Targets: multiples of a plain schedule, milliseconds, MiB, and multiples of the look-up in the smallest table. */
const AIM = { simulate: 3, readyMs: 5_000, memoryMiB: 150, growth: 1.5 } as const;

const NAMES = {
  plain: 'schedule of 60 rows, no charges, no rates',
  charged: 'schedule of 60 rows with fee and insurance, no rates',
  simulation: 'Simulate: one offer of 60 rows with fees and insurance',
  discounted: 'Simulate: the same with discounts',
} as const;

/** The cost of a table of products. */
export interface TableFigures {
  readonly products: number;
  /** The JSON of a product. */
  readonly recordBytes: number;
  readonly encodedMiB: number;
  readonly readyMs: number;
  /** The embedded broker's copy of the records. */
  readonly logMiB: number;
  readonly tableMiB: number;
  /** Log, table, and cached decoded records. */
  readonly allMiB: number;
  /** Microseconds of a look-up, with all sections, of a product in use, and of one that must be decoded first. */
  readonly hotUs: number;
  readonly coldUs: number;
}

interface CatalogueFigures {
  readonly costs: readonly CostPerCall[];
  readonly tables: readonly TableFigures[];
  readonly ratios: readonly Ratio[];
}

/** Measures simulations and schedules alternately, then tables in separate processes. */
export async function benchCatalogue(
  options: Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress'>,
): Promise<PartResults<CatalogueFigures>> {
  const { rounds, measureMs, progress } = options;
  const timing = { rounds, progress, sliceMs: measureMs / SLICES, warmUpMs: WARM_UP_MS };
  const times = await timeCalls(works(), timing);
  const tables = TABLE_SIZES.map((products) => {
    progress(`table of ${products} products`);
    return measureTable(products);
  });
  const costs = costsOf(times);
  const ratios = [...simulationRatios(times), ...tableRatios(tables)];
  return {
    figures: { costs, tables, ratios },
    tables: [costTable('schedules and simulations, per call', costs), tableTable(tables), ratioTable(ratios)],
  };
}

function works(): readonly Work[] {
  const { catalogue, faults } = readWholeCatalogue(FOLDER);
  if (catalogue === undefined) throw new Error(faults.map(({ message }) => message).join('\n'));
  const calendars = {
    find: (name: string) => findCalendar(name, { catalogue: catalogue.lending.calendars }),
  };
  const context = { catalogue, calendars, requestDay: REQUEST_DAY };
  const undiscounted = { ...context, catalogue: withoutDiscounts(catalogue) };
  const schedule = (terms: RepaymentScheduleRequest): void => {
    const outcome = calculateRepaymentSchedule(terms, { ...context, catalogue: catalogue.lending });
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  };
  const plain = plainLoan(ROWS);
  const { terms } = offerOf(LOAN, undiscounted);
  return [
    { name: NAMES.plain, run: () => schedule(plain) },
    { name: NAMES.charged, run: () => schedule(terms) },
    { name: NAMES.simulation, run: () => offerOf(LOAN, undiscounted) },
    { name: NAMES.discounted, run: () => offerOf(DISCOUNTED_LOAN, context) },
  ];
}

/** A personal loan of the example catalogue, with a one-time fee, a monthly fee and a monthly insurance. */
const LOAN: SimulateRequest = {
  productCode: 'TL-PERSONAL',
  scheduleType: 'EqualInstallments',
  amount: new Decimal(10_000),
  loanPeriod: ROWS,
  // Leaves one offer, because the other one is only for some employers.
  jsonFilterCommission: [{ name: 'Employer', value: 1 }],
};
const DISCOUNTED_LOAN: SimulateRequest = { ...LOAN, discount: [{ Name: 'Salary client' }] };

function withoutDiscounts(catalogue: CatalogueView): CatalogueView {
  const plain = new Map<ProductRecord, ProductRecord>();
  return {
    ...catalogue,
    product: (code, day) => {
      const found = catalogue.product(code, day);
      if (found !== undefined && !plain.has(found)) plain.set(found, { ...found, Discounts: [] });
      return found === undefined ? undefined : plain.get(found);
    },
  };
}

/** The only offer. */
function offerOf(request: SimulateRequest, context: SimulateContext): SimulationRecord {
  const outcome = simulate(request, context);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  const [offer, ...others] = outcome.records;
  if (offer === undefined || others.length > 0) throw new Error(`${outcome.records.length} offers`);
  return offer;
}

/** Measured in a separate process, so that its memory is not shared. */
function measureTable(products: number): TableFigures {
  const args = ['--expose-gc', 'scripts/bench/catalogue/table.ts', String(products)];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: TABLE_LIMIT_MS });
  return JSON.parse(output) as TableFigures;
}

function simulationRatios(times: RoundTimes): readonly Ratio[] {
  const compare = (slower: keyof typeof NAMES, faster: keyof typeof NAMES) =>
    compareTimes(times.get(NAMES[slower]) ?? [], times.get(NAMES[faster]) ?? []);
  return [
    atMost(
      'Simulate of 60 rows with fees and insurance / schedule of 60 rows',
      compare('simulation', 'plain'),
      AIM.simulate,
    ),
    toKnow('the same with discounts', compare('discounted', 'plain')),
    toKnow('schedule with fee and insurance / without', compare('charged', 'plain')),
  ];
}

function tableRatios(tables: readonly TableFigures[]): readonly Ratio[] {
  const least = tables[0];
  const most = tables.at(-1);
  if (least === undefined || most === undefined) return [];
  const count = thousands(most.products);
  const growth = `${count} products / ${least.products}`;
  const memory = `MiB more memory with ${count} products, including log and unpacked products`;
  const hot = { value: most.hotUs / least.hotUs };
  const cold = { value: most.coldUs / least.coldUs };
  return [
    atMost(`milliseconds until a table of ${count} products is ready`, { value: most.readyMs }, AIM.readyMs),
    atMost(memory, { value: most.allMiB }, AIM.memoryMiB),
    atMost(`look-up of a product in use: ${growth}`, hot, AIM.growth),
    atMost(`look-up of a product to unpack: ${growth}`, cold, AIM.growth),
  ];
}

function tableTable(tables: readonly TableFigures[]): string {
  const rows = tables.map((figures) => [
    thousands(figures.products),
    figures.readyMs.toFixed(0),
    figures.encodedMiB.toFixed(1),
    figures.logMiB.toFixed(1),
    figures.tableMiB.toFixed(1),
    figures.allMiB.toFixed(1),
    figures.hotUs.toFixed(1),
    figures.coldUs.toFixed(0),
  ]);
  const head = ['products of 20 KB', 'ready ms', 'packed MiB', 'log MiB', 'table MiB', 'all in use MiB'];
  return table([...head, 'look-up us', 'first look-up us'], rows);
}
