/** The JSON Schema of a definition (draft 2020-12, which OpenAPI 3.1 and AsyncAPI 3 use) as a plain object. */

import { z } from 'zod';

/** The part of JSON Schema that the definitions use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Of objects with names that the caller chooses: schema of the names, most fields, and schema of the values. */
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
}

/** The JSON Schema of a definition's input; unknown fields are allowed (E3) unless the definition is strict. */
export function toJsonSchema(definition: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition, { io: 'input' });
  return mergeNull(schema as JsonSchema);
}

/** Writes "this or null" as one schema with both types, which is easier to read than a choice, for people and tools. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [only, ...others] = anyOf?.filter((choice) => choice.type !== 'null') ?? [];
  const merged =
    only !== undefined && others.length === 0
      ? { ...only, ...(rest.type === undefined ? orNull(only) : {}), ...rest }
      : schema;
  return {
    ...merged,
    ...(merged.anyOf === undefined ? {} : { anyOf: merged.anyOf.map(mergeNull) }),
    ...(merged.items === undefined ? {} : { items: mergeNull(merged.items) }),
    ...(merged.properties === undefined ? {} : { properties: mapValues(merged.properties, mergeNull) }),
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (schema.enum !== undefined) return { enum: [...schema.enum, null] };
  return typeof schema.type === 'string' ? { type: [schema.type, 'null'] } : {};
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)] as const));
}
