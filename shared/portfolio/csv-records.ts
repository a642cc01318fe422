/** How a CSV of contracts is split into records (RFC 4180), the same for the page and the command; csv-parse splits it. */

import type { Options } from 'csv-parse';

/** The cells of one contract, or of the first line. */
export interface CsvRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Maximum length of a record; a request with a previous schedule of 1,200 instalments takes a third of it. */
export const MAX_LINE_BYTES = 1_048_576;
/** Why no record after a certain line can be told apart: what follows a stray quote may belong to its cell. */
export const MALFORMED = 'has a misplaced quote, or one that is not closed within 1 MiB';

const DELIMITERS = [',', ';', '\t'];
const QUOTED = /"[^"]*"/g;
const LINE_FEED = /\n/g;
const CARRIAGE_RETURN = /\r/g;

/**
 * Options of csv-parse, whose result is what `onRecord` returns for each record. The delimiter is whichever of comma, semicolon and tab is most
 * frequent in `head`, the first line. csv-parse refuses a misplaced quote.
 */
export function csvParseOptions(head: string, onRecord: (record: CsvRecord) => unknown): Options {
  // csv-parse counts each carriage return in a cell as a line.
  let carriageReturns = 0;
  return {
    bom: true,
    delimiter: delimiterOf(head),
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    on_record: (cells, { lines }) => {
      const all = cells.join('');
      carriageReturns += all.match(CARRIAGE_RETURN)?.length ?? 0;
      const line = lines - carriageReturns - (all.match(LINE_FEED)?.length ?? 0);
      return onRecord({ line, cells }) as string[];
    },
  };
}

function delimiterOf(head: string): string {
  const plain = head.replaceAll(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
