/** The JSON Schema of a definition (draft 2020-12, which OpenAPI 3.1 and AsyncAPI 3 use) as a plain object. */

import { z } from 'zod';

/** The part of JSON Schema that the definitions use. */
export interface JsonSchema {
  readonly $ref?: string;
  /** Name of the schema in published documents: the `id` of its definition. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  /** Media type of the content of a text. */
  readonly contentMediaType?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Of objects with names that the caller chooses: schema of the names, most fields, and schema of the values. */
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  /** Alternatives that exclude each other. */
  readonly oneOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
}

/**
 * The JSON Schema of a definition's input, with its named parts in their places; unknown fields are allowed (E3) unless the
 * definition is strict. Throws if two definitions have the same `id`.
 */
export function toJsonSchema(definition: z.ZodType): JsonSchema {
  const { $schema: _dialect, $defs = {}, ...schema } = z.toJSONSchema(definition, { io: 'input' });
  return mergeNull(putBack(schema as JsonSchema, $defs as Readonly<Record<string, JsonSchema>>));
}

const DEFINITIONS = '#/$defs/';

/** Puts parts that zod has moved because of their `id` back to their places, with the id as title. */
function putBack(node: JsonSchema, parts: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref, ...others } = node;
  const title = $ref?.slice(DEFINITIONS.length);
  const whole = title === undefined ? node : { ...parts[title], title, ...others };
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]: [string, unknown]) => [key, putBackIn(value, parts)]),
  );
}

function putBackIn(value: unknown, parts: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(value)) return value.map((one) => putBackIn(one, parts));
  return typeof value === 'object' && value !== null ? putBack(value, parts) : value;
}

/** Writes "this or null" as one schema with both types, which is easier to read than a choice, for people and tools. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [only, ...others] = anyOf?.filter((choice) => choice.type !== 'null') ?? [];
  const merged =
    only !== undefined && others.length === 0 && isSimple(only)
      ? { ...only, ...(rest.type === undefined ? orNull(only) : {}), ...rest }
      : schema;
  return {
    ...merged,
    ...(merged.anyOf === undefined ? {} : { anyOf: merged.anyOf.map(mergeNull) }),
    ...(merged.oneOf === undefined ? {} : { oneOf: merged.oneOf.map(mergeNull) }),
    ...(merged.items === undefined ? {} : { items: mergeNull(merged.items) }),
    ...(merged.properties === undefined ? {} : { properties: mapValues(merged.properties, mergeNull) }),
  };
}

/** False for a union, whose alternatives have their own types. */
function isSimple({ anyOf, oneOf }: JsonSchema): boolean {
  return anyOf === undefined && oneOf === undefined;
}

function orNull({ type, enum: values }: JsonSchema): JsonSchema {
  return {
    ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)] as const));
}
