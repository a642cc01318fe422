/** Converts zod definitions to JSON Schema (draft 2020-12, which OpenAPI 3.1 uses) as plain objects. */

import { z } from 'zod';

export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Schema of the names in an object whose field names the caller chooses. */
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
}

type NamedSchemas = Readonly<Record<string, JsonSchema>>;

const PLACE = '#/components/schemas/';
const SHARED = `${PLACE}__shared#/$defs/`;
const OWN = '#/$defs/';

export function schemaReference(name: string): { readonly $ref: string } {
  return { $ref: PLACE + name };
}

/** The JSON Schema of a definition's input, without references. Throws Error if two of its parts have the same `id`. */
export function toJsonSchema(definition: z.ZodType): JsonSchema {
  const { $schema: _, $defs = {}, ...schema } = z.toJSONSchema(definition, { io: 'input' });
  const whole = (node: unknown): JsonSchema =>
    rewrite(node, ({ $ref, ...others }) =>
      mergeNull($ref === undefined ? others : { ...whole($defs[$ref.slice(OWN.length)]), ...others }),
    );
  return whole(schema);
}

/** Schemas by name, with their parts by `id`, so that generators make one type for each. Throws on a repeated `id`. */
export function publishedSchemas(definitions: Readonly<Record<string, z.ZodType>>): NamedSchemas {
  const registry = z.registry<{ id: string }>();
  for (const [id, definition] of Object.entries(definitions)) registry.add(definition, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => PLACE + id });
  const { __shared: shared, ...roots } = schemas as Record<string, { readonly $defs?: object }>;
  return rewrite({ ...roots, ...shared?.$defs }, ({ $schema: _schema, $id: _id, $ref, ...others }) => ({
    ...($ref === undefined ? {} : { $ref: $ref.replace(SHARED, PLACE) }),
    ...forGenerators(mergeNull(others)),
  })) as NamedSchemas;
}

interface Node extends JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
}

function rewrite(schema: unknown, change: (node: Node) => object): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? change(value) : value,
  ) as JsonSchema;
}

/** Merges an `anyOf` of a schema and null into one schema with both types, which is easier to read. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const isChoice = only === undefined || others.length > 0 || anyOf?.length === 1;
  if (isChoice || only.$ref !== undefined || only.anyOf !== undefined || only.oneOf !== undefined)
    return schema;
  return {
    ...only,
    ...(only.type === undefined ? {} : { type: [only.type, 'null'].flat() }),
    ...(only.enum === undefined ? {} : { enum: [...only.enum, null] }),
    ...rest,
  };
}

const MAX_INT32 = 2_147_483_647;

/** Replaces what client generators misread: integers over 32 bits without a format, constant numbers and booleans. */
function forGenerators(schema: JsonSchema): JsonSchema {
  const { const: only, ...rest } = schema;
  if (typeof only === 'boolean') return rest;
  if (typeof only === 'number') return { ...rest, minimum: only, maximum: only };
  const isLong = [schema.type].flat().includes('integer') && (schema.maximum ?? 0) > MAX_INT32;
  return isLong && schema.format === undefined ? { ...schema, format: 'int64' } : schema;
}
