/** Reads one line of a portfolio, `{id, jsonParam, schedule?}`, as a contract or a refused line. */

import { MAX_WARNINGS, unknownField } from '../../../shared/api/json/unknown-fields.ts';
import { repaymentScheduleRequest } from '../../../shared/api/actions/schedule-action.ts';
import { limitFaults } from '../../../shared/api/json/faults.ts';
import { MAX_INSTALLMENTS } from '../../../shared/lending/request/max-installments.ts';
import { createProblem, type Fault } from '../../../shared/platform/problem.ts';
import { readContractLine } from '../../../shared/portfolio/contract-line.ts';
import { type InputRecord, refuseLine } from './records.ts';

/**
 * Reads the value of a line. The request is validated as over HTTP, and all faults are reported together (E3). `unreadable`
 * are the faults of cells that could not be read; their fields are absent from the value.
 */
export function readContract(line: number, value: unknown, unreadable: readonly Fault[] = []): InputRecord {
  const read = readContractLine(value);
  if ('code' in read) return refused(line, undefined, [read]);
  const { id, jsonParam, schedule, ignored } = read;
  const request = repaymentScheduleRequest.read({ jsonParam });
  const faults = [...read.faults, ...unreadable];
  if (request.kind === 'invalid' && faults.length === 0) {
    return refuseLine(line, createProblem(request.problem, { errors: request.faults }), id);
  }
  if (request.kind === 'invalid')
    return refused(line, id, [...faults, ...beside(unreadable, request.faults)]);
  if (faults.length > 0 || id === undefined) return refused(line, id, faults);
  return {
    kind: 'contract',
    line,
    id,
    request: request.payload,
    // As many are counted for a request for more, which the worker refuses.
    rows: Math.min(Math.max(request.payload.InstallmentsNo, 1), MAX_INSTALLMENTS),
    warnings: [...request.warnings, ...ignored.map((name) => unknownField(name))].slice(0, MAX_WARNINGS),
    former: schedule,
  };
}

/** Omits faults of fields that are known to be unreadable. */
function beside(known: readonly Fault[], faults: readonly Fault[]): readonly Fault[] {
  const paths = new Set(known.map(({ path }) => path));
  return faults.filter(({ path }) => !paths.has(path));
}

function refused(line: number, id: string | number | undefined, faults: readonly Fault[]): InputRecord {
  return refuseLine(line, createProblem('invalid-request', { errors: limitFaults(faults) }), id);
}
