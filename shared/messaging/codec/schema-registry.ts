import {
  COMPATIBILITY,
  SchemaRegistry as LibraryRegistry,
  SchemaType,
} from '@kafkajs/confluent-schema-registry';
import avro, { type Type } from 'avsc';
import { z } from 'zod';
import { readJsonAnswer } from '../../platform/bounded-answer.ts';
import { errorText, InfrastructureError, SystemError } from '../../platform/errors.ts';
import { AVRO_OPTIONS } from './avro-types.ts';

/** Requesters, workers and upstream systems are upgraded in any order, and messages stay on topics for days. */
const COMPATIBILITY_LEVEL = COMPATIBILITY.FULL_TRANSITIVE;

/** `url` includes the path of the Confluent-compatible interface, if that is not at the root. */
export interface SchemaRegistrySettings {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export type FoundSchema =
  | { readonly kind: 'found'; readonly schema: Type }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Methods reject with InfrastructureError: `schema-registry-unavailable`, or `schema-registry-refused` (401, 403). */
export interface SchemaRegistry {
  schemaOf(id: number): Promise<FoundSchema>;
  registeredId(subject: string, schemaText: string): Promise<number | undefined>;
  /** Rejects with SystemError `schema-incompatible`, even if only the compatibility level of the subject differs. */
  register(subject: string, schemaText: string): Promise<number>;
}

/** Time limit for one attempt. A registry responds in milliseconds, and a partition waits for the response. */
const REQUEST_TIMEOUT_MS = 2_000;
/** Time limit for all attempts together, including a slow response body. */
const TOTAL_TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 5_000;

const NOT_FOUND = 404;
const CONFLICT = 409;
const REFUSED: ReadonlySet<number | undefined> = new Set([401, 403]);
/** The HTTP client of the library reports status 400 for a call without a response. */
const NO_ANSWER = /\bError, status 400: Timeout \((\d+)ms\)$/;
const NO_CONNECTION = /\bError, status 400: (.*\b(?:E[A-Z]{5,}|socket hang up|certificate)\b.*)$/s;

/** Each method call ends within 5 s, its one retry included. */
export function createSchemaRegistry(settings: SchemaRegistrySettings): SchemaRegistry {
  const { username, password = '' } = settings;
  const library = new LibraryRegistry(
    {
      host: baseUrl(settings),
      clientId: 'banking-product-engine',
      retry: { retries: 1, initialRetryTimeInSecs: 0.1 },
      middlewares: [() => ({ request: (request) => request.enhance({ timeout: REQUEST_TIMEOUT_MS }) })],
      ...(username === undefined ? {} : { auth: { username, password } }),
    },
    { [SchemaType.AVRO]: { ...AVRO_OPTIONS, wrapUnions: 'auto' } },
  );
  return {
    schemaOf: async (id) => {
      try {
        const schema: unknown = await withinTime(library.getSchema(id));
        return avro.Type.isType(schema)
          ? { kind: 'found', schema: schema as Type }
          : { kind: 'unusable', reason: 'it is not an Avro schema' };
      } catch (error) {
        if (statusOf(error) === NOT_FOUND && isRegistryAnswer(error)) return { kind: 'unknown' };
        if (statusOf(error) !== undefined || error instanceof InfrastructureError)
          throw libraryFailure(error);
        // The registry responded, but no type can be built from its response.
        return { kind: 'unusable', reason: errorText(error) };
      }
    },
    registeredId: async (subject, schema) => {
      try {
        return await withinTime(library.getRegistryIdBySchema(subject, { type: SchemaType.AVRO, schema }));
      } catch (error) {
        // For "not found" the library throws an error of its own class, which has no status.
        if (isNamed(error, 'ConfluentSchemaRegistryError') && isRegistryAnswer(error)) return undefined;
        throw libraryFailure(error);
      }
    },
    register: async (subject, schema) => {
      try {
        const options = { subject, compatibility: COMPATIBILITY_LEVEL };
        return (await withinTime(library.register({ type: SchemaType.AVRO, schema }, options))).id;
      } catch (error) {
        const isIncompatible =
          statusOf(error) === CONFLICT || isNamed(error, 'ConfluentSchemaRegistryCompatibilityError');
        if (!isIncompatible) throw libraryFailure(error);
        const message = `the registry refuses the schema of ${subject}: ${errorText(error)}`;
        throw new SystemError('schema-incompatible', message, { canRetry: false, cause: error });
      }
    },
  };
}

/** All versions of a subject, oldest first. The library cannot list them. Rejects like a method of SchemaRegistry. */
export async function registeredVersions(settings: SchemaRegistrySettings, subject: string) {
  const path = `/subjects/${encodeURIComponent(subject)}/versions`;
  const versions: { readonly version: number; readonly id: number; readonly text: string }[] = [];
  for (const version of (await get(settings, path, z.array(z.int()))) ?? []) {
    const shape = z.object({ id: z.int(), schema: z.string() });
    const found = await get(settings, `${path}/${version}`, shape);
    if (found !== undefined) versions.push({ version, id: found.id, text: found.schema });
  }
  return versions;
}

/** Rejects when all attempts together take too long. A later response is ignored. */
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

function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Whether a 404 is from the registry, whose errors have a message; without it, the library's text names the status. */
function isRegistryAnswer(error: unknown): boolean {
  return !/\bError, status \d+/.test(errorText(error));
}

/** The library does not export its error classes. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

async function get<Shape extends z.ZodType>(
  settings: SchemaRegistrySettings,
  path: string,
  shape: Shape,
): Promise<z.output<Shape> | undefined> {
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
    const read = shape.safeParse(await readJsonAnswer(response));
    if (!read.success) throw unavailable(`its response to ${path} is not that of a schema registry`);
    return read.data;
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
    const body = await readJsonAnswer(response);
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
