/** What a portfolio is read as: contracts and refused lines, in chunks of which each makes one batch of requests. */

import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { Problem, Warning } from '../../../shared/platform/problem.ts';

/** One contract that is to be calculated. */
export interface Contract {
  /** Where it stands in the input; of a record over several lines the first one, from 1. */
  readonly line: number;
  /** The contract's own id, as the input has it. */
  readonly id: string | number;
  readonly request: RepaymentScheduleRequest;
  /** Installments that are asked for, 1 to 1200: what the calculation and its answer weigh. */
  readonly rows: number;
  /** Members that have no effect, as HTTP callers are told of them (E3). The worker does not see them any more. */
  readonly warnings: readonly Warning[];
  /** The former schedule as the line has it; undefined where there is none. Not checked. */
  readonly former: unknown;
}

/** A line that is no request. */
export interface RefusedLine {
  readonly line: number;
  /** Where the line could be read as far as that. */
  readonly id: string | number | undefined;
  readonly problem: Problem;
}

export type InputRecord =
  | ({ readonly kind: 'contract' } & Contract)
  | ({ readonly kind: 'refused' } & RefusedLine);

/** Records that follow one another in the input. Never empty. */
export interface InputChunk {
  readonly records: readonly InputRecord[];
  /** Line of the last record. */
  readonly lastLine: number;
  /** SHA-256 in hexadecimal over the text of all lines up to the last one, whatever the packing and the chunks. */
  readonly digest: string;
  /** Bytes of the file read by then; tells how far along a run is once the chunk is done. */
  readonly bytesRead: number;
}

export const INPUT_FORMATS = ['ndjson', 'csv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** Where a portfolio is read from, and how much of it makes a chunk. */
export interface InputOptions {
  /** Path of a file; `-` is the standard input. */
  readonly file: string;
  readonly format: InputFormat;
  /** Most contracts of a chunk. */
  readonly maxContracts: number;
  /** Stands for the standard input. */
  readonly stdin?: NodeJS.ReadableStream;
}

/** A portfolio that is read once, from its beginning to its end. */
export interface PortfolioInput {
  /**
   * The chunks in order; reads on only when the next one is asked for. Can be iterated once. Rejects with InputError
   * where the input breaks off.
   */
  records(): AsyncIterable<InputChunk>;
  /** Size of the file as it lies on the disk; undefined for the standard input and whatever has no size. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file read so far, packed ones where it is packed. */
  bytesRead(): number;
  /**
   * Reads over all lines up to this one, the last line of a chunk of an earlier run; called before {@link records}.
   * Rejects with InputChangedError when their digest is another one.
   */
  skip(lastLine: number, digest: string): Promise<void>;
  close(): Promise<void>;
}

/** The input cannot be read on: it does not exist, breaks off, or its packing is damaged. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** The input of a resumed run is not the one that the run began with. */
export class InputChangedError extends InputError {
  override readonly name = 'InputChangedError';
}
