/**
 * The schemas of published documents: every object and every union is a schema of its own with a name, to which others
 * refer, so that generators of clients create one type for each and give it that name.
 */

import { SHOWN_FLAGS } from '../json/field-kinds.ts';
import type { JsonSchema } from '../json/json-schema.ts';

/** Schemas by name. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Where the document has its schemas. */
const PLACE = '#/components/schemas/';

/** A reference to a schema of the document. */
export function schemaReference(name: string): { readonly $ref: string } {
  return { $ref: PLACE + name };
}

/**
 * Makes schemas that refer to each other from `roots`, which contain their parts. Throws on an object or a union without a
 * name, and on a name with different schemas: the definition needs another `id`.
 */
export function nameSchemas(roots: NamedSchemas): NamedSchemas {
  const found: FoundSchemas = new Map();
  for (const [name, root] of Object.entries(roots)) {
    const { title: _, ...schema } = root;
    add(found, name, publishContent(schema, name, found));
  }
  const schemas = Object.fromEntries([...found].map(([name, uses]) => [name, describeOnce(uses)]));
  return mapEntries(schemas, (schema) => withoutRepeats(schema, schemas) as JsonSchema);
}

/** All uses of each name, which may differ in their description only. */
type FoundSchemas = Map<string, [JsonSchema, ...JsonSchema[]]>;

function add(found: FoundSchemas, name: string, schema: JsonSchema): void {
  const uses = found.get(name);
  if (uses === undefined) {
    found.set(name, [schema]);
    return;
  }
  if (contentOf(uses[0]) !== contentOf(schema))
    throw new Error(`two different schemas have the name ${name}`);
  uses.push(schema);
}

function contentOf(schema: JsonSchema): string {
  return JSON.stringify({ ...schema, description: undefined });
}

/** The description of a schema is that of its only use; otherwise each use describes itself. */
function describeOnce([first, ...others]: readonly [JsonSchema, ...JsonSchema[]]): JsonSchema {
  if (others.every(({ description }) => description === first.description)) return first;
  const { description: _, ...schema } = first;
  return schema;
}

/** Removes the descriptions of references that repeat those of their schemas. */
function withoutRepeats(node: unknown, schemas: NamedSchemas): unknown {
  if (Array.isArray(node)) return node.map((one) => withoutRepeats(one, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, description } = node as JsonSchema;
  const isRepeated = $ref !== undefined && schemas[$ref.slice(PLACE.length)]?.description === description;
  return isRepeated
    ? { $ref }
    : mapEntries(node as Record<string, unknown>, (one) => withoutRepeats(one, schemas));
}

/** The schema as it is published at `place`: named parts become references. */
function publish(schema: JsonSchema, place: string, found: FoundSchemas): JsonSchema {
  const { title, description, ...rest } = schema;
  if (title === undefined) {
    if (needsName(schema)) throw new Error(`${place} needs a name, .meta({ id: '...' })`);
    return publishContent(schema, place, found);
  }
  const { isNullable, content } = withoutNull(rest);
  const described = description === undefined ? {} : { description };
  if (isFlagTitle(title)) {
    const { type, ...range } = SHOWN_FLAGS[title] as JsonSchema & { readonly type: string };
    return { type: isNullable ? [type, 'null'] : type, ...range, ...described };
  }
  add(found, title, { ...publishContent(content, title, found), ...described });
  const reference = schemaReference(title);
  return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...described };
}

function isFlagTitle(title: string): title is keyof typeof SHOWN_FLAGS {
  return Object.hasOwn(SHOWN_FLAGS, title);
}

/** True for an object with fields and for a union of anything else than one kind of values and null. */
function needsName({ properties, type, anyOf = [], oneOf = [] }: JsonSchema): boolean {
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  const alternatives = [...anyOf, ...oneOf].filter((one) => one.type !== 'null');
  return properties !== undefined || types.length > 1 || alternatives.length > 1;
}

/** The schema with its parts published. */
function publishContent(schema: JsonSchema, place: string, found: FoundSchemas): JsonSchema {
  const { properties, items, additionalProperties, anyOf, oneOf, ...rest } = schema;
  const part = (one: JsonSchema, name: string) => publish(one, `${place}.${name}`, found);
  const isMap = typeof additionalProperties === 'object';
  return {
    ...forGenerators(rest),
    ...(properties === undefined ? {} : { properties: mapEntries(properties, part) }),
    ...(items === undefined ? {} : { items: part(items, '[]') }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: isMap ? part(additionalProperties, '{}') : additionalProperties }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one, index) => part(one, `anyOf[${index}]`)) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map((one, index) => part(one, `oneOf[${index}]`)) }),
  };
}

/** Largest whole number that clients read without a format. */
const MAX_INT32 = 2_147_483_647;

/**
 * The schema as generators of clients understand it: they use 32 bits for whole numbers without a format, and take a constant
 * that is a number, true or false for text.
 */
function forGenerators(schema: JsonSchema): JsonSchema {
  const { const: only, ...rest } = schema;
  if (typeof only === 'boolean') return rest;
  if (typeof only === 'number') return { ...rest, minimum: only, maximum: only };
  const isWhole = [schema.type].flat().includes('integer');
  const isLong = isWhole && (schema.maximum ?? 0) > MAX_INT32;
  return isLong && schema.format === undefined ? { ...schema, format: 'int64' } : schema;
}

/** Whether null is a value of the schema, and the schema of the other values. */
function withoutNull(schema: JsonSchema): { readonly isNullable: boolean; readonly content: JsonSchema } {
  const { type, enum: values } = schema;
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const isNullable = types.includes('null') || values?.includes(null) === true;
  if (!isNullable) return { isNullable, content: schema };
  const [only, ...others] = types.filter((one) => one !== 'null');
  return {
    isNullable,
    content: {
      ...schema,
      ...(only === undefined ? {} : { type: others.length === 0 ? only : [only, ...others] }),
      ...(values === undefined ? {} : { enum: values.filter((value) => value !== null) }),
    },
  };
}

function mapEntries<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
