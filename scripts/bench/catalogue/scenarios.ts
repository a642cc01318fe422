/** What simulations cost beside plain schedules, and a table of many products beside one of few. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Decimal } from 'decimal.js';
import { readWholeCatalogue } from '../../../shared/contract/catalogue-files/read-folder.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { calendarDateOf } from '../../../shared/lending/dates/calendar-date.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { CatalogueView } from '../../../shared/product/catalogue/catalogue-view.ts';
import type { ProductRecord } from '../../../shared/product/catalogue/product-record.ts';
import type { SimulateRequest } from '../../../shared/product/simulation/simulate-request.ts';
import { simulate, type SimulateContext } from '../../../shared/product/simulation/simulate.ts';
import type { SimulationRecord } from '../../../shared/product/simulation/simulation.ts';
import { atMost, costsOf, slowdown, timesOf, toKnow, type Work } from '../interleaved.ts';
import { plainLoan } from '../lending/loans.ts';
import type { CostPerCall, Ratio } from '../measurement.ts';

const ROWS = 60;
const REQUEST_DAY = calendarDateOf(2026, 1, 15);
const FOLDER = fileURLToPath(new URL('../../../shared/product/example-catalogue', import.meta.url));
/** A simulation goes through much code, each part of it seldom: the compiler takes its time. */
const WARM_UP_MS = 3_000;
/** Parts of the measured seconds that one work gets in a round. */
const SLICES = 16;
/** Numbers of products that tables are compared by. */
const TABLE_SIZES = [100, 1_000, 10_000] as const;
const TABLE_LIMIT_MS = 180_000;

/** Aims: times a plain schedule, milliseconds, MiB, and times the look-up in the smallest table. */
const AIM = { simulate: 3, readyMs: 5_000, memoryMiB: 150, growth: 1.5 } as const;

const NAMES = {
  plain: 'schedule of 60 rows, no charges, no rates',
  charged: 'schedule of 60 rows with fee and insurance, no rates',
  simulation: 'Simulate: one offer of 60 rows with fees and insurance',
  discounted: 'Simulate: the same with discounts',
} as const;

/** What a table of so many products takes. */
export interface TableFigures {
  readonly products: number;
  /** JSON text of a product. */
  readonly recordBytes: number;
  readonly encodedMiB: number;
  readonly readyMs: number;
  /** The embedded broker's copy of the records. */
  readonly logMiB: number;
  readonly tableMiB: number;
  /** Log, table, and as many unpacked records as are kept. */
  readonly allMiB: number;
  /** A look-up with all sections of a product in use, and of one that has to be unpacked first; microseconds. */
  readonly hotUs: number;
  readonly coldUs: number;
}

/** Figures of the catalogue part, but for those over Kafka. */
export interface CatalogueResults {
  readonly costs: readonly CostPerCall[];
  readonly tables: readonly TableFigures[];
  readonly ratios: readonly Ratio[];
}

/** Measures simulations and schedules in turns, then tables in processes of their own. */
export function benchCatalogue(options: {
  readonly rounds: number;
  readonly measureMs: number;
  readonly progress: (text: string) => void;
}): CatalogueResults {
  const { rounds, measureMs, progress } = options;
  const times = timesOf(works(), { rounds, progress, sliceMs: measureMs / SLICES, warmUpMs: WARM_UP_MS });
  const tables = TABLE_SIZES.map((products) => {
    progress(`table of ${products} products`);
    return tableOf(products);
  });
  const ratios = [
    atMost(
      'Simulate of 60 rows with fees and insurance / schedule of 60 rows',
      slowdown(times, NAMES.simulation, NAMES.plain),
      AIM.simulate,
    ),
    toKnow('the same with discounts', slowdown(times, NAMES.discounted, NAMES.plain)),
    toKnow('schedule with fee and insurance / without', slowdown(times, NAMES.charged, NAMES.plain)),
    ...tableRatios(tables),
  ];
  return { costs: costsOf(times), tables, ratios };
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

/** A personal loan of the example: a fee once and a fee and an insurance each month. */
const LOAN: SimulateRequest = {
  productCode: 'TL-PERSONAL',
  scheduleType: 'EqualInstallments',
  amount: new Decimal(10_000),
  loanPeriod: ROWS,
  // Leaves one offer: the other is for some employers only.
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

/** Measured in a process of its own, whose memory nothing else uses. */
function tableOf(products: number): TableFigures {
  const args = ['--expose-gc', 'scripts/bench/catalogue/table.ts', String(products)];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: TABLE_LIMIT_MS });
  return JSON.parse(output) as TableFigures;
}

function tableRatios(tables: readonly TableFigures[]): readonly Ratio[] {
  const least = tables[0];
  const most = tables.at(-1);
  if (least === undefined || most === undefined) return [];
  const count = most.products.toLocaleString('en-US');
  return [
    upTo(`milliseconds until a table of ${count} products is ready`, most.readyMs, AIM.readyMs),
    upTo(
      `MiB more memory with ${count} products, log and unpacked ones included`,
      most.allMiB,
      AIM.memoryMiB,
    ),
    upTo(
      `look-up of a product in use: ${count} products / ${least.products}`,
      most.hotUs / least.hotUs,
      AIM.growth,
    ),
    upTo(
      `look-up of one to unpack: ${count} products / ${least.products}`,
      most.coldUs / least.coldUs,
      AIM.growth,
    ),
  ];
}

function upTo(name: string, value: number, aim: number): Ratio {
  return { name, value, aim: `<= ${aim}`, reached: value <= aim };
}
