import type { OtherCalendars } from '../../lending/calendars/business-calendar.ts';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { LendingCatalogue } from '../../lending/schedule-types/lending-catalogue.ts';
import type { Health } from '../../platform/health.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { CatalogueCharges } from '../catalogue/charges-by-name.ts';
import type {
  CatalogueRecord,
  ListKind,
  RecordIdentity,
  RecordKind,
  RecordsByKind,
} from '../catalogue/catalogue-record.ts';
import { compileLending, LENDING_KINDS, type CatalogueView } from '../catalogue/catalogue-view.ts';
import { selectListVersion, selectProductVersion } from '../catalogue/version-in-force.ts';
import { EncodedRecords, type EncodedRecordsOptions, type IndexEntry } from './records-in-memory.ts';
import { createLibraryCalendars } from '../../lending/calendars/library/library-calendars.ts';
import type { Codec } from '../../messaging/codec.ts';
import type { Broker } from '../../messaging/ports.ts';
import { topicName } from '../../messaging/topics/topic-list.ts';
import type { Config } from '../../platform/load-config.ts';
import type { Log } from '../../platform/log.ts';
import type { Timers } from '../../platform/system-ports.ts';

export interface CatalogueTableOptions extends Omit<EncodedRecordsOptions, 'onChange'> {
  /** Finds calendars of countries without a built-in one. Calendars of the catalogue may be based on them. */
  readonly otherCalendars?: OtherCalendars | undefined;
  readonly metrics?: Metrics | undefined;
}

/**
 * The catalogue in memory, following its compacted topic. Records are unpacked on demand; an unreadable one is counted,
 * logged and treated as absent. Returned records never change: a change to the catalogue creates new objects.
 */
export class CatalogueTable implements CatalogueView {
  readonly #options: CatalogueTableOptions;
  readonly #records: EncodedRecords;
  readonly #charges: CatalogueCharges;
  #lending: LendingCatalogue | undefined;
  #productCodes: readonly string[] | undefined;
  /** The number of schedule types, periodicities and calendars that are excluded because of faults. */
  #namesLeftOut = 0;

  constructor(options: CatalogueTableOptions) {
    this.#options = options;
    this.#charges = new CatalogueCharges(this, (turn) => options.timers.nextTurn(turn));
    this.#records = new EncodedRecords({
      ...options,
      onChange: ({ kind, code }) => {
        if (LENDING_KINDS.has(kind)) this.#lending = undefined;
        if (kind === 'product') this.#productCodes = undefined;
        this.#charges.noteChange(kind, code);
      },
    });
    const { metrics, clientId } = options;
    const gauge = metrics?.gauge('plat_catalogue_state');
    metrics?.onScrape(() => {
      for (const [figure, value] of Object.entries(this.stats())) {
        gauge?.set({ worker: clientId, figure }, value);
      }
    });
  }

  /** Resolves when the whole topic has been read. Rejects with MessagingError `tail-behind` if that takes too long. */
  async start(): Promise<void> {
    await this.#records.start();
    this.#lending = this.#compile();
  }

  caughtUp(timeoutMs: number): Promise<void> {
    return this.#records.caughtUp(timeoutMs);
  }

  health(): Health {
    return this.#records.health();
  }

  stats() {
    return { ...this.#records.stats(), namesLeftOut: this.#namesLeftOut };
  }

  stop(timeoutMs?: number): Promise<void> {
    return this.#records.stop(timeoutMs);
  }

  get lending(): LendingCatalogue {
    this.#lending ??= this.#compile();
    return this.#lending;
  }

  product(code: string, day: CalendarDate) {
    const versions = this.#records.index.versions('product', code);
    return this.#readable('product', versions, (left) => selectProductVersion(left, day));
  }

  productById(id: string, day: CalendarDate) {
    const versions = this.#records.index.withId('product', id);
    return this.#readable('product', versions, (left) => selectProductVersion(left, day));
  }

  productCodes(): readonly string[] {
    this.#productCodes ??= this.#records.index.codes('product').toSorted();
    return this.#productCodes;
  }

  list<Kind extends ListKind>(kind: Kind, code: string | null) {
    if (code === null) return undefined;
    return this.#readable(kind, this.#records.index.versions(kind, code), (left) => selectListVersion(left));
  }

  identities(): readonly (RecordIdentity & { readonly key: string })[] {
    return [...this.#records.index.all()].map(({ key, identity }) => ({ ...identity, key }));
  }

  /** Returns the record with a message key; undefined if there is none or it is unreadable. */
  record(key: string): CatalogueRecord | undefined {
    const entry = this.#records.index.get(key);
    return entry === undefined ? undefined : this.#records.unpack(entry);
  }

  #readable<Kind extends RecordKind>(
    kind: Kind,
    versions: readonly IndexEntry[],
    choose: (left: readonly IndexEntry[]) => IndexEntry | undefined,
  ): RecordsByKind[Kind] | undefined {
    let left = versions;
    for (let chosen = choose(left); chosen !== undefined; chosen = choose(left)) {
      const unreadable = chosen;
      const found = this.#records.unpack(chosen);
      // The compiler cannot derive the record type from a kind that is a type parameter.
      if (found?.kind === kind) return found.record as RecordsByKind[Kind];
      left = left.filter((entry) => entry !== unreadable);
    }
    return undefined;
  }

  #compile(): LendingCatalogue {
    const { log, topic, otherCalendars } = this.#options;
    let left: readonly CatalogueRecord[] = [...this.#records.index.all()]
      .filter(({ identity }) => LENDING_KINDS.has(identity.kind))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .flatMap((entry) => this.#records.unpack(entry) ?? []);
    const excluded = new Set<string>();
    let outcome = compileLending(left, otherCalendars);
    // A faulty record is excluded together with those that depend on it, so that all other records stay in use.
    while (outcome.kind === 'refused') {
      for (const { source } of outcome.faults) excluded.add(source);
      const sound = left.filter(({ source }) => !excluded.has(source));
      left = sound.length < left.length ? sound : [];
      outcome = compileLending(left, otherCalendars);
    }
    this.#namesLeftOut = excluded.size;
    for (const key of excluded) log.warn({ topic, key }, 'a faulty catalogue record is excluded');
    const charges = this.#charges;
    // Charges are read on access, so a changed list of charges needs no compilation of schedule types.
    return {
      ...outcome.catalogue,
      get knownCharges() {
        return charges.known;
      },
    };
  }
}

export interface CatalogueContext {
  readonly config: Pick<Config, 'topicPrefix' | 'lending'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly broker: Pick<Broker, 'createTail'>;
  readonly codec: Codec;
  readonly timers: Timers;
}

/** A catalogue that has been read completely and follows the topic. */
export interface WorkerCatalogue {
  readonly view: CatalogueView;
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Resolves when the catalogue topic has been read; the catalogue then follows it. Rejects with MessagingError
 * `tail-behind`, leaving nothing running, if reading, or fetching schemas afterwards, takes more than 30 s.
 */
export async function openCatalogue(
  context: CatalogueContext,
  worker: string,
  otherCalendars: OtherCalendars = createLibraryCalendars(),
): Promise<WorkerCatalogue> {
  const topic = topicName(context.config.topicPrefix, 'catalogueRecords');
  const table = new CatalogueTable({ ...context, topic, clientId: `${worker}-catalogue`, otherCalendars });
  try {
    await table.start();
  } catch (error) {
    await table.stop(0);
    throw error;
  }
  return { view: table, health: () => table.health(), stop: (timeoutMs) => table.stop(timeoutMs) };
}
export type OpenCatalogue = typeof openCatalogue;
