/**
 * Reading a request body with its definition: the payload in domain types, all faults at once, and members that are
 * not known (E3). The definition is compiled once; a valid request then costs a few microseconds.
 */

import { z } from 'zod';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault, Warning } from '../../platform/problem.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { memberTree, surveyBody } from './unknown-fields.ts';
import { faultsOfIssues, limitFaults, problemCodeOf, type RequestProblemCode } from './faults.ts';

/**
 * What a request was read as. Faults are everything that is wrong at once (E3); `problem` is the error code that they
 * amount to: `invalid-request` (400), `not-computable` (422) when the shape is right and only numbers are beyond
 * what can be calculated with (E1, M6), or `attachments-too-large` (413) when all else is right.
 */
export type ReadRequest<Payload> =
  | { readonly kind: 'valid'; readonly payload: Payload; readonly warnings: readonly Warning[] }
  | InvalidRequest;

export interface InvalidRequest {
  readonly kind: 'invalid';
  readonly problem: RequestProblemCode;
  readonly faults: readonly Fault[];
}

/** The answer of a reader to a request with faults; `others`, which it also has, do not change the error code. */
export function invalid(faults: readonly Fault[], others: readonly Fault[] = []): InvalidRequest {
  return { kind: 'invalid', problem: problemCodeOf(faults), faults: limitFaults([...faults, ...others]) };
}

/**
 * Reads a body, for example what `JSON.parse` answers. Never throws, whatever the value is. Beside other faults names are
 * told to be wrong only by those who hand in the catalogue that would know them.
 */
export type RequestReader<Payload> = (body: unknown, catalogue?: ScheduleCatalogue) => ReadRequest<Payload>;

/** What a reader looks at beside the definition of single members. */
export interface FurtherChecks {
  /** Rules between members; looks at the body as it was sent. */
  readonly between: (body: unknown) => readonly Fault[];
  /** What else is wrong with a body of which these faults are known, so that the answer names everything (E3). */
  readonly beside: (
    body: unknown,
    known: readonly Fault[],
    catalogue: ScheduleCatalogue | undefined,
  ) => readonly Fault[];
}

/** Makes the reader of a definition. A list beyond its limit is reported before anything reads its items. */
export function createRequestReader<Definition extends z.ZodType>(
  definition: Definition,
  { between, beside }: FurtherChecks,
): RequestReader<z.output<Definition>> {
  const compiled = z.compile(definition);
  const known = memberTree(jsonSchemaOf(definition));
  return (body, catalogue) => {
    const { warnings, overlong, faults: unknown } = surveyBody(known, body);
    if (overlong.length > 0) return invalid(overlong, [...beside(body, overlong, catalogue), ...unknown()]);
    const read = compiled.safeParse(body);
    const crossFaults = between(body);
    if (read.success && crossFaults.length === 0) return { kind: 'valid', payload: read.data, warnings };
    const shapeFaults = read.success ? [] : faultsOfIssues(read.error.issues, body);
    const faults = [...shapeFaults, ...crossFaults];
    return invalid(faults, [...beside(body, faults, catalogue), ...unknown()]);
  };
}
