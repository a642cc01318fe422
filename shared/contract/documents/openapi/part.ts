/** The parts of the OpenAPI document, and what their operations share. */

import type { z } from 'zod';
import type { RequestHeader } from '../headers.ts';

/**
 * A part of the interface. A new address is an entry of `paths`; a new part is a file of this folder that openapi.ts lists. The
 * schemas of bodies are zod definitions; each, and each object and union in it, needs `.meta({ id })`.
 */
export interface ApiPart {
  /** Tag of its operations, and its meaning in one sentence. */
  readonly tag: { readonly name: string; readonly description: string };
  /** Path items by path. */
  readonly paths: Readonly<Record<string, PathItem>>;
}

type PathItem = Readonly<Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>>;

/** An operation; `openapi.ts` adds the tag of its part. */
export interface Operation {
  /** Name of the method in generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly security?: readonly object[];
  /** By status. */
  readonly responses: Readonly<Record<string, object>>;
}

/** A body in JSON. */
export function requestBody(schema: z.ZodType, examples: object): object {
  return { required: true, content: { 'application/json': { schema, examples } } };
}

/** A reference to a header that several operations read. */
export function parameterReference(header: RequestHeader): { $ref: string } {
  return { $ref: `#/components/parameters/${header}` };
}

/** A parameter in the path. */
export function pathParameter(name: string, description: string, schema: object): object {
  return { name, in: 'path', required: true, description, schema };
}
