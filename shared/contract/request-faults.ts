/** What can be wrong with the shape of a request (E1, E3), in stable codes and the interface's own spellings. */

import type { z } from 'zod';
import type { Fault } from '../platform/problem.ts';

/** Codes of faults that a request's definition finds. They are stable: callers may branch on them. */
export const SHAPE_FAULTS = {
  missing: 'A mandatory member is missing or null',
  'wrong-type': 'The value is of another kind than the member has',
  empty: 'The text is empty',
  'too-long': 'The text is too long',
  'too-many-items': 'The list has too many items',
  'amount-too-large': 'The amount is larger than can be calculated with',
  'out-of-range': 'The number is outside the allowed range, or not whole',
  'too-many-decimals': 'The number has more decimals than allowed',
  'invalid-date': 'The text is not an existing date',
  'mutually-exclusive': 'Members that exclude one another are both sent, or none of them is',
  'invalid-json': 'The text is not valid JSON',
  'more-faults': 'There are more faults than are listed',
} as const;

export type ShapeFaultCode = keyof typeof SHAPE_FAULTS;

/** Most faults that are listed; whoever has more learns so, and the answer stays small. */
export const MAX_FAULTS = 100;

/** Faults of readable numbers that nothing could be calculated with: alone they make a 422, not a 400 (M6, E1). */
const NOT_COMPUTABLE: ReadonlySet<string> = new Set<ShapeFaultCode>([
  'amount-too-large',
  'out-of-range',
  'too-many-decimals',
]);

/** The problem that faults amount to: a wrong shape if any of them says so. */
export function problemCodeOf(faults: readonly Fault[]): 'invalid-request' | 'not-computable' {
  return faults.every(({ code }) => NOT_COMPUTABLE.has(code)) ? 'not-computable' : 'invalid-request';
}

type Issue = z.core.$ZodIssue;

/** The path of a member as callers write it: `jsonParam.Commission[0].SourceValue`; the empty path is the body. */
export function pathText(path: readonly PropertyKey[]): string {
  let joined = '';
  for (const key of path) {
    if (typeof key === 'number') joined += `[${key}]`;
    else joined += joined === '' ? String(key) : `.${String(key)}`;
  }
  return joined === '' ? 'body' : joined;
}

/** A fault of the request's shape. */
export function shapeFault(path: string, code: ShapeFaultCode, message: string): Fault {
  return { path, code, message };
}

/** True for what counts as absent (M6). */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** True for a JSON object, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Turns what the definition found into faults, one for each member: of a value of another kind the definition also
 * finds that it is too long. Messages are those of the member kinds.
 */
export function faultsOfIssues(issues: readonly Issue[], body: unknown): Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const path = pathText(issue.path);
    if (!faults.has(path)) faults.set(path, shapeFault(path, codeOf(issue, body), issue.message));
  }
  return [...faults.values()];
}

/** At most {@link MAX_FAULTS} faults, the last of which then says how many are left out. */
export function limitFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const listed = faults.slice(0, MAX_FAULTS - 1);
  const message = `${faults.length - listed.length} further faults are not listed`;
  return [...listed, shapeFault('body', 'more-faults', message)];
}

function codeOf(issue: Issue, body: unknown): ShapeFaultCode {
  if (issue.code === 'too_small') return 'empty';
  if (issue.code === 'too_big') return 'too-long';
  if (issue.code === 'custom') return issue.params?.['code'] as ShapeFaultCode;
  return isAbsent(valueAt(body, issue.path)) ? 'missing' : 'wrong-type';
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
