import { type MessageDefinition, recordName } from '../../../schemas/messages.ts';
import type { ReleasedSchema } from '../../../schemas/schema-files.ts';
import { errorText } from '../../platform/errors.ts';
import {
  parseOwnSchema,
  parseWriterSchema,
  isSameSchema,
  DecimalType,
  AVRO_OPTIONS,
  branchesOf,
  isUnion,
} from './avro-types.ts';
import avro, { type ForSchemaOptions, type Schema, type Type } from 'avsc';

export interface DefinedSchema {
  readonly definition: MessageDefinition;
  readonly text: string;
}

export interface SchemaFault {
  readonly subject: string;
  readonly reason: string;
  /** True if the released copy is missing, which `npm run schemas -- release` writes. */
  readonly unreleased?: true;
}

/** Why the schemas, compared with the released ones, cannot be shipped; empty if they can. */
export function checkReleases(
  schemas: readonly DefinedSchema[],
  released: readonly ReleasedSchema[],
): readonly SchemaFault[] {
  return schemas.flatMap(({ definition, text }) => {
    const subject = recordName(definition);
    const { type, localSchemaId } = definition;
    const own = released.find((one) => one.localSchemaId === localSchemaId);
    const earlier = released.filter(
      (one) => one !== own && one.type === type && parseWriterSchema(one.text).name === subject,
    );
    const faults = earlier.flatMap((one) => faultsAgainst(subject, one, text));
    if (own === undefined) {
      const reason = `id ${localSchemaId} is not released yet: run \`npm run schemas -- release\` and commit the file`;
      return [...faults, { subject, reason, unreleased: true as const }];
    }
    if (isSameSchema(parseOwnSchema(text), parseWriterSchema(own.text))) return faults;
    const broken = [...faultsAgainst(subject, own, text), ...faults];
    if (broken.length > 0) return broken;
    const next = Math.max(...released.map((one) => one.localSchemaId)) + 1;
    const reason =
      `the schema differs from the one released with id ${localSchemaId}: ` +
      `give it localSchemaId ${next} in schemas/messages.ts, then run \`npm run schemas -- release\``;
    return [{ subject, reason }];
  });
}

/** Why `text` may not follow an earlier schema, which has a local id or, in a registry, a version. */
export function faultsAgainst(
  subject: string,
  earlier: { readonly text: string; readonly localSchemaId?: number; readonly version?: number },
  text: string,
): SchemaFault[] {
  const which = earlier.version === undefined ? `id ${earlier.localSchemaId}` : `version ${earlier.version}`;
  try {
    parseWriterSchema(earlier.text);
  } catch (error) {
    // Others may register texts of any kind under a subject.
    return [{ subject, reason: `${which} is not a valid Avro schema: ${errorText(error)}` }];
  }
  return incompatibilities(earlier.text, text).map(({ field, reason }) => ({
    subject,
    reason: `${field} ${reason} (against ${which}; an incompatible change needs a new version of the message)`,
  }));
}

interface Incompatibility {
  /** A field such as `Commission[].SourceValue`, or the name of the record. */
  readonly field: string;
  readonly reason: string;
}

/** A logical type whose values are not converted. Only its name is compared. */
class BareLogicalType extends avro.types.LogicalType {
  override _fromValue(value: unknown): unknown {
    return value;
  }

  override _toValue(value: unknown): unknown {
    return value;
  }

  override _resolve(writer: Type): ((value: unknown) => unknown) | undefined {
    return writer.typeName === this.typeName ? (value) => value : undefined;
  }
}

const BARE = BareLogicalType as unknown as ForSchemaOptions['logicalTypes'][string];
/** Logical types that are compared by name. Others, except `decimal`, are compared by their underlying types. */
const NAMES = ['date', 'uuid', 'time-millis', 'time-micros', 'timestamp-millis', 'timestamp-micros'];
const LOGICAL_TYPES = {
  ...AVRO_OPTIONS.logicalTypes,
  ...Object.fromEntries(NAMES.map((name) => [name, BARE])),
};

/** Why old and new code cannot read each other's messages; empty if processes can be upgraded in any order. */
export function incompatibilities(olderText: string, newerText: string): readonly Incompatibility[] {
  const older = parse(olderText);
  const newer = parse(newerText);
  const found = compareTypes(older, newer, '');
  return found.length > 0 ? found : [...resolve(newer, older), ...resolve(older, newer)];
}

function parse(text: string): Type {
  const options = { ...AVRO_OPTIONS, logicalTypes: LOGICAL_TYPES, wrapUnions: 'auto' } as const;
  return avro.Type.forSchema(JSON.parse(text) as Schema, options);
}

function compareTypes(older: Type, newer: Type, field: string): Incompatibility[] {
  if (older instanceof avro.types.RecordType && newer instanceof avro.types.RecordType) {
    return compareRecords(older, newer, field);
  }
  if (older instanceof avro.types.ArrayType && newer instanceof avro.types.ArrayType) {
    return compareTypes(older.itemsType, newer.itemsType, `${field}[]`);
  }
  if (isUnion(older) && isUnion(newer)) {
    const after = new Map(branchesOf(newer).map((branch) => [branch.branchName, branch]));
    const before = branchesOf(older);
    if (before.length === after.size && before.every(({ branchName }) => after.has(branchName)))
      return before.flatMap((one) => compareTypes(one, after.get(one.branchName) ?? one, field));
  }
  const [before, now] = [describe(older), describe(newer)];
  return before === now ? [] : [{ field, reason: `was ${before} and is ${now}; add a new field` }];
}

function compareRecords(
  older: avro.types.RecordType,
  newer: avro.types.RecordType,
  parent: string,
): Incompatibility[] {
  if (older.name !== newer.name) {
    const reason = `was record ${older.name} and is ${newer.name}; a record keeps its name`;
    return [{ field: parent === '' ? String(older.name) : parent, reason }];
  }
  const path = (name: string) => (parent === '' ? name : `${parent}.${name}`);
  const found: Incompatibility[] = [];
  for (const field of newer.fields) {
    const before = older.fields.find(({ name }) => name === field.name);
    if (before !== undefined) {
      found.push(...compareTypes(before.type, field.type, path(field.name)));
    } else if (field.defaultValue() === undefined) {
      const reason = 'is new and mandatory; make it optional, with a default';
      found.push({ field: path(field.name), reason });
    }
  }
  for (const field of older.fields) {
    const isRemoved = newer.fields.every(({ name }) => name !== field.name);
    const reason = 'was mandatory and is gone; older readers need it, so keep it';
    if (isRemoved && field.defaultValue() === undefined) found.push({ field: path(field.name), reason });
  }
  return found;
}

function resolve(reader: Type, writer: Type): Incompatibility[] {
  try {
    reader.createResolver(writer);
    return [];
  } catch (error) {
    return [{ field: String(reader.name), reason: errorText(error) }];
  }
}

function describe(type: Type): string {
  if (type instanceof DecimalType) return `decimal(${type.limits.precision},${type.limits.scale})`;
  if (type instanceof avro.types.RecordType) return `record ${type.name}`;
  if (type instanceof avro.types.EnumType) return `enum of ${type.symbols.join(', ')}`;
  if (isUnion(type)) return branchesOf(type).map(describe).join(' or ');
  return type.typeName.replace('logical:', '');
}
