import type { OtherCalendars } from '../lending/calendars/business-calendar.ts';
import type { CalendarDate } from '../lending/dates/calendar-date.ts';
import type { CatalogueFault } from '../lending/schedule-types/catalogue-entry.ts';
import {
  createLendingCatalogue,
  type LendingCatalogue,
} from '../lending/schedule-types/lending-catalogue.ts';
import type { Health } from '../platform/health.ts';
import type { Metrics } from '../platform/metrics.ts';
import { CatalogueCharges } from '../product/catalogue/catalogue-charges.ts';
import type {
  ListKind,
  CatalogueRecord,
  RecordIdentity,
  RecordKind,
  RecordsByKind,
} from '../product/catalogue/catalogue-record.ts';
import { type CatalogueView, selectEntries } from '../product/catalogue/catalogue-view.ts';
import { selectProductVersion, selectListVersion } from '../product/catalogue/validity.ts';
import type { IndexEntry } from './catalogue-index.ts';
import { EncodedRecords, type EncodedRecordsOptions, type EncodedRecordsStats } from './encoded-records.ts';

export interface CatalogueTableOptions extends Omit<EncodedRecordsOptions, 'onChange'> {
  /** Finds the calendars of countries that are not built in, as bases of the catalogue's own. */
  readonly otherCalendars?: OtherCalendars | undefined;
  /** Shows the table's figures there, under its client id. */
  readonly metrics?: Metrics | undefined;
}

export interface CatalogueStats extends EncodedRecordsStats {
  /** Schedule types, periodicities and calendars that are left out because they are wrong. */
  readonly namesLeftOut: number;
}

/**
 * The catalogue as it is on the log at the moment. Its records are read only; a method's answer stays as it is when the
 * catalogue changes.
 */
export interface CatalogueTable extends CatalogueView {
  /** Resolves when all that was on the topic has been read. Rejects when that takes too long. */
  start(): Promise<void>;
  /** Resolves when all that is on the topic at this moment has been read. */
  caughtUp(timeoutMs: number): Promise<void>;
  /** Read to the end once, and still reading. */
  isReady(): boolean;
  health(): Health;
  stats(): CatalogueStats;
  /** All versions of all records, in no particular order. */
  identities(): readonly (RecordIdentity & { readonly key: string })[];
  /** The record of a message key; undefined when there is none that can be read. */
  record(key: string): CatalogueRecord | undefined;
  stop(timeoutMs?: number): Promise<void>;
}

/** Kinds whose records are compiled together. */
const NAME_KINDS: ReadonlySet<RecordKind> = new Set(['schedule-type', 'periodicity', 'calendar']);

/**
 * Materialises the catalogue topic. Memory holds the encoded records and an index; what is asked for is unpacked and
 * kept within bounds. A record that cannot be read is counted, told of without its content, and as if it were not there.
 */
export function createCatalogueTable(options: CatalogueTableOptions): CatalogueTable {
  return new LogCatalogueTable(options);
}

class LogCatalogueTable implements CatalogueTable {
  readonly #options: CatalogueTableOptions;
  readonly #records: EncodedRecords;
  readonly #charges = new CatalogueCharges(this);
  #lending: LendingCatalogue | undefined;
  #namesLeftOut = 0;

  constructor(options: CatalogueTableOptions) {
    this.#options = options;
    this.#records = new EncodedRecords({
      ...options,
      onChange: ({ kind, code }) => {
        if (NAME_KINDS.has(kind)) this.#lending = undefined;
        this.#charges.noteChange(kind, code);
      },
    });
    if (options.metrics !== undefined) followCatalogue(options.metrics, options.clientId, () => this.stats());
  }

  /** Compiled at the first question after a change of its records. */
  get lending(): LendingCatalogue {
    this.#lending ??= this.#compile();
    return this.#lending;
  }

  async start(): Promise<void> {
    await this.#records.start();
    this.#lending = this.#compile();
  }

  caughtUp(timeoutMs: number): Promise<void> {
    return this.#records.caughtUp(timeoutMs);
  }

  isReady(): boolean {
    return this.#records.isReady();
  }

  health(): Health {
    return this.#records.health();
  }

  stats(): CatalogueStats {
    return { ...this.#records.stats(), namesLeftOut: this.#namesLeftOut };
  }

  product(code: string, day: CalendarDate) {
    const versions = this.#records.index.versions('product', code);
    return this.#readable('product', versions, (left) => selectProductVersion(left, day));
  }

  productById(id: string, day: CalendarDate) {
    const versions = this.#records.index.withId('product', id);
    return this.#readable('product', versions, (left) => selectProductVersion(left, day));
  }

  list<Kind extends ListKind>(kind: Kind, code: string | null) {
    if (code === null) return undefined;
    return this.#readable(kind, this.#records.index.versions(kind, code), (left) => selectListVersion(left));
  }

  identities(): readonly (RecordIdentity & { readonly key: string })[] {
    return [...this.#records.index.all()].map(({ key, identity }) => ({ ...identity, key }));
  }

  record(key: string): CatalogueRecord | undefined {
    const entry = this.#records.index.get(key);
    return entry === undefined ? undefined : this.#records.unpack(entry);
  }

  stop(timeoutMs?: number): Promise<void> {
    return this.#records.stop(timeoutMs);
  }

  /** The record that `choose` takes among the versions that can be read. */
  #readable<Kind extends RecordKind>(
    kind: Kind,
    versions: readonly IndexEntry[],
    choose: (left: readonly IndexEntry[]) => IndexEntry | undefined,
  ): RecordsByKind[Kind] | undefined {
    let left = versions;
    for (let chosen = choose(left); chosen !== undefined; chosen = choose(left)) {
      const unreadable = chosen;
      const found = this.#records.unpack(chosen);
      // The compiler does not see that the kind decides the record when it is itself a parameter.
      if (found?.kind === kind) return found.record as RecordsByKind[Kind];
      left = left.filter((entry) => entry !== unreadable);
    }
    return undefined;
  }

  #compile(): LendingCatalogue {
    const records = [...this.#records.index.all()]
      .filter(({ identity }) => NAME_KINDS.has(identity.kind))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .flatMap((entry) => this.#records.unpack(entry) ?? []);
    const { lending, faults } = compileNames(records, this.#options.otherCalendars);
    const leftOut = [...new Set(faults.map(({ source }) => source))];
    this.#namesLeftOut = leftOut.length;
    for (const key of leftOut) {
      this.#options.log.warn({ topic: this.#options.topic, key }, 'a name of the catalogue was left out');
    }
    return withCharges(lending, this.#charges);
  }
}

/** The names with the charges as they are whenever they are asked for: a change of a list compiles no names anew. */
function withCharges(lending: LendingCatalogue, charges: CatalogueCharges): LendingCatalogue {
  return {
    ...lending,
    get knownCharges() {
      return charges.known;
    },
  };
}

/** Shows the figures of a catalogue table at each scrape; `worker` and `figure` are the only labels. */
export function followCatalogue(metrics: Metrics, worker: string, stats: () => CatalogueStats): void {
  const gauge = metrics.gauge(
    'plat_catalogue_state',
    'Records, bytes and faults of the catalogue in memory',
    ['worker', 'figure'],
  );
  metrics.onScrape(() => {
    for (const [figure, value] of Object.entries(stats())) gauge.set({ worker, figure }, value as number);
  });
}

/** What was compiled, and what was left out of it. */
export interface CompiledNames {
  readonly lending: LendingCatalogue;
  /** Faults of the records that were left out; empty when all are in. */
  readonly faults: readonly CatalogueFault[];
}

/**
 * Compiles the names of these records with the built-in ones. A record with a fault is left out, and with it those that
 * need it, so that one mistake on the log takes only its own name away. `source` has to tell the records apart.
 */
export function compileNames(
  records: readonly CatalogueRecord[],
  otherCalendars?: OtherCalendars,
): CompiledNames {
  const faults: CatalogueFault[] = [];
  let left = records;
  for (;;) {
    const outcome = createLendingCatalogue(
      {
        scheduleTypes: selectEntries(left, 'schedule-type'),
        periodicities: selectEntries(left, 'periodicity'),
        calendars: selectEntries(left, 'calendar'),
      },
      otherCalendars,
    );
    if (outcome.kind === 'catalogue') return { lending: outcome.catalogue, faults };
    faults.push(...outcome.faults);
    const wrong = new Set(outcome.faults.map(({ source }) => source));
    const right = left.filter(({ source }) => !wrong.has(source));
    left = right.length < left.length ? right : [];
  }
}
