/** Records of an institution's catalogue, with where each was found, so that a fault can name the place. */

/** A record and the file, or other place, that it stands in. */
export interface CatalogueEntry<RecordKind> {
  readonly source: string;
  readonly record: RecordKind;
  /** Fields that could not be read, in whose place something harmless stands: no fault is reported for them. */
  readonly unread?: ReadonlySet<string>;
}

/** One thing that is wrong with a catalogue. */
export interface CatalogueFault {
  readonly source: string;
  /** Name of the record as it spells it. */
  readonly record: string;
  /** What is wrong and what to do, for a person. */
  readonly message: string;
}

/** True unless a message is about a field that could not be read; its first word is the field, or `column`. */
export function isReportable({ unread }: CatalogueEntry<unknown>, message: string): boolean {
  return unread === undefined || !unread.has(/^\w+/.exec(message)?.[0] ?? '');
}
