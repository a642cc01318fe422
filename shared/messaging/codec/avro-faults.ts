/** What of a payload has no place in its Avro schema, in words for the caller whose number it is. */

import avro, { type Type } from 'avsc';
import type { Fault } from '../../platform/problem.ts';
import { SystemError } from '../../platform/errors.ts';
import { DecimalType, decimalMisfit, type DecimalLimits } from './avro-decimal.ts';

/** Most faults that are listed of one payload. */
const MAX_FAULTS = 100;

/** A payload that does not fit its schema was to be encoded. Nothing is ever rounded or cut to make it fit. */
export class PayloadError extends SystemError {
  override readonly name = 'PayloadError';
  readonly faults: readonly Fault[];

  constructor(type: string, faults: readonly Fault[]) {
    const listed = faults.map((fault) => `${fault.path} ${fault.message}`).join('; ');
    super('payload-does-not-fit', `${type} cannot be encoded: ${listed}`, { canRetry: false });
    this.faults = faults;
  }
}

/**
 * All members whose value has no exact place in the schema; empty when the payload fits. Codes: `too-many-decimals`
 * and `out-of-range` for numbers, `wrong-type` for all else. Paths are written `Commission[0].SourceValue`.
 */
export function faultsAgainstSchema(schema: Type, payload: unknown): readonly Fault[] {
  const faults: Fault[] = [];
  schema.isValid(payload, {
    errorHook: (path, value: unknown, expected) => {
      if (faults.length < MAX_FAULTS) faults.push({ path: pathText(path), ...misfit(expected, value) });
    },
  });
  return faults;
}

function pathText(path: readonly string[]): string {
  let text = '';
  for (const step of path) {
    if (/^\d+$/.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text === '' ? 'payload' : text;
}

function misfit(expected: Type, value: unknown): Omit<Fault, 'path'> {
  const branches = avro.Type.isType(expected, 'union')
    ? (expected as unknown as { types: readonly Type[] }).types
    : [expected];
  for (const branch of branches) {
    if (branch instanceof DecimalType) return decimalFault(value, branch.limits);
    if (typeof value === 'number' && (branch.typeName === 'int' || branch.typeName === 'long')) {
      const range = branch.typeName === 'int' ? 'of 32 bits' : 'from -2^52 to 2^53 - 2';
      return { code: 'out-of-range', message: `must be a whole number ${range}` };
    }
  }
  const kinds = branches.map((branch) => branch.branchName ?? branch.typeName).join(' or ');
  return { code: 'wrong-type', message: `must be ${kinds}` };
}

function decimalFault(value: unknown, { precision, scale }: DecimalLimits): Omit<Fault, 'path'> {
  const why = decimalMisfit(value, { precision, scale });
  if (why === 'too-many-decimals') return { code: why, message: `must have at most ${scale} decimals` };
  if (why === 'too-large') {
    return { code: 'out-of-range', message: `must be below 10^${precision - scale} in either direction` };
  }
  return { code: 'wrong-type', message: 'must be a finite decimal' };
}
