/** The records of a portfolio: contracts and refused lines. The contracts of a chunk are sent in one batch. */

import type { Readable } from 'node:stream';
import { limitFaults } from '../../shared/api/json/faults.ts';
import { MAX_WARNINGS, unknownField } from '../../shared/api/json/unknown-fields.ts';
import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import { MAX_INSTALLMENTS } from '../../shared/lending/request/field-checks.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import {
  createProblem,
  type ErrorCode,
  type Fault,
  type Problem,
  type Warning,
} from '../../shared/platform/problem.ts';
import { readContractLine } from '../../shared/portfolio/input-faults.ts';
import type { Notation } from '../../shared/portfolio/csv-notation.ts';

export interface Contract {
  /** The line number in the input, from 1; for a record that spans several lines, its first. */
  readonly line: number;
  readonly id: string | number;
  readonly request: RepaymentScheduleRequest;
  /** The requested number of instalments, from 1 to 1200: a measure of the work and of the size of the reply. */
  readonly rows: number;
  /** Warnings about ignored fields, as in an HTTP answer (E3). The worker does not get these fields. */
  readonly warnings: readonly Warning[];
  /** The previous schedule as sent, not validated; undefined if absent. */
  readonly former: unknown;
}

export type InputRecord =
  | ({ readonly kind: 'contract' } & Contract)
  | {
      readonly kind: 'refused';
      readonly line: number;
      readonly id: string | number | undefined;
      readonly problem: Problem;
    };

export interface InputChunk {
  readonly records: readonly InputRecord[];
  readonly lastLine: number;
  /** SHA-256 in hexadecimal of all records up to `lastLine`. It does not depend on compression or chunks. */
  readonly digest: string;
  /** Bytes read from the file, before decompression. */
  readonly bytesRead: number;
}

export const INPUT_FORMATS = ['ndjson', 'csv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export interface CsvOptions extends Notation {
  readonly ignore?: readonly string[] | undefined;
}

export interface InputOptions {
  readonly file: string;
  readonly format: InputFormat;
  readonly maxContracts: number;
  readonly csv?: CsvOptions | undefined;
  readonly stdin?: Readable;
}

/** The input cannot be read, for example because it does not exist, breaks off, or has invalid columns. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

export interface RawRecord {
  readonly line: number;
  readonly text: Buffer | string;
  /** Returns undefined for an empty record and for the first line of CSV. */
  readonly read: () => InputRecord | undefined;
}

/** The problem of a whole line. `message` continues a sentence that begins with "The line". */
export function lineProblem(code: ErrorCode, fault: Pick<Fault, 'code' | 'message'>): Problem {
  return createProblem(code, { detail: `The line ${fault.message}.`, errors: [{ path: 'line', ...fault }] });
}

export function refuseLine(line: number, problem: Problem, id?: string | number): InputRecord {
  return { kind: 'refused', line, id, problem };
}

/** Validates the request as over HTTP, with all faults (E3). `unreadable` has faults of cells that `value` lacks. */
export function readContract(line: number, value: unknown, unreadable: readonly Fault[] = []): InputRecord {
  const read = readContractLine(value);
  if ('code' in read) return refused(line, undefined, [read]);
  const { id, jsonParam, schedule, ignored } = read;
  const request = repaymentScheduleRequest.read({ jsonParam });
  const faults = [...read.faults, ...unreadable];
  if (request.kind === 'invalid' && faults.length === 0) {
    return refuseLine(line, createProblem(request.problem, { errors: request.faults }), id);
  }
  if (request.kind === 'invalid') {
    // An unreadable cell's field is also missing in the request; that is not reported as a second fault.
    const known = new Set(unreadable.map(({ path }) => path));
    return refused(line, id, [...faults, ...request.faults.filter(({ path }) => !known.has(path))]);
  }
  if (faults.length > 0 || id === undefined) return refused(line, id, faults);
  return {
    kind: 'contract',
    line,
    id,
    request: request.payload,
    // The worker refuses a number outside these limits.
    rows: Math.min(Math.max(request.payload.InstallmentsNo, 1), MAX_INSTALLMENTS),
    warnings: [...request.warnings, ...ignored.map((name) => unknownField(name))].slice(0, MAX_WARNINGS),
    former: schedule,
  };
}

function refused(line: number, id: string | number | undefined, faults: readonly Fault[]): InputRecord {
  return refuseLine(line, createProblem('invalid-request', { errors: limitFaults(faults) }), id);
}
