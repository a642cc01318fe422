import { setTimeout as sleep } from 'node:timers/promises';
import avro, { type Schema, type Type } from 'avsc';
import { z } from 'zod';
import { readJsonAnswer } from '../../platform/bounded-answer.ts';
import { errorText, InfrastructureError, SystemError } from '../../platform/errors.ts';
import { AVRO_OPTIONS } from './avro-types.ts';

/**
 * Every version must be able to read the messages of all others, because requesters, workers and upstream systems are
 * upgraded in any order and messages stay on their topics for days.
 */
const COMPATIBILITY_LEVEL = 'FULL_TRANSITIVE';

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
  schemaOf(id: number): Promise<FoundSchema>;
  /** Id of a schema that is registered under the subject; undefined when it is not. */
  registeredId(subject: string, schemaText: string): Promise<number | undefined>;
  /**
   * Registers a schema and returns its id. A new subject gets full transitive compatibility. Rejects with SystemError
   * `schema-incompatible` when the registry refuses the change, or when the subject has another level.
   */
  register(subject: string, schemaText: string): Promise<number>;
}

export interface RegisteredVersion {
  readonly version: number;
  readonly id: number;
  readonly text: string;
}

/** Time limit for one attempt. A registry responds in milliseconds, and a partition waits for the response. */
const ANSWER_TIMEOUT_MS = 2_000;
/** The same for a command, which may wait longer than a consumer. */
const COMMAND_TIMEOUT_MS = 5_000;
/** A server error is asked again once after this time. */
const RETRY_MS = 100;

const NOT_FOUND = 404;
const CONFLICT = 409;
const SERVER_ERROR = 500;
const REFUSED: ReadonlySet<number | undefined> = new Set([401, 403]);
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';

const registeredId = z.object({ id: z.int() });
const subjectConfig = z.object({ compatibilityLevel: z.string() });
const versionNumbers = z.array(z.int());
const registeredSchema = z.object({
  id: z.int().optional(),
  schema: z.string(),
  schemaType: z.string().default('AVRO'),
  references: z.array(z.object({ subject: z.string(), version: z.int() })).default([]),
});
/** What a registry sends with an error, and a proxy whose registry is down does not. */
const failure = z.object({ message: z.string() });

/** Connects with each call to a registry with a Confluent-compatible interface, such as Confluent's own or Apicurio's. */
export function createSchemaRegistry(settings: SchemaRegistrySettings): SchemaRegistry {
  const registry = new RegistryCalls(settings, ANSWER_TIMEOUT_MS);
  return {
    schemaOf: async (id) => {
      const found = await registry.ask(`/schemas/ids/${id}`, registeredSchema);
      if (found === undefined) return { kind: 'unknown' };
      try {
        return { kind: 'found', schema: await readSchema(registry, found, {}) };
      } catch (error) {
        if (error instanceof InfrastructureError) throw error;
        return { kind: 'unusable', reason: errorText(error) };
      }
    },
    registeredId: async (subject, schema) =>
      (await registry.ask(pathOf('subjects', subject), registeredId, 'POST', { schema }))?.id,
    register: async (subject, schema) => {
      const config = pathOf('config', subject);
      const level = (await registry.ask(config, subjectConfig))?.compatibilityLevel.toUpperCase();
      if (level !== undefined && level !== COMPATIBILITY_LEVEL)
        throw incompatible(`${config} is ${level}, not ${COMPATIBILITY_LEVEL}`);
      const path = `${pathOf('subjects', subject)}/versions`;
      const registered = await registry.ask(path, registeredId, 'POST', { schema });
      if (registered === undefined) throw unavailable(`it has no ${path}`);
      const wanted = { compatibility: COMPATIBILITY_LEVEL };
      if (level === undefined) await registry.ask(config, z.unknown(), 'PUT', wanted);
      return registered.id;
    },
  };
}

/**
 * All registered versions of a subject, oldest first; empty if there are none. Rejects with the same errors as the calls of
 * {@link SchemaRegistry}.
 */
export async function registeredVersions(
  settings: SchemaRegistrySettings,
  subject: string,
): Promise<readonly RegisteredVersion[]> {
  const registry = new RegistryCalls(settings, COMMAND_TIMEOUT_MS);
  const path = `${pathOf('subjects', subject)}/versions`;
  const versions: RegisteredVersion[] = [];
  for (const version of (await registry.ask(path, versionNumbers)) ?? []) {
    const found = await registry.ask(`${path}/${version}`, registeredSchema.required({ id: true }));
    if (found !== undefined) versions.push({ version, id: found.id, text: found.schema });
  }
  return versions;
}

/** Builds the type of a schema and of those that it refers to. Throws when one is not a valid Avro schema. */
async function readSchema(
  registry: RegistryCalls,
  { schema, schemaType, references }: z.output<typeof registeredSchema>,
  known: Record<string, Type>,
): Promise<Type> {
  if (schemaType !== 'AVRO') throw new TypeError('it is not an Avro schema');
  for (const { subject, version } of references) {
    const found = await registry.ask(`${pathOf('subjects', subject)}/versions/${version}`, registeredSchema);
    if (found !== undefined) await readSchema(registry, found, known);
  }
  const options = { ...AVRO_OPTIONS, wrapUnions: 'auto', registry: known } as const;
  return avro.Type.forSchema(JSON.parse(schema) as Schema, options);
}

class RegistryCalls {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;

  constructor({ url, username, password = '' }: SchemaRegistrySettings, timeoutMs: number) {
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    this.#url = url.replace(/\/+$/, '');
    this.#headers = {
      accept: `${CONTENT_TYPE}, application/json`,
      'content-type': CONTENT_TYPE,
      ...(username === undefined ? {} : { authorization: `Basic ${login}` }),
    };
    this.#timeoutMs = timeoutMs;
  }

  /** The answer in this shape; undefined when the registry has nothing at the path. */
  async ask<Shape extends z.ZodType>(
    path: string,
    shape: Shape,
    method: 'GET' | 'POST' | 'PUT' = 'GET',
    content?: object,
  ): Promise<z.output<Shape> | undefined> {
    let response = await this.#send(path, method, content);
    if (response.status >= SERVER_ERROR) {
      await sleep(RETRY_MS);
      response = await this.#send(path, method, content);
    }
    const { status, answer } = response;
    const reason = failure.safeParse(answer).data?.message;
    if (status === CONFLICT) throw incompatible(`${path}: ${reason ?? 'no reason given'}`);
    if (status === NOT_FOUND && reason !== undefined) return undefined;
    if (status >= 300) throw unavailable(`it responded with status ${status}`, undefined, status);
    const read = shape.safeParse(answer);
    if (!read.success) throw unavailable(`its response to ${path} is not that of a schema registry`);
    return read.data;
  }

  async #send(path: string, method: string, content: object | undefined) {
    const body = content === undefined ? null : JSON.stringify(content);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await fetch(this.#url + path, { method, headers: this.#headers, body, signal });
      const answer = await readJsonAnswer(response).catch((error: unknown) => {
        if (signal.aborted || response.ok) throw error;
      });
      return { status: response.status, answer };
    } catch (error) {
      if (signal.aborted) throw unavailable(`no answer within ${this.#timeoutMs} ms`, error);
      const cause = error instanceof Error && error.cause !== undefined ? ` (${errorText(error.cause)})` : '';
      throw unavailable(errorText(error) + cause, error);
    }
  }
}

function pathOf(kind: 'subjects' | 'config', subject: string): string {
  return `/${kind}/${encodeURIComponent(subject)}`;
}

function incompatible(reason: string): SystemError {
  const text = `the registry refuses the schema at ${reason}`;
  return new SystemError('schema-incompatible', text, { canRetry: false });
}

function unavailable(why: string, cause?: unknown, status?: number): InfrastructureError {
  const code = REFUSED.has(status) ? 'schema-registry-refused' : 'schema-registry-unavailable';
  return new InfrastructureError(code, `the schema registry cannot be used: ${why}`, cause);
}
