/**
 * The schema of an id on the wire, and the id that our own messages are written with. Known ids are answered
 * synchronously; the registry is queried once for an id, however many messages wait for it.
 */

import { FIRST_LOCAL_SCHEMA_ID, type MessageDefinition, recordName } from '../../../schemas/messages.ts';
import type { ReleasedSchema } from '../../../schemas/schema-files.ts';
import type { Clock } from '../../platform/clock.ts';
import { errorText, SystemError } from '../../platform/errors.ts';
import type { Type } from 'avsc';
import { type AvroMessage, type AvroReader, createAvroReader } from './avro-message.ts';
import { isSameSchema, parseWriterSchema } from './avro-schema.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** How long an id that the registry does not know is not looked up again. */
export const NEGATIVE_CACHE_MS = 30_000;
/** Most schemas of other writers that are cached; a system has some dozens. The oldest are evicted. */
const MAX_KEPT_SCHEMAS = 1_000;
/** Most unknown ids that are cached, so that messages with random ids cannot fill the memory. */
const MAX_UNKNOWN_IDS = 10_000;

/** Why messages of an id cannot be read. */
export interface Unreadable {
  readonly unreadable: string;
}

export type Found = AvroReader | Unreadable;

/** Schemas by id. */
export interface SchemaStore {
  /** Reader of an id, or why there is none; undefined when the registry has to be queried first. */
  known(id: number): Found | undefined;
  /** Queries the registry. Rejects with InfrastructureError when it is unavailable. */
  find(id: number): Promise<Found>;
  /** Id that a message is written with; undefined when the registry has to be queried first. */
  writerId(message: AvroMessage): number | undefined;
  /** Looks the message's schema up, and registers it where that is allowed. Rejects with SystemError otherwise. */
  findWriterId(message: AvroMessage): Promise<number>;
}

export interface SchemaStoreOptions {
  readonly messages: readonly AvroMessage[];
  readonly released: readonly ReleasedSchema[];
  readonly clock: Clock;
  readonly registry?: SchemaRegistry | undefined;
  /** Whether a schema that the registry lacks is registered (default), or an error. */
  readonly registerMissing?: boolean | undefined;
}

/** Builds the store. Throws when a schema was changed without taking a new local id. */
export function createSchemaStore(options: SchemaStoreOptions): SchemaStore {
  const { messages, registry, clock } = options;
  const byRecord = new Map(messages.map((message) => [recordName(message.definition), message]));
  const ownReaders = localReaders(options, byRecord);
  const foreignReaders = new Map<number, Found>();
  const unknownUntil = new Map<number, number>();
  const inFlight = new Map<number, Promise<Found>>();
  const writerIds = new Map<AvroMessage, number>();

  const fetch = async (from: SchemaRegistry, id: number): Promise<Found> => {
    const found = await from.schemaOf(id);
    if (found.kind === 'unknown') {
      keep(unknownUntil, id, clock.now() + NEGATIVE_CACHE_MS, MAX_UNKNOWN_IDS);
      return unknownId(id);
    }
    const reader =
      found.kind === 'found'
        ? readerOf(found.schema, byRecord)
        : { unreadable: `schema id ${id} cannot be used: ${found.reason}` };
    keep(foreignReaders, id, reader, MAX_KEPT_SCHEMAS);
    return reader;
  };

  return {
    known: (id) => {
      const reader = ownReaders.get(id) ?? foreignReaders.get(id);
      if (reader !== undefined) return reader;
      if (registry === undefined || id >= FIRST_LOCAL_SCHEMA_ID) return unknownId(id);
      return (unknownUntil.get(id) ?? 0) > clock.now() ? unknownId(id) : undefined;
    },
    find: (id) => {
      if (registry === undefined) return Promise.resolve(unknownId(id));
      const waiting = inFlight.get(id);
      if (waiting !== undefined) return waiting;
      const asked = fetch(registry, id).finally(() => inFlight.delete(id));
      inFlight.set(id, asked);
      return asked;
    },
    writerId: (message) =>
      registry === undefined ? message.definition.localSchemaId : writerIds.get(message),
    findWriterId: async (message) => {
      if (registry === undefined) return message.definition.localSchemaId;
      const id = await idFrom(registry, message, options.registerMissing ?? true);
      writerIds.set(message, id);
      return id;
    },
  };
}

async function idFrom(registry: SchemaRegistry, message: AvroMessage, mayRegister: boolean): Promise<number> {
  const subject = recordName(message.definition);
  const id = await registry.registeredId(subject, message.schemaText);
  if (id !== undefined) return id;
  if (mayRegister) return registry.register(subject, message.schemaText);
  const advice = `the registry lacks the schema of ${subject}; run \`npm run schemas -- register\``;
  throw new SystemError('schema-not-registered', advice, { canRetry: true });
}

/** Readers of all ids that the project itself has assigned. */
function localReaders(
  { messages, released }: SchemaStoreOptions,
  byRecord: ReadonlyMap<string, AvroMessage>,
): Map<number, Found> {
  const readers = new Map<number, Found>();
  for (const { localSchemaId, text } of released) {
    const schema = parseWriterSchema(text);
    readers.set(localSchemaId, readerOf(schema, byRecord));
    const current = messages.find((message) => message.definition.localSchemaId === localSchemaId);
    if (current !== undefined && !isSameSchema(current.schema, schema)) throw changed(current.definition);
  }
  for (const message of messages) {
    const { localSchemaId } = message.definition;
    if (!readers.has(localSchemaId)) readers.set(localSchemaId, createAvroReader(message, message.schema));
  }
  return readers;
}

function changed({ type, localSchemaId }: MessageDefinition): Error {
  return new Error(
    `the schema of ${type} is not the one that was released with id ${localSchemaId}: ` +
      'give it the next free localSchemaId in schemas/messages.ts, then run `npm run schemas -- release`',
  );
}

function readerOf(writer: Type, byRecord: ReadonlyMap<string, AvroMessage>): Found {
  const message = byRecord.get(writer.name ?? '');
  if (message === undefined)
    return { unreadable: `record ${writer.name ?? 'without name'} is not in the list of messages` };
  try {
    return createAvroReader(message, writer);
  } catch (error) {
    return {
      unreadable: `the writer's schema of ${message.definition.type} is incompatible: ${errorText(error)}`,
    };
  }
}

function unknownId(id: number): Unreadable {
  return { unreadable: `schema id ${id} is not known` };
}

/** Sets a key and evicts the oldest when there are too many. */
function keep<Value>(map: Map<number, Value>, key: number, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
