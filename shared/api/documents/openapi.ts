/** Generates the OpenAPI 3.1 document of the HTTP interface from the definitions that also validate requests. */

import { z } from 'zod';
import { publishedSchemas, schemaReference } from '../json/json-schema.ts';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './documented-headers.ts';
import { actionPart, resultPart, notificationPart } from './api-actions.ts';
import { healthPart, operationsPart, cataloguePart, systemPart } from './api-operators.ts';
import { type ApiPart, problemResponses } from './api-operation.ts';

export const API_PARTS: readonly ApiPart[] = [
  actionPart,
  resultPart,
  notificationPart,
  operationsPart,
  cataloguePart,
  systemPart,
  healthPart,
];

export function openApiDocument(version: string): Readonly<Record<string, unknown>> {
  const definitions: Record<string, z.ZodType> = {};
  const { components, ...document } = withReferences(outline(version), definitions);
  return { ...document, components: { ...components, schemas: publishedSchemas(definitions) } };
}

function outline(version: string) {
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
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, {}],
    tags: API_PARTS.map(({ tag }) => tag),
    paths: Object.fromEntries(API_PARTS.flatMap(pathsOf)),
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
    },
  };
}

/** Returns `part` with references in place of zod definitions, which it adds to `found`. Throws if one has no id. */
function withReferences<Part>(part: Part, found: Record<string, z.ZodType>): Part {
  const replace = (node: unknown): unknown => {
    if (node instanceof z.ZodType) {
      const { id } = node.meta() ?? {};
      if (id === undefined) throw new Error("the definition of a body needs a name, .meta({ id: '...' })");
      found[id] = node;
      return schemaReference(id);
    }
    if (Array.isArray(node)) return node.map(replace);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value)]));
  };
  return replace(part) as Part;
}

function pathsOf({ tag, paths }: ApiPart): [string, object][] {
  return Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, { tags: [tag.name], ...operation }]),
    ),
  ]);
}
