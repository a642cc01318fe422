/** Records of an institution's catalogue with their source, so that faults can name it. */

/** A record and its file or other source. */
export interface CatalogueEntry<RecordKind> {
  readonly source: string;
  readonly record: RecordKind;
  /** Unreadable fields, replaced by harmless values: no further fault is reported for them. */
  readonly unread?: ReadonlySet<string>;
}

/** A fault of a catalogue. */
export interface CatalogueFault {
  readonly source: string;
  /** Name of the record as spelled there. */
  readonly record: string;
  /** Human-readable: what is wrong and what to do. */
  readonly message: string;
}

/** False for a message about an unreadable field; the first word of a message is the field, or `column`. */
export function isReportable({ unread }: CatalogueEntry<unknown>, message: string): boolean {
  return unread === undefined || !unread.has(/^\w+/.exec(message)?.[0] ?? '');
}
