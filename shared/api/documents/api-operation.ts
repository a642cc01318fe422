/** What operations of the OpenAPI document share. Each error status has one response with all its error codes. */

import { z } from 'zod';
import { createProblem, ERROR_CODES, type ErrorCode } from '../../platform/problem.ts';
import { toJsonSchema, type JsonSchema } from '../json/json-schema.ts';
import { problemShape } from '../json/problem-document.ts';
import type { RequestHeader, ResponseHeader } from './documented-headers.ts';
import TEXTS from './operation-texts.json' with { type: 'json' };
import { namedObject } from '../json/field-kinds.ts';

/** The paths of one tag. Each zod schema of a body, and each object and union in it, needs a name: `.meta({ id })`. */
export interface ApiPart {
  readonly tag: { readonly name: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathItem>>;
}

export type PathItem = Readonly<Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>>;

/** An operation of the document, to which `openapi.ts` adds the tag of its part. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

export type OperationId = keyof typeof TEXTS.operations;

export function aboutOperation(operationId: OperationId) {
  return { operationId, ...TEXTS.operations[operationId] };
}

export function apiPart(name: keyof typeof TEXTS.tags, paths: ApiPart['paths']): ApiPart {
  return { tag: { name, description: TEXTS.tags[name] }, paths };
}

/** The method name for a message type or a notification: `CalculatePMTRequest` becomes `calculatePmt`. */
export function methodName(name: string): string {
  const words = name.replace(/Request$/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+/g) ?? [];
  const capitalised = words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join('');
  return capitalised.charAt(0).toLowerCase() + capitalised.slice(1);
}

export function requestBody(schema: z.ZodType, examples: object): object {
  return { required: true, content: { 'application/json': { schema, examples } } };
}

export function parameterReference(header: RequestHeader): { $ref: string } {
  return { $ref: `#/components/parameters/${header}` };
}

/** Describes the parameters that a path has in braces, such as `/platapi/results/{resultId}`. */
export function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...TEXTS.pathParameters[name as keyof typeof TEXTS.pathParameters],
  }));
}

function queryParameters(query: z.ZodObject): object[] {
  const { properties = {}, required = [] } = toJsonSchema(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    ...(schema.items === undefined ? {} : { explode: true }),
    schema,
  }));
}

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

/** For each status, a reference to its response from {@link problemResponses}. */
export function problemReferences(statuses: readonly number[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/Problem${status}` }]),
  );
}

function headerReferences(names: readonly ResponseHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A response for each error status, under a name such as `Problem404` (E1). */
export function problemResponses(): Record<string, object> {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  const byStatus = [...Map.groupBy(codes, (code) => ERROR_CODES[code].status)];
  const ordered = byStatus.toSorted(([first], [second]) => first - second);
  const responses = ordered.map(([status, own]) => {
    const examples = Object.fromEntries(own.map((code) => [code, { value: createProblem(code) }]));
    const response = {
      description: own.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}.`).join(' '),
      headers: headerReferences(['X-Correlation-Id', ...(STATUS_HEADERS[status] ?? [])]),
      content: { 'application/problem+json': { schema: problemShape, examples } },
    };
    return [`Problem${status}`, response] as const;
  });
  return Object.fromEntries(responses);
}

interface Answer {
  readonly headers: readonly ResponseHeader[];
  readonly mediaType?: string;
  readonly schema: z.ZodType | JsonSchema;
  readonly examples?: object;
}

export function answer(
  description: string,
  { headers, mediaType = 'application/json', ...media }: Answer,
): object {
  return { description, headers: headerReferences(headers), content: { [mediaType]: media } };
}

const READ_PROBLEMS = [400, 401, 403, 405, 408, 429, 431, 503];

interface Reading {
  readonly examples?: object;
  readonly query?: z.ZodObject;
  readonly hasTag?: boolean;
  readonly problems?: readonly number[];
  readonly parameters?: readonly object[];
}

/** A path with only a GET. `hasTag`: it has an ETag and may return 304. `problems`: statuses besides READ_PROBLEMS. */
export function reading(
  path: string,
  operationId: OperationId,
  schema: z.ZodType,
  { examples, query, hasTag = false, problems = [], parameters = pathParameters(path) }: Reading,
): Readonly<Record<string, PathItem>> {
  const headers: ResponseHeader[] = hasTag ? ['X-Correlation-Id', 'ETag'] : ['X-Correlation-Id'];
  const same = { description: 'The answer is that of `If-None-Match`.', headers: headerReferences(headers) };
  const about = aboutOperation(operationId);
  const all = [
    ...parameters,
    ...(query === undefined ? [] : queryParameters(query)),
    ...(hasTag ? [parameterReference('If-None-Match')] : []),
  ];
  const get = {
    ...about,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: {
      200: answer(`${about.summary}.`, { headers, schema, ...(examples === undefined ? {} : { examples }) }),
      ...(hasTag ? { 304: same } : {}),
      ...problemReferences([...READ_PROBLEMS, ...problems]),
    },
  };
  return { [path]: { get } };
}

const pendingResult = namedObject('PendingResult', {
  resultId: z.string().describe('Id of the result.'),
  status: z.enum(['pending']),
  href: z.string().describe('Address of the result.'),
});

export function pendingResponse(description: string): object {
  return answer(description, {
    headers: ['X-Correlation-Id', 'Location', 'Preference-Applied', 'Retry-After', 'Warnings'],
    schema: pendingResult,
  });
}
