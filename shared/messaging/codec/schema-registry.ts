import {
  COMPATIBILITY,
  SchemaRegistry as LibraryRegistry,
  SchemaType,
} from '@kafkajs/confluent-schema-registry';
import avro, { type Type } from 'avsc';
import { errorText, InfrastructureError, SystemError } from '../../platform/errors.ts';
import { AVRO_OPTIONS } from './avro-schema.ts';

/**
 * Every version can read the messages of all others: requesters, workers and upstream systems are upgraded in any order,
 * and messages stay on their topics for days.
 */
export const COMPATIBILITY_LEVEL = COMPATIBILITY.FULL_TRANSITIVE;

/** Address of a registry; the URL includes the path of its Confluent-compatible interface, if it has one. */
export interface SchemaRegistrySettings {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Result of looking up a schema id. An id keeps its schema permanently. */
export type FoundSchema =
  | { readonly kind: 'found'; readonly schema: Type }
  | { readonly kind: 'unknown' }
  /** The schema is not Avro or is invalid. */
  | { readonly kind: 'unusable'; readonly reason: string };

/**
 * Port of a schema registry. All calls reject with InfrastructureError: `schema-registry-unavailable` when it cannot be
 * reached, `schema-registry-refused` when it does not accept the credentials.
 */
export interface SchemaRegistry {
  /** The writer's schema of an id. */
  schemaOf(id: number): Promise<FoundSchema>;
  /** Id of a schema that is registered under the subject; undefined when it is not. */
  registeredId(subject: string, schemaText: string): Promise<number | undefined>;
  /**
   * Registers a schema and returns its id. A new subject gets {@link COMPATIBILITY_LEVEL}. Rejects with SystemError
   * `schema-incompatible` when the registry refuses the change, or when the subject has another level.
   */
  register(subject: string, schemaText: string): Promise<number>;
}

/** One registered version of a subject. */
export interface RegisteredVersion {
  readonly version: number;
  readonly id: number;
  readonly text: string;
}

/** One attempt. A registry responds in milliseconds, and a partition waits for it. */
const REQUEST_TIMEOUT_MS = 2_000;
/** Further attempts after a server error. */
const RETRIES = 1;
const FIRST_RETRY_SECONDS = 0.1;
/** All attempts and a slow response body together. */
const TOTAL_TIMEOUT_MS = 5_000;
/** One call of a command, which may wait longer than a consumer. */
const COMMAND_TIMEOUT_MS = 5_000;

const NOT_FOUND = 404;
const CONFLICT = 409;
/** Unauthorized, Forbidden. */
const REFUSED: ReadonlySet<number | undefined> = new Set([401, 403]);
/** The HTTP client of the library reports calls without a response with status 400. */
const NO_ANSWER = /\bError, status 400: Timeout \((\d+)ms\)$/;
const NO_CONNECTION = /\bError, status 400: (.*\b(?:E[A-Z]{5,}|socket hang up|certificate)\b.*)$/s;

/** Connects lazily to a registry with a Confluent-compatible interface, such as Confluent's own or Apicurio's. */
export function createSchemaRegistry(settings: SchemaRegistrySettings): SchemaRegistry {
  const { username, password = '' } = settings;
  const library = new LibraryRegistry(
    {
      host: baseUrl(settings),
      clientId: 'banking-product-engine',
      retry: { retries: RETRIES, initialRetryTimeInSecs: FIRST_RETRY_SECONDS },
      middlewares: [() => ({ request: (request) => request.enhance({ timeout: REQUEST_TIMEOUT_MS }) })],
      ...(username === undefined ? {} : { auth: { username, password } }),
    },
    { [SchemaType.AVRO]: { ...AVRO_OPTIONS, wrapUnions: 'auto' } },
  );
  return {
    schemaOf: (id) => findSchema(library, id),
    registeredId: (subject, schemaText) => findRegisteredId(library, subject, schemaText),
    register: (subject, schemaText) => registerSchema(library, subject, schemaText),
  };
}

/**
 * All registered versions of a subject, oldest first; empty when there is none. The library cannot list them. Rejects as
 * the calls of {@link SchemaRegistry} do.
 */
export async function registeredVersions(
  settings: SchemaRegistrySettings,
  subject: string,
): Promise<readonly RegisteredVersion[]> {
  const path = `/subjects/${encodeURIComponent(subject)}/versions`;
  const numbers = (await get(settings, path)) as readonly number[] | undefined;
  const versions: RegisteredVersion[] = [];
  for (const version of numbers ?? []) {
    const found = (await get(settings, `${path}/${version}`)) as { id: number; schema: string } | undefined;
    if (found !== undefined) versions.push({ version, id: found.id, text: found.schema });
  }
  return versions;
}

async function findSchema(library: LibraryRegistry, id: number): Promise<FoundSchema> {
  try {
    const schema: unknown = await withinTime(library.getSchema(id));
    return avro.Type.isType(schema)
      ? { kind: 'found', schema: schema as Type }
      : { kind: 'unusable', reason: 'it is not an Avro schema' };
  } catch (error) {
    if (statusOf(error) === NOT_FOUND && isRegistryAnswer(error)) return { kind: 'unknown' };
    // Without a status the registry has answered, but its answer cannot be built into a type.
    if (statusOf(error) === undefined && !(error instanceof InfrastructureError)) {
      return { kind: 'unusable', reason: errorText(error) };
    }
    throw libraryFailure(error);
  }
}

async function findRegisteredId(
  library: LibraryRegistry,
  subject: string,
  schema: string,
): Promise<number | undefined> {
  try {
    return await withinTime(library.getRegistryIdBySchema(subject, { type: SchemaType.AVRO, schema }));
  } catch (error) {
    // The library reports "not found" by an error class of its own, which has no status; all others keep theirs.
    if (isNamed(error, 'ConfluentSchemaRegistryError') && isRegistryAnswer(error)) return undefined;
    throw libraryFailure(error);
  }
}

async function registerSchema(library: LibraryRegistry, subject: string, schema: string): Promise<number> {
  try {
    const options = { subject, compatibility: COMPATIBILITY_LEVEL };
    return (await withinTime(library.register({ type: SchemaType.AVRO, schema }, options))).id;
  } catch (error) {
    if (statusOf(error) === CONFLICT || isNamed(error, 'ConfluentSchemaRegistryCompatibilityError')) {
      const message = `the registry refuses the schema of ${subject}: ${errorText(error)}`;
      throw new SystemError('schema-incompatible', message, { canRetry: false, cause: error });
    }
    throw libraryFailure(error);
  }
}

/** Rejects when all attempts together take too long; a later response is ignored. */
async function withinTime<Value>(answer: Promise<Value>): Promise<Value> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(unavailable(`no answer within ${TOTAL_TIMEOUT_MS} ms`)),
    TOTAL_TIMEOUT_MS,
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function libraryFailure(error: unknown): InfrastructureError {
  if (error instanceof InfrastructureError) return error;
  const text = errorText(error);
  const timeoutMs = NO_ANSWER.exec(text)?.[1];
  const why =
    timeoutMs === undefined ? (NO_CONNECTION.exec(text)?.[1] ?? text) : `no answer within ${timeoutMs} ms`;
  return unavailable(why, error, statusOf(error));
}

/** HTTP status of a failed call; the library reports network failures with status 400. */
function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/**
 * Whether a 404 is from the registry, which sends a message with it, and not from a proxy whose registry is down. For a
 * response without a message the library makes a text with the status.
 */
function isRegistryAnswer(error: unknown): boolean {
  return !/\bError, status \d+/.test(errorText(error));
}

/** The library does not export its error classes. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** Fetches JSON from a path of the registry; undefined when it is not found. */
async function get(settings: SchemaRegistrySettings, path: string): Promise<unknown> {
  const { username, password = '' } = settings;
  const login = Buffer.from(`${username}:${password}`).toString('base64');
  try {
    const response = await fetch(baseUrl(settings) + path, {
      headers: {
        accept: 'application/vnd.schemaregistry.v1+json, application/json',
        ...(username === undefined ? {} : { authorization: `Basic ${login}` }),
      },
      signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS),
    });
    const { status, ok } = response;
    if (status === NOT_FOUND && (await hasErrorCode(response))) return undefined;
    if (!ok) throw unavailable(`it responded with status ${status}`, undefined, status);
    return await response.json();
  } catch (error) {
    if (error instanceof InfrastructureError) throw error;
    if (isNamed(error, 'TimeoutError')) throw unavailable(`no answer within ${COMMAND_TIMEOUT_MS} ms`, error);
    const cause = error instanceof Error && error.cause !== undefined ? ` (${errorText(error.cause)})` : '';
    throw unavailable(errorText(error) + cause, error);
  }
}

/** Whether a 404 is from a registry, and not from another server at the address. */
async function hasErrorCode(response: Response): Promise<boolean> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'error_code' in body;
  } catch {
    return false;
  }
}

function baseUrl({ url }: SchemaRegistrySettings): string {
  return url.replace(/\/+$/, '');
}

function unavailable(why: string, cause?: unknown, status?: number): InfrastructureError {
  const code = REFUSED.has(status) ? 'schema-registry-refused' : 'schema-registry-unavailable';
  return new InfrastructureError(code, `the schema registry cannot be used: ${why}`, cause);
}
