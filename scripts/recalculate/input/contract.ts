/** Reads one line of a portfolio, `{id, jsonParam, schedule?}`, as a contract or a refused line. */

import { MAX_WARNINGS, unknownField } from '../../../shared/contract/json/unknown-fields.ts';
import { repaymentScheduleRequest } from '../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import { isAbsent, isRecord, limitFaults, shapeFault } from '../../../shared/contract/json/faults.ts';
import { MAX_INSTALLMENTS } from '../../../shared/lending/request/max-installments.ts';
import { createProblem, type Fault, type Warning } from '../../../shared/platform/problem.ts';
import { type InputRecord, refuseLine } from './records.ts';

/** Fields of a line; others are ignored. */
export const LINE_FIELD = { id: 'id', request: 'jsonParam', former: 'schedule' } as const;

const FIELDS: ReadonlySet<string> = new Set(Object.values(LINE_FIELD));
/** Maximum length of a contract id in characters; the same as in a request batch. */
const MAX_ID_LENGTH = 200;
const ID = `text of 1 to ${MAX_ID_LENGTH} characters or a whole number`;

/**
 * Reads the value of a line. The request is validated as over HTTP, and all faults are reported together (E3). `known`
 * are the faults of cells that could not be read; their fields are absent from the value.
 */
export function readContract(line: number, value: unknown, known: readonly Fault[] = []): InputRecord {
  if (!isRecord(value)) {
    const fault = shapeFault('line', 'wrong-type', 'must be an object with the members id and jsonParam');
    return refused(line, undefined, [fault]);
  }
  const { id: sentId, jsonParam, schedule } = value;
  const id = readId(sentId);
  const read = repaymentScheduleRequest.read({ jsonParam });
  const faults = id === undefined ? [idFault(sentId), ...known] : known;
  if (read.kind === 'invalid' && faults.length === 0) {
    return refuseLine(line, createProblem(read.problem, { errors: read.faults }), id);
  }
  if (read.kind === 'invalid') return refused(line, id, [...faults, ...beside(known, read.faults)]);
  if (faults.length > 0 || id === undefined) return refused(line, id, faults);
  return {
    kind: 'contract',
    line,
    id,
    request: read.payload,
    // As many are counted for a request for more, which the worker refuses.
    rows: Math.min(Math.max(read.payload.InstallmentsNo, 1), MAX_INSTALLMENTS),
    warnings: withUnknown(read.warnings, value),
    former: schedule ?? undefined,
  };
}

/** A number above the safe integers would be rounded, and become another id. */
function readId(sent: unknown): string | number | undefined {
  if (typeof sent === 'string') return sent.length > 0 && sent.length <= MAX_ID_LENGTH ? sent : undefined;
  return typeof sent === 'number' && Number.isSafeInteger(sent) ? sent : undefined;
}

function idFault(sent: unknown): Fault {
  const path = LINE_FIELD.id;
  if (isAbsent(sent)) return shapeFault(path, 'missing', `is missing; must be ${ID}`);
  if (sent === '') return shapeFault(path, 'empty', `must not be empty; it must be ${ID}`);
  if (typeof sent === 'string') {
    return shapeFault(path, 'too-long', `must have at most ${MAX_ID_LENGTH} characters`);
  }
  if (typeof sent !== 'number' && !JSON.isRawJSON(sent))
    return shapeFault(path, 'wrong-type', `must be ${ID}`);
  const largest = `must be text or a whole number of at most ${Number.MAX_SAFE_INTEGER} in absolute value`;
  return shapeFault(path, 'out-of-range', largest);
}

/** Omits faults of fields that are known to be unreadable. */
function beside(known: readonly Fault[], faults: readonly Fault[]): readonly Fault[] {
  const paths = new Set(known.map(({ path }) => path));
  return faults.filter(({ path }) => !paths.has(path));
}

function refused(line: number, id: string | number | undefined, faults: readonly Fault[]): InputRecord {
  return refuseLine(line, createProblem('invalid-request', { errors: limitFaults(faults) }), id);
}

function withUnknown(
  warnings: readonly Warning[],
  value: Readonly<Record<string, unknown>>,
): readonly Warning[] {
  const unknown = Object.keys(value).filter((name) => !FIELDS.has(name));
  if (unknown.length === 0) return warnings;
  return [...warnings, ...unknown.map((name) => unknownField(name))].slice(0, MAX_WARNINGS);
}
