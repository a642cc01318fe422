/** A known schema needs no promise. Concurrent messages with the same unknown id share one query of the registry. */

import { FIRST_LOCAL_SCHEMA_ID, recordName } from '../../../schemas/messages.ts';
import type { ReleasedSchema } from '../../../schemas/schema-files.ts';
import type { Clock } from '../../platform/system-ports.ts';
import { errorText, InfrastructureError } from '../../platform/errors.ts';
import { lazy } from '../../platform/lazy.ts';
import { atMost } from '../../platform/queue-limits.ts';
import { LRUCache } from 'lru-cache';
import type { Type } from 'avsc';
import { type AvroMessage, type AvroReader, createAvroReader } from './avro-message.ts';
import { isSameSchema, parseWriterSchema } from './avro-types.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** Time after which an id that the registry did not know is looked up again. */
const NEGATIVE_CACHE_MS = 30_000;
/** Maximum number of cached schemas of other writers; a system has some dozens. The least recently used are evicted. */
const MAX_CACHED_SCHEMAS = 1_000;
/** Time after which a failed look-up is repeated: messages must not wait five seconds each for a failing registry. */
export const FAILURE_CACHE_MS = 3_000;
/** Maximum number of concurrent queries. A system has some dozens of schemas, whose first messages rarely coincide. */
const MAX_QUERIES = 16;
const TOO_MANY_QUERIES = new InfrastructureError(
  'schema-registry-unavailable',
  'too many schema ids are being looked up',
);
/** Maximum number of cached unknown ids, and of failed ones: messages with random ids must not exhaust the memory. */
const MAX_UNKNOWN_IDS = 10_000;

export type Found = AvroReader | { readonly unreadable: string };

/** `known` and `writerId` return undefined if the registry must be asked: then call `find` or `findWriterId`. */
export type SchemasById = ReturnType<typeof createSchemasById>;

type LocalReaders = ReadonlyMap<number, () => Found>;

export interface SchemasByIdOptions {
  readonly messages: readonly AvroMessage[];
  readonly localReaders: LocalReaders;
  readonly clock: Clock;
  readonly registry?: SchemaRegistry | undefined;
}

export function createSchemasById(options: SchemasByIdOptions) {
  const { localReaders, registry, clock } = options;
  const byRecord = indexByRecord(options.messages);
  const foreignReaders = new LRUCache<number, Found>(atMost(MAX_CACHED_SCHEMAS));
  const unknownUntil = new LRUCache<number, number>(atMost(MAX_UNKNOWN_IDS));
  const failures = new LRUCache<number, { untilMs: number; error: unknown }>(atMost(MAX_UNKNOWN_IDS));
  const inFlight = new Map<number, Promise<Found>>();
  const writerIds = new Map<AvroMessage, number>();
  const remember = (id: number, error: unknown): never => {
    failures.set(id, { untilMs: clock.now() + FAILURE_CACHE_MS, error });
    throw error;
  };
  const fetch = async (from: SchemaRegistry, id: number): Promise<Found> => {
    const found = await from.schemaOf(id);
    if (found.kind === 'unknown') {
      unknownUntil.set(id, clock.now() + NEGATIVE_CACHE_MS);
      return unknownId(id);
    }
    const reader =
      found.kind === 'found'
        ? createReader(found.schema, byRecord)
        : { unreadable: `schema id ${id} cannot be used: ${found.reason}` };
    foreignReaders.set(id, reader);
    return reader;
  };

  return {
    known: (id: number): Found | undefined => {
      const reader = localReaders.get(id)?.() ?? foreignReaders.get(id);
      if (reader !== undefined) return reader;
      if (registry === undefined || id >= FIRST_LOCAL_SCHEMA_ID) return unknownId(id);
      return isBefore(unknownUntil.get(id), NEGATIVE_CACHE_MS, clock) ? unknownId(id) : undefined;
    },
    find: (id: number): Promise<Found> => {
      if (registry === undefined) return Promise.resolve(unknownId(id));
      const waiting = inFlight.get(id);
      if (waiting !== undefined) return waiting;
      const failure = failures.get(id);
      if (isBefore(failure?.untilMs, FAILURE_CACHE_MS, clock)) return Promise.reject(failure?.error);
      if (inFlight.size >= MAX_QUERIES) return Promise.reject(TOO_MANY_QUERIES);
      const query = fetch(registry, id)
        .catch((error: unknown) => remember(id, error))
        .finally(() => inFlight.delete(id));
      inFlight.set(id, query);
      return query;
    },
    writerId: (message: AvroMessage): number | undefined =>
      registry === undefined ? message.definition.localSchemaId : writerIds.get(message),
    findWriterId: async (message: AvroMessage): Promise<number> => {
      if (registry === undefined) return message.definition.localSchemaId;
      const [subject, text] = [recordName(message.definition), message.schemaText];
      const id = (await registry.registeredId(subject, text)) ?? (await registry.register(subject, text));
      writerIds.set(message, id);
      return id;
    },
  };
}

/** Whether `untilMs` is ahead by at most `lengthMs`. If it is further ahead, the clock was set back. */
function isBefore(untilMs = 0, lengthMs: number, clock: Clock): boolean {
  const leftMs = untilMs - clock.now();
  return leftMs > 0 && leftMs <= lengthMs;
}

function indexByRecord(messages: readonly AvroMessage[]): ReadonlyMap<string, AvroMessage> {
  return new Map(messages.map((message) => [recordName(message.definition), message]));
}

/** The readers of all local ids, including earlier releases. Throws if a schema was changed without a new id. */
export function createLocalReaders(
  messages: readonly AvroMessage[],
  released: readonly ReleasedSchema[],
): LocalReaders {
  const byRecord = indexByRecord(messages);
  const readers = new Map<number, () => Found>();
  for (const { localSchemaId, text } of released) {
    const current = messages.find((message) => message.definition.localSchemaId === localSchemaId);
    if (current?.schemaText === text) continue;
    const schema = lazy(() => parseWriterSchema(text));
    const reader = lazy(() => createReader(schema(), byRecord));
    readers.set(localSchemaId, reader);
    if (current === undefined || isSameSchema(current.schema, schema())) continue;
    throw new Error(
      `the schema of ${current.definition.type} is not the one that was released with id ${localSchemaId}: ` +
        'give it the next free localSchemaId in schemas/messages.ts, then run `npm run schemas -- release`',
    );
  }
  for (const message of messages) {
    const { localSchemaId } = message.definition;
    if (readers.has(localSchemaId)) continue;
    const reader = lazy(() => createAvroReader(message, message.schema));
    readers.set(localSchemaId, reader);
  }
  return readers;
}

function createReader(writer: Type, byRecord: ReadonlyMap<string, AvroMessage>): Found {
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

function unknownId(id: number): Found {
  return { unreadable: `schema id ${id} is not known` };
}
