/** Records of an institution's catalogue with their source, so that faults can name it. */

/** A record and its file or other source. */
export interface CatalogueEntry<RecordKind> {
  readonly source: string;
  readonly record: RecordKind;
}

/** A fault of a catalogue. */
export interface CatalogueFault {
  readonly source: string;
  /** Name of the record as spelled there. */
  readonly record: string;
  /** Human-readable: what is wrong and what to do. */
  readonly message: string;
}
