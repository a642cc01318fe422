/** Reads a portfolio file in the browser: NDJSON or CSV as for `npm run recalculate` (docs/recalculation.md). */
import { parse } from 'csv-parse/browser/esm/sync';

export interface Contract {
  readonly line: number;
  readonly id: string;
  readonly jsonParam: Readonly<Record<string, unknown>>;
  /** Rows of the previous schedule. */
  readonly schedule: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A line that is not a contract, and why. */
export interface UnreadableLine {
  readonly line: number;
  readonly id: string;
  readonly reason: string;
}

export interface PortfolioFile {
  readonly contracts: readonly Contract[];
  readonly unreadable: readonly UnreadableLine[];
}

/** Larger files are for `npm run recalculate`, which has no limit. */
export const MAX_CONTRACTS = 10_000;
export const MAX_FILE_BYTES = 50 * 1_024 * 1_024;

const MAX_ID_LENGTH = 200;

/** Reads the contracts of a file by its name: `.csv` is CSV, everything else NDJSON. Throws RangeError for too many contracts. */
export function readContracts(fileName: string, text: string): PortfolioFile {
  const withoutMark = text.replace(/^\uFEFF/, '');
  return /\.csv$/i.test(fileName) ? readCsv(withoutMark) : readNdjson(withoutMark);
}

function readNdjson(text: string): PortfolioFile {
  const lines = text
    .split('\n')
    .map((content, index) => ({ content: content.trim(), line: index + 1 }))
    .filter(({ content }) => content !== '');
  refuseTooMany(lines.length);
  return collect(
    lines.map(({ content, line }) => ({
      line,
      read: () => JSON.parse(content) as unknown,
    })),
  );
}

function readCsv(text: string): PortfolioFile {
  const [head = ''] = text.split('\n', 1);
  const delimiter = /[;\t,]/.exec(head)?.[0] ?? ',';
  const records = parse<Record<string, string>>(text, {
    delimiter,
    columns: true,
    skip_empty_lines: true,
    trim: true,
  });
  refuseTooMany(records.length);
  return collect(
    records.map((record, index) => ({
      line: index + 2,
      read: () => readRecord(record),
    })),
  );
}

function refuseTooMany(count: number): void {
  if (count > MAX_CONTRACTS) throw new RangeError(String(count));
}

/** A record of CSV as an object of NDJSON: empty cells are absent fields, numbers and lists are JSON text. */
function readRecord(record: Readonly<Record<string, string>>): unknown {
  const { id, schedule, jsonParam, ...cells } = record;
  const fields = Object.entries(cells).filter(([, cell]) => cell !== '');
  return {
    id,
    jsonParam:
      jsonParam === undefined || jsonParam === ''
        ? Object.fromEntries(fields.map(([name, cell]) => [name, readCell(cell)]))
        : (JSON.parse(jsonParam) as unknown),
    ...(schedule === undefined || schedule === '' ? {} : { schedule: JSON.parse(schedule) as unknown }),
  };
}

function readCell(cell: string): unknown {
  const isJson = /^(?:-?\d+(?:\.\d+)?|true|false|\[.*\]|\{.*\})$/s.test(cell);
  return isJson ? (JSON.parse(cell) as unknown) : cell;
}

function collect(lines: readonly { line: number; read: () => unknown }[]): PortfolioFile {
  const contracts: Contract[] = [];
  const unreadable: UnreadableLine[] = [];
  for (const { line, read } of lines) {
    try {
      const contract = readContract(line, read());
      if ('reason' in contract) unreadable.push(contract);
      else contracts.push(contract);
    } catch (error) {
      unreadable.push({ line, id: '', reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { contracts, unreadable };
}

function readContract(line: number, value: unknown): Contract | UnreadableLine {
  if (!isObject(value)) return { line, id: '', reason: 'must be a JSON object' };
  const id = typeof value['id'] === 'number' ? String(value['id']) : value['id'];
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) {
    return {
      line,
      id: '',
      reason: `id: must be a text of 1 to ${MAX_ID_LENGTH} characters, or a whole number`,
    };
  }
  const { jsonParam, schedule } = value;
  if (!isObject(jsonParam)) return { line, id, reason: 'jsonParam: must be an object' };
  if (schedule !== undefined && !(Array.isArray(schedule) && schedule.every(isObject))) {
    return { line, id, reason: 'schedule: must be a list of rows' };
  }
  return { line, id, jsonParam, schedule };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
