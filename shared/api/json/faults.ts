/** Schema violations of requests (E1, E3): stable codes, and paths as the interface spells them. */

import type { z } from 'zod';
import type { JsonFaultCode } from '../../platform/json.ts';
import { type Fault, fieldPath, valueAt } from '../../platform/problem.ts';
import TEXTS from './fault-texts.json' with { type: 'json' };

/** Codes of faults of a body that is not JSON; their path is `body`, or `Data` for the JSON text in it. */
export const BODY_FAULTS: Readonly<Record<JsonFaultCode, string>> = TEXTS.body;

/** Codes of faults of fields. They are stable: callers may branch on them. */
export const SHAPE_FAULTS = TEXTS.fields;

export type ShapeFaultCode = keyof typeof SHAPE_FAULTS;

/** Maximum number of faults in a problem, so that it stays small. */
export const MAX_FAULTS = 100;

/**
 * Faults of numbers that can be read but are unsuitable for calculations: a request with no other faults gets 422,
 * not 400 (M6, E1).
 */
const NOT_COMPUTABLE: ReadonlySet<string> = new Set<ShapeFaultCode>([
  'amount-too-large',
  'out-of-range',
  'too-many-decimals',
]);

/** Faults of sizes: a request with no other faults gets 413. */
const TOO_LARGE: ReadonlySet<string> = new Set<ShapeFaultCode>(['attachment-too-large']);

/** The error codes of requests with faults. */
export type RequestProblemCode = 'invalid-request' | 'not-computable' | 'attachments-too-large';

/** Chooses the error code of a request with these faults. */
export function chooseProblemCode(faults: readonly Fault[]): RequestProblemCode {
  if (faults.every(({ code }) => NOT_COMPUTABLE.has(code))) return 'not-computable';
  return faults.every(({ code }) => TOO_LARGE.has(code)) ? 'attachments-too-large' : 'invalid-request';
}

type Issue = z.core.$ZodIssue;

/** The top-level field of a path: `Commission` of `Commission[0].SourceValue`. */
export function topField(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? '';
}

export function shapeFault(path: string, code: ShapeFaultCode, message: string): Fault {
  return { path, code, message };
}

/** True for an absent field; null means the same (M6). */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** True for a JSON object, but not for a list, nor for a number with more digits than a binary number holds. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Converts zod's issues into faults with the messages of the field kinds: the first issue of each field. */
export function toFaults(issues: readonly Issue[], body: unknown): Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const path = issue.path.length === 0 ? 'body' : fieldPath(issue.path);
    if (!faults.has(path)) faults.set(path, shapeFault(path, chooseCode(issue, body), issue.message));
  }
  return [...faults.values()];
}

/** Truncates a list of faults to {@link MAX_FAULTS}; the last one then states how many were omitted. */
export function limitFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const listed = faults.slice(0, MAX_FAULTS - 1);
  const message = `${faults.length - listed.length} further faults are not listed`;
  return [...listed, shapeFault('body', 'more-faults', message)];
}

function chooseCode(issue: Issue, body: unknown): ShapeFaultCode {
  if (issue.code === 'too_small') return 'empty';
  if (issue.code === 'too_big') return 'too-long';
  if (issue.code === 'custom') return issue.params?.['code'] as ShapeFaultCode;
  return isAbsent(valueAt(body, issue.path)) ? 'missing' : 'wrong-type';
}
