/** Shared answers of the OpenAPI document. Errors: one answer for each status, with all of its codes. */

import { z } from 'zod';
import { createProblem, ERROR_CODES, type ErrorCode } from '../../../platform/problem.ts';
import type { JsonSchema } from '../../json/json-schema.ts';
import type { ResponseHeader } from '../headers.ts';
import { problemShape } from '../../json/problem.ts';
import type { Operation } from './part.ts';

/** Headers of problems by status, with Warnings for the statuses that workers return. */
const STATUS_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  404: ['Warnings'],
  405: ['Allow'],
  415: ['Accept-Post'],
  422: ['Warnings'],
  429: ['Retry-After'],
  500: ['Warnings'],
  503: ['Retry-After', 'Warnings'],
  504: ['Warnings'],
};

/** All codes of an HTTP status, in the order of ERROR_CODES. */
function listCodes(status: number): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => ERROR_CODES[code].status === status);
}

/** All statuses of problems, lowest first. */
const PROBLEM_STATUSES: readonly number[] = [
  ...new Set(Object.values(ERROR_CODES).map(({ status }) => status)),
].toSorted((first, second) => first - second);

/** References to the responses of problems, by status. */
export function problemReferences(statuses: readonly number[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/Problem${status}` }]),
  );
}

/** References to response headers. */
export function headerReferences(names: readonly ResponseHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The responses to which {@link problemReferences} refers. */
export function problemResponses(): Record<string, object> {
  return Object.fromEntries(PROBLEM_STATUSES.map((status) => [`Problem${status}`, problemResponse(status)]));
}

function problemResponse(status: number): object {
  const codes = listCodes(status);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}.`).join(' '),
    headers: headerReferences(['X-Correlation-Id', ...(STATUS_HEADERS[status] ?? [])]),
    content: {
      'application/problem+json': {
        schema: problemShape,
        examples: Object.fromEntries(codes.map((code) => [code, { value: createProblem(code) }])),
      },
    },
  };
}

/** A successful answer in JSON. */
export function answer(
  description: string,
  {
    headers,
    ...media
  }: {
    readonly headers: readonly ResponseHeader[];
    readonly schema: z.ZodType | JsonSchema;
    readonly examples?: object;
  },
): object {
  return { description, headers: headerReferences(headers), content: { 'application/json': media } };
}

/** The problems of every operation that reads. */
const READ_PROBLEMS = [400, 401, 403, 405, 408, 429, 431, 503];

interface Reading extends Pick<Operation, 'description' | 'parameters'> {
  readonly examples?: object;
  /** The answer can be asked for again by its `ETag`. */
  readonly hasTag?: boolean;
  readonly otherProblems?: readonly number[];
}

/** An operation that reads something and answers it in JSON. */
export function readOperation(
  operationId: string,
  summary: string,
  schema: z.ZodType,
  { examples, hasTag = false, otherProblems = [], ...about }: Reading,
): Operation {
  const headers: ResponseHeader[] = hasTag ? ['X-Correlation-Id', 'ETag'] : ['X-Correlation-Id'];
  const same = { description: 'The answer is that of `If-None-Match`.', headers: headerReferences(headers) };
  return {
    operationId,
    summary,
    ...about,
    responses: {
      200: answer(`${summary}.`, { headers, schema, ...(examples === undefined ? {} : { examples }) }),
      ...(hasTag ? { 304: same } : {}),
      ...problemReferences([...READ_PROBLEMS, ...otherProblems]),
    },
  };
}

/** The answer for a result that is not available yet. */
const pendingResult = z
  .object({
    resultId: z.string().describe('Id of the result.'),
    status: z.enum(['pending']),
    href: z.string().describe('Address of the result.'),
  })
  .meta({ id: 'PendingResult' });

/** The 202 answer: the result can be fetched later. */
export function pendingResponse(description: string): object {
  return answer(description, {
    headers: ['X-Correlation-Id', 'Location', 'Preference-Applied', 'Retry-After', 'Warnings'],
    schema: pendingResult,
  });
}
