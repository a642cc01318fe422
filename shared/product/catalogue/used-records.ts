import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { codeKey, type ListKind, type RecordKind, type RecordsByKind } from './catalogue-record.ts';
import type { CatalogueView } from './catalogue-view.ts';

/** The catalogue for one request, which gets each list once. It notes the product and the lists that it returns (E7). */
export class UsedRecords implements CatalogueView {
  readonly #catalogue: CatalogueView;
  readonly #used = new Map<RecordsByKind['product' | ListKind], RecordKind>();
  readonly #lists = new Map<string, RecordsByKind[ListKind] | undefined>();

  constructor(catalogue: CatalogueView) {
    this.#catalogue = catalogue;
  }

  get lending() {
    return this.#catalogue.lending;
  }

  product(code: string, day: CalendarDate) {
    return this.#note('product', this.#catalogue.product(code, day));
  }

  productById(id: string, day: CalendarDate) {
    return this.#note('product', this.#catalogue.productById(id, day));
  }

  productCodes() {
    return this.#catalogue.productCodes();
  }

  list<Kind extends ListKind>(kind: Kind, code: string | null) {
    const key = `${kind} ${codeKey(code ?? '')}`;
    const earlier = this.#lists.get(key);
    if (earlier !== undefined || this.#lists.has(key)) return earlier as RecordsByKind[Kind] | undefined;
    const found = this.#note(kind, this.#catalogue.list(kind, code));
    this.#lists.set(key, found);
    return found;
  }

  /** In the order of the first use. A product that was unpacked twice is listed twice. */
  versions() {
    return [...this.#used].map(([{ Code, Version }, kind]) => ({ kind, code: Code, version: Version }));
  }

  #note<Kind extends 'product' | ListKind>(kind: Kind, record: RecordsByKind[Kind] | undefined) {
    if (record !== undefined) this.#used.set(record, kind);
    return record;
  }
}
