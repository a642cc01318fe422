import {
  COMPATIBILITY,
  SchemaRegistry as LibraryRegistry,
  SchemaType,
} from '@kafkajs/confluent-schema-registry';
import avro, { type Type } from 'avsc';
import { errorText, InfrastructureError, SystemError } from '../../platform/errors.ts';
import { AVRO_OPTIONS } from './avro-schema.ts';

/**
 * Every change is readable by old and new code, in both directions and over all earlier versions: requesters and
 * workers are upgraded in any order, upstream systems on their own, and messages stay on the log for days.
 */
export const COMPATIBILITY_LEVEL = COMPATIBILITY.FULL_TRANSITIVE;

/** One attempt: a registry answers in milliseconds; a consumer's partition waits for it. */
const REQUEST_TIMEOUT_MS = 2_000;
/** Attempts beyond the first at a look-up that met a server error. */
const RETRIES = 1;
const FIRST_RETRY_SECONDS = 0.1;
/** All attempts and a slowly dripping answer together. */
const TOTAL_TIMEOUT_MS = 5_000;

const NOT_FOUND = 404;
const CONFLICT = 409;
/** The registry does not accept the credentials, or does not let them do this. */
const REFUSED: ReadonlySet<number | undefined> = new Set([401, 403]);
/** What the library's HTTP client makes of a call without an answer: a status 400 of its own. */
const NO_ANSWER = /\bError, status 400: Timeout \((\d+)ms\)$/;
const NO_CONNECTION = /\bError, status 400: (.*\b(?:E[A-Z]{5,}|socket hang up|certificate)\b.*)$/s;

/** Where a registry is; the URL carries the path of its Confluent-compatible interface, if it has one. */
export interface SchemaRegistrySettings {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** What a registry says of a schema id. An id keeps its schema for ever. */
export type FoundSchema =
  | { readonly kind: 'found'; readonly schema: Type }
  | { readonly kind: 'unknown' }
  /** There is a schema, but it is not Avro, or not one that can be understood. */
  | { readonly kind: 'unusable'; readonly reason: string };

/**
 * Port of a schema registry. All calls reject with InfrastructureError: `schema-registry-unavailable` when it is away,
 * `schema-registry-refused` when it does not accept the credentials.
 */
export interface SchemaRegistry {
  /** The writer's schema of an id. */
  schemaOf(id: number): Promise<FoundSchema>;
  /** Id of a schema that is registered under the subject; undefined when it is not. */
  registeredId(subject: string, schemaText: string): Promise<number | undefined>;
  /**
   * Registers a schema and answers its id. A new subject gets {@link COMPATIBILITY_LEVEL}. Rejects with SystemError
   * `schema-incompatible` when the registry refuses the change, or when the subject has another level.
   */
  register(subject: string, schemaText: string): Promise<number>;
}

/** Connects lazily to a registry with a Confluent-compatible interface, such as Confluent's own or Apicurio's. */
export function createSchemaRegistry(settings: SchemaRegistrySettings): SchemaRegistry {
  const library = new LibraryRegistry(
    {
      host: settings.url.replace(/\/+$/, ''),
      clientId: 'banking-product-engine',
      retry: { retries: RETRIES, initialRetryTimeInSecs: FIRST_RETRY_SECONDS },
      middlewares: [() => ({ request: (request) => request.enhance({ timeout: REQUEST_TIMEOUT_MS }) })],
      ...(settings.username === undefined
        ? {}
        : { auth: { username: settings.username, password: settings.password ?? '' } }),
    },
    { [SchemaType.AVRO]: { ...AVRO_OPTIONS, wrapUnions: 'auto' } },
  );
  return {
    schemaOf: (id) => findSchema(library, id),
    registeredId: async (subject, schemaText) => {
      try {
        const schema = { type: SchemaType.AVRO, schema: schemaText } as const;
        return await withinTime(library.getRegistryIdBySchema(subject, schema));
      } catch (error) {
        // The library says "not found" by an error class of its own, which has no status; all others keep theirs.
        if (isNamed(error, 'ConfluentSchemaRegistryError') && isRegistryAnswer(error)) return undefined;
        throw unavailable(error);
      }
    },
    register: (subject, schemaText) => registerSchema(library, subject, schemaText),
  };
}

async function findSchema(library: LibraryRegistry, id: number): Promise<FoundSchema> {
  try {
    const schema: unknown = await withinTime(library.getSchema(id));
    return avro.Type.isType(schema)
      ? { kind: 'found', schema: schema as Type }
      : { kind: 'unusable', reason: 'it is not an Avro schema' };
  } catch (error) {
    if (statusOf(error) === NOT_FOUND && isRegistryAnswer(error)) return { kind: 'unknown' };
    // Without a status the registry has answered, but what it answered cannot be built into a type.
    if (statusOf(error) === undefined && !(error instanceof InfrastructureError)) {
      return { kind: 'unusable', reason: errorText(error) };
    }
    throw unavailable(error);
  }
}

async function registerSchema(
  library: LibraryRegistry,
  subject: string,
  schemaText: string,
): Promise<number> {
  try {
    const schema = { type: SchemaType.AVRO, schema: schemaText } as const;
    const { id } = await withinTime(
      library.register(schema, { subject, compatibility: COMPATIBILITY_LEVEL }),
    );
    return id;
  } catch (error) {
    if (statusOf(error) === CONFLICT || isNamed(error, 'ConfluentSchemaRegistryCompatibilityError')) {
      const message = `the registry refuses the schema of ${subject}: ${errorText(error)}`;
      throw new SystemError('schema-incompatible', message, { canRetry: false, cause: error });
    }
    throw unavailable(error);
  }
}

/** Rejects when an answer takes longer than all attempts may; what still comes after that is dropped. */
async function withinTime<Value>(answer: Promise<Value>): Promise<Value> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(unavailable(new Error(`no answer within ${TOTAL_TIMEOUT_MS} ms`))),
    TOTAL_TIMEOUT_MS,
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(error: unknown): InfrastructureError {
  if (error instanceof InfrastructureError) return error;
  const text = errorText(error);
  const timeoutMs = NO_ANSWER.exec(text)?.[1];
  const why =
    timeoutMs === undefined ? (NO_CONNECTION.exec(text)?.[1] ?? text) : `no answer within ${timeoutMs} ms`;
  const code = REFUSED.has(statusOf(error)) ? 'schema-registry-refused' : 'schema-registry-unavailable';
  return new InfrastructureError(code, `the schema registry cannot be used: ${why}`, error);
}

/** HTTP status of a refused call; network trouble has the status 400 of its own client. */
function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/**
 * A registry says in words what it did not find. A proxy whose registry is away may answer 404 too, without such
 * words; the library then makes up a text of its own. Good messages shall not be given up for that.
 */
function isRegistryAnswer(error: unknown): boolean {
  return !/\bError, status \d+/.test(errorText(error));
}

/** The library does not export its error classes. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
