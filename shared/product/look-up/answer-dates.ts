/** Days as answers of look-ups spell them. */

/** A day in an object of its own, as interface section 2.2 has it. */
export interface InvariantDate {
  /** `yyyy-mm-dd`. */
  readonly invariantDate: string;
}

/** A day `yyyy-mm-dd` in its object; null for an open end. */
export function invariantDate(day: string | null): InvariantDate | null {
  return day === null ? null : { invariantDate: day };
}

/** A day `yyyy-mm-dd` as a text date-time without a zone; null for an open end. */
export function dateTimeText(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00`;
}
