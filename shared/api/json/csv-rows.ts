/** Writes rows of an answer as CSV (RFC 4180): a head, a line for each row, CRLF, quotes where they are needed (T6). */

const SPECIAL = /[",\r\n]/;

/**
 * The columns are the fields of all rows, in the order of their first appearance; a row without a field has an empty
 * cell, as null has. Objects and lists inside a row are left out.
 */
export function csvText(objects: readonly object[]): string {
  const rows = objects as readonly Readonly<Record<string, unknown>>[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isPlain(row[name]))))];
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

/** For JSON.parse: numbers stay as written, with all their digits (M1). */
export function asWritten(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'boolean' ? `${value}` : '';
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
