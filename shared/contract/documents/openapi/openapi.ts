/** The OpenAPI 3.1 document of the HTTP interface, generated from the definitions that also validate requests. */

import { publishedSchemas, type NamedSchemas } from '../../json/json-schema.ts';
import { problemShape } from '../../json/problem.ts';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from '../headers.ts';
import { actionPart, resultPart } from './actions.ts';
import { healthPart } from './health.ts';
import { notificationPart } from './notifications.ts';
import { operationsPart } from './operations.ts';
import type { ApiPart } from './part.ts';
import { cataloguePart } from './products.ts';
import { problemResponses } from './responses.ts';
import { systemPart } from './system.ts';

export interface OpenApiOptions {
  /** Version of the release. */
  readonly version: string;
  /** Path before `/platapi`, such as `/bank`; empty by default. */
  readonly basePath: string;
}

/** The parts of the interface, in the order of the document. */
export const API_PARTS: readonly (() => ApiPart)[] = [
  actionPart,
  resultPart,
  notificationPart,
  operationsPart,
  cataloguePart,
  systemPart,
  healthPart,
];

/** Creates the document as a plain object. */
export function openApiDocument({ version, basePath }: OpenApiOptions): Readonly<Record<string, unknown>> {
  const parts = API_PARTS.map((part) => part());
  return {
    openapi: '3.1.0',
    info: {
      title: 'Banking product engine',
      version,
      description:
        'Every action is a POST with a JSON body. Calculations are stateless: the same request gets the same answer. ' +
        'Notifications are stored before they are sent.',
      contact: { name: 'The operators of this instance' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ bearer: [] }, {}],
    tags: parts.map(({ tag }) => tag),
    paths: Object.fromEntries(parts.flatMap(pathsOf)),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: RESPONSE_HEADERS,
      parameters: Object.fromEntries(
        Object.entries(REQUEST_HEADERS).map(([name, header]) => [
          name,
          { name, in: 'header', required: false, ...header },
        ]),
      ),
      responses: problemResponses(),
      schemas: schemasOf(parts),
    },
  };
}

/** All schemas of the parts by name. */
function schemasOf(parts: readonly ApiPart[]): NamedSchemas {
  const roots = parts.flatMap(({ schemas }) => Object.entries(schemas));
  return publishedSchemas({ Problem: problemShape, ...Object.fromEntries(roots) });
}

/** The path items of a part, whose operations have its tag. */
function pathsOf({ tag, paths }: ApiPart): [string, object][] {
  return Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, { tags: [tag.name], ...operation }]),
    ),
  ]);
}
