/** Faults that readers find in requests (E1, E3), with stable codes, and with paths as the interface spells them. */

import type { z } from 'zod';
import type { JsonFaultCode } from '../../platform/parse-json.ts';
import { type Fault, fieldPath, valueAt } from '../../platform/problem.ts';

/** Codes of faults of JSON text. The path is `body`, `Data` (for the text in it) or that of a repeated member. */
export const BODY_FAULTS = {
  'malformed-json': 'The text is not valid JSON',
  'not-utf8': 'The bytes are not valid UTF-8',
  'too-deep': 'Objects and arrays are nested too deeply',
  'too-many-values': 'The text has too many members and elements',
  'number-too-long': 'The text contains a number with too many characters',
  'repeated-member': 'An object has several members of this name; the path is that of the member',
} as const satisfies Record<JsonFaultCode, string>;

/** Codes of faults of fields. They are stable, so that callers may branch on them. */
export const SHAPE_FAULTS = {
  missing: 'A mandatory field is missing or null',
  'wrong-type': 'The type of the value is not that of the field',
  empty: 'The text is empty',
  'too-long': 'The text is too long',
  'too-many-items': 'The list has too many items',
  'amount-too-large': 'The amount exceeds the largest supported amount',
  'out-of-range': 'The number is outside the allowed range, or not whole',
  'too-many-decimals': 'The number has more decimals than allowed',
  'invalid-date': 'The text is not an existing date',
  'mutually-exclusive': 'Fields that exclude each other are both sent, or neither is sent',
  'invalid-json': 'The text is not valid JSON',
  'too-far-ahead': 'The time is further ahead than allowed',
  'unknown-value': 'The text is not one of the allowed values',
  'control-character': 'The text contains a line break or another control character',
  'broken-text': 'The text contains an unpaired surrogate, which is not a character',
  'invalid-phone-number': 'The text is not a telephone number that exists, or its country is not known',
  'invalid-sender': 'The text is neither an alphanumeric sender, a telephone number nor a short code',
  'invalid-address': 'The text is not one plain e-mail address',
  unclean: 'A message in Avro does not contain the value in its normalised form',
  'too-many-recipients': 'The e-mail has too many recipients',
  'invalid-base64': 'The text is not base64',
  'invalid-name': 'The text is not a valid file name',
  'attachment-too-large': 'The attachment is too large, or all attachments together are',
  'refused-type': 'Programs and scripts are not sent',
  'contradicting-type': 'The content does not match the extension of the file name',
  'unknown-member': 'The field is not known and has no effect; alone it is a warning',
  'more-faults': 'There are more faults than are listed',
} as const;

export type ShapeFaultCode = keyof typeof SHAPE_FAULTS;

/** Maximum number of faults that a problem lists, so that it stays small. */
export const MAX_FAULTS = 100;

/** Faults of numbers that can be read but not calculated with. A request with only these gets 422, not 400 (M6, E1). */
const NOT_COMPUTABLE: ReadonlySet<string> = new Set<ShapeFaultCode>([
  'amount-too-large',
  'out-of-range',
  'too-many-decimals',
]);

export type RequestProblemCode = 'invalid-request' | 'not-computable' | 'attachments-too-large';

/** Chooses the code of a problem from its faults, of which there is at least one (E1). */
export function chooseProblemCode(faults: readonly Fault[]): RequestProblemCode {
  if (faults.every(({ code }) => NOT_COMPUTABLE.has(code))) return 'not-computable';
  const isTooLarge = faults.every(({ code }) => code === 'attachment-too-large');
  return isTooLarge ? 'attachments-too-large' : 'invalid-request';
}

/** The top-level field of a path: `Commission` of `Commission[0].SourceValue`. */
export function topField(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? '';
}

/** `message` must continue a sentence that begins with the path. */
export function shapeFault(path: string, code: ShapeFaultCode, message: string): Fault {
  return { path, code, message };
}

/** True for undefined, and for null, which also means absent (M6). */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** True for a JSON object. False for a list and a raw number (`JSON.rawJSON`), which are objects in JavaScript too. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Converts the issues that zod found in `body` into faults, one for each path, from the first issue there. */
export function toFaults(issues: readonly z.core.$ZodIssue[], body: unknown): Fault[] {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const path = issue.path.length === 0 ? 'body' : fieldPath(issue.path);
    if (!faults.has(path)) faults.set(path, shapeFault(path, chooseCode(issue, body), issue.message));
  }
  return [...faults.values()];
}

/** Shortens a list to {@link MAX_FAULTS} faults; the last of them then states how many are left out. */
export function limitFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const listed = faults.slice(0, MAX_FAULTS - 1);
  const message = `${faults.length - listed.length} further faults are not listed`;
  return [...listed, shapeFault('body', 'more-faults', message)];
}

function chooseCode(issue: z.core.$ZodIssue, body: unknown): ShapeFaultCode {
  if (issue.code === 'too_small') return 'empty';
  if (issue.code === 'too_big') return 'too-long';
  if (issue.code === 'custom') return issue.params?.['code'] as ShapeFaultCode;
  return isAbsent(valueAt(body, issue.path)) ? 'missing' : 'wrong-type';
}
