/**
 * The records of a portfolio: as raw bytes of the input, then as contracts and refused lines, in chunks that each make
 * one batch of requests.
 */

import type { Readable } from 'node:stream';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { DuplicateIds } from '../../../shared/portfolio/duplicate-ids.ts';
import type { Notation } from '../../../shared/portfolio/csv-notation.ts';
import type { NamedCell } from '../../../shared/portfolio/equal-faults.ts';
import type { Fault, Problem, Warning } from '../../../shared/platform/problem.ts';
import { createProblem, type ErrorCode } from '../../../shared/platform/problem.ts';

/** A contract to be calculated. */
export interface Contract {
  /** Its line in the input, counted from 1; the first line of a record that spans several lines. */
  readonly line: number;
  /** The id of the contract in the input. */
  readonly id: string | number;
  readonly request: RepaymentScheduleRequest;
  /** Number of requested instalments, 1 to 1200, as the cost of the calculation and its reply. */
  readonly rows: number;
  /** Ignored fields, as HTTP callers get them (E3); they are not sent to the worker. */
  readonly warnings: readonly Warning[];
  /** The previous schedule as sent, not validated; undefined if absent. */
  readonly former: unknown;
}

/** A line that is not a valid request. */
export interface RefusedLine {
  readonly line: number;
  /** Undefined if it cannot be read. */
  readonly id: string | number | undefined;
  readonly problem: Problem;
}

export type InputRecord = (
  | ({ readonly kind: 'contract' } & Contract)
  | ({ readonly kind: 'refused' } & RefusedLine)
) & {
  /** Of CSV: the cell of a field, by its path in faults. */
  readonly cellOf?: (path: string) => NamedCell | undefined;
};

/** Consecutive records of the input. Never empty. */
export interface InputChunk {
  readonly records: readonly InputRecord[];
  /** Line of the last record. */
  readonly lastLine: number;
  /** SHA-256 in hexadecimal over the content of all records up to the last one, whatever the compression and the chunks. */
  readonly digest: string;
  /** Bytes of the file read up to this chunk, which show the progress when it is done. */
  readonly bytesRead: number;
}

export const INPUT_FORMATS = ['ndjson', 'csv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** How CSV is read: its notation as far as it is known, and the names of columns that are left out. */
export interface CsvOptions extends Notation {
  readonly ignore?: readonly string[] | undefined;
}

/** The source of a portfolio, and the size of its chunks. */
export interface InputOptions {
  /** Path of a file; `-` is the standard input. */
  readonly file: string;
  readonly format: InputFormat;
  /** Maximum number of contracts in a chunk. */
  readonly maxContracts: number;
  readonly csv?: CsvOptions | undefined;
  /** Replaces the standard input. */
  readonly stdin?: Readable;
}

/** A portfolio that is read once from start to end. */
export interface PortfolioInput {
  /**
   * The chunks in order; each is read only when it is requested. Can be iterated once. Rejects with InputError if the
   * input breaks off.
   */
  records(): AsyncIterable<InputChunk>;
  /** The size of the file on disk; undefined for the standard input and other inputs without a size. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file read so far, before decompression. */
  bytesRead(): number;
  /**
   * Skips all lines up to this one, the last line of a chunk of an earlier run; called before {@link records}. Rejects
   * with InputChangedError if their digest differs.
   */
  skip(lastLine: number, digest: string): Promise<void>;
  /** The ids that occurred more than once in the lines that were skipped or read. */
  duplicateIds(): DuplicateIds;
  close(): void;
}

/** The input cannot be read: it does not exist, breaks off, or its compression is damaged. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** The input of a resumed run has changed since the run started. */
export class InputChangedError extends InputError {
  override readonly name = 'InputChangedError';
}

/** One contract of the input before it is read: a line, or several lines if a cell contains line breaks. */
export interface RawRecord {
  /** The number of its first line. */
  readonly line: number;
  /** The content for the digest. */
  readonly text: Buffer | string;
  /** Undefined for an empty record and for the first line of CSV. */
  readonly read: () => InputRecord | undefined;
}

/** The problem of a line that cannot be read. */
export function lineProblem(code: ErrorCode, fault: Pick<Fault, 'code' | 'message'>): Problem {
  return createProblem(code, { detail: `The line ${fault.message}.`, errors: [{ path: 'line', ...fault }] });
}

/** A record that cannot be calculated. */
export function refuseLine(line: number, problem: Problem, id?: string | number): InputRecord {
  return { kind: 'refused', line, id, problem };
}
