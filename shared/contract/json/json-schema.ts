/** JSON Schema (draft 2020-12, as OpenAPI 3.1 and AsyncAPI 3 use it) of a definition, as plain objects. */

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
  /** Figures under names that the definition does not know: the limits of the names, of their number and of each figure. */
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
}

/** The schema of what a definition reads; fields that it does not know are allowed (E3) unless it says otherwise. */
export function toJsonSchema(definition: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition, { io: 'input' });
  return mergeNull(schema as JsonSchema);
}

/** Writes "this or null" as one schema of both types, which readers and tools understand more easily than a choice. */
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
