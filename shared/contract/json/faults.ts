/** What can be wrong with the shape of a request (E1, E3), in stable codes and the interface's own spellings. */

import type { z } from 'zod';
import type { Fault } from '../../platform/problem.ts';

/** Codes of faults of a body that cannot be read as JSON at all; their path is `body`, or `Data` for the text in it. */
export const BODY_FAULTS = {
  'malformed-json': 'The text is not valid JSON',
  'not-utf8': 'The bytes are not valid UTF-8',
  'too-deep': 'Objects and arrays are nested too deep',
} as const;

export type BodyFaultCode = keyof typeof BODY_FAULTS;

/** Codes of faults that a request's definition finds. They are stable: callers may branch on them. */
export const SHAPE_FAULTS = {
  missing: 'A mandatory field is missing or null',
  'wrong-type': 'The value is of another type than the field',
  empty: 'The text is empty',
  'too-long': 'The text is too long',
  'too-many-items': 'The list has too many items',
  'amount-too-large': 'The amount is larger than can be calculated with',
  'out-of-range': 'The number is outside the allowed range, or not whole',
  'too-many-decimals': 'The number has more decimals than allowed',
  'invalid-date': 'The text is not an existing date',
  'mutually-exclusive': 'Fields that exclude each other are both sent, or neither of them is',
  'invalid-json': 'The text is not valid JSON',
  'unknown-value': 'The text is not one of the allowed values',
  'control-character': 'The text contains a line break or another control character',
  'broken-text': 'The text contains half of a surrogate pair, which is not a character',
  'invalid-phone-number': 'The text is not a telephone number that exists, or its country is not known',
  'invalid-sender': 'The text is neither an alphanumeric sender, a telephone number nor a short code',
  'invalid-address': 'The text is not one plain e-mail address',
  unclean: 'A message in Avro does not hold the value in its normalised form',
  'too-many-recipients': 'The e-mail has too many recipients',
  'invalid-base64': 'The text is not base64',
  'invalid-name': 'The text cannot be the name of a file',
  'attachment-too-large': 'The attachment, or all of them together, are larger than allowed',
  'refused-type': 'Programs and scripts are not sent',
  'contradicting-type': 'The content does not match the extension of the name',
  'unknown-member': 'The field is not known and has no effect; alone it is a warning',
  'more-faults': 'There are more faults than are listed',
} as const;

export type ShapeFaultCode = keyof typeof SHAPE_FAULTS;

/** Most faults that are listed; the last one then says how many are left out, and the answer stays small. */
export const MAX_FAULTS = 100;

/** Faults of readable numbers that cannot be calculated with: alone they make a 422, not a 400 (M6, E1). */
const NOT_COMPUTABLE: ReadonlySet<string> = new Set<ShapeFaultCode>([
  'amount-too-large',
  'out-of-range',
  'too-many-decimals',
]);

/** Faults of size: alone they make a 413. */
const TOO_LARGE: ReadonlySet<string> = new Set<ShapeFaultCode>(['attachment-too-large']);

/** The error codes that faults of a request can amount to. */
export type RequestProblemCode = 'invalid-request' | 'not-computable' | 'attachments-too-large';

/** The problem that faults amount to: a wrong shape if any of them says so. */
export function chooseProblemCode(faults: readonly Fault[]): RequestProblemCode {
  if (faults.every(({ code }) => NOT_COMPUTABLE.has(code))) return 'not-computable';
  return faults.every(({ code }) => TOO_LARGE.has(code)) ? 'attachments-too-large' : 'invalid-request';
}

type Issue = z.core.$ZodIssue;

/** The path of a field as callers write it: `jsonParam.Commission[0].SourceValue`; empty for the whole value. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let joined = '';
  for (const key of path) {
    if (typeof key === 'number') joined += `[${key}]`;
    else joined += joined === '' ? String(key) : `.${String(key)}`;
  }
  return joined;
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
 * Turns what the definition found into faults, one for each field: of a value of another type the definition also
 * finds that it is too long. Messages are those of the field kinds.
 */
export function toFaults(issues: readonly Issue[], body: unknown): Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const path = issue.path.length === 0 ? 'body' : fieldPath(issue.path);
    if (!faults.has(path)) faults.set(path, shapeFault(path, chooseCode(issue, body), issue.message));
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

function chooseCode(issue: Issue, body: unknown): ShapeFaultCode {
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
