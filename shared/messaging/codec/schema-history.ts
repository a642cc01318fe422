import { errorText, InfrastructureError } from '../../platform/errors.ts';
import type { SchemaRegistrySettings } from './schema-registry.ts';

/** An operator's command may wait longer than a consumer; a registry that needs more is away. */
const REQUEST_TIMEOUT_MS = 5_000;
const NOT_FOUND = 404;
/** The registry does not accept the credentials, or does not let them do this. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** One registered version of a subject. */
export interface RegisteredVersion {
  readonly version: number;
  readonly id: number;
  readonly text: string;
}

/**
 * All registered versions of a subject, oldest first; empty when there is none. Rejects with InfrastructureError
 * `schema-registry-unavailable` when the registry cannot be used, `schema-registry-refused` when it does not accept the
 * credentials.
 */
export async function registeredVersions(
  settings: SchemaRegistrySettings,
  subject: string,
): Promise<readonly RegisteredVersion[]> {
  const path = `/subjects/${encodeURIComponent(subject)}/versions`;
  const numbers = (await get(settings, path)) as readonly number[] | undefined;
  const versions: RegisteredVersion[] = [];
  for (const number of numbers ?? []) {
    const found = (await get(settings, `${path}/${number}`)) as { id: number; schema: string } | undefined;
    if (found !== undefined) versions.push({ version: number, id: found.id, text: found.schema });
  }
  return versions;
}

async function get(settings: SchemaRegistrySettings, path: string): Promise<unknown> {
  const { url, username, password } = settings;
  const login = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  try {
    const response = await fetch(url.replace(/\/+$/, '') + path, {
      headers: {
        accept: 'application/vnd.schemaregistry.v1+json, application/json',
        ...(username === undefined ? {} : { authorization: `Basic ${login}` }),
      },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status === NOT_FOUND && (await isRegistryAnswer(response))) return undefined;
    if (!response.ok)
      throw unavailable(`it answered with status ${response.status}`, { status: response.status });
    return await response.json();
  } catch (error) {
    if (error instanceof InfrastructureError) throw error;
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw unavailable(`no answer within ${REQUEST_TIMEOUT_MS} ms`, { cause: error });
    }
    const cause = error instanceof Error && error.cause !== undefined ? ` (${errorText(error.cause)})` : '';
    throw unavailable(errorText(error) + cause, { cause: error });
  }
}

function unavailable(
  why: string,
  { status, cause }: { status?: number; cause?: unknown },
): InfrastructureError {
  const isRefused = status !== undefined && REFUSED.has(status);
  const code = isRefused ? 'schema-registry-refused' : 'schema-registry-unavailable';
  return new InfrastructureError(code, `the schema registry cannot be used: ${why}`, cause);
}

/** Tells a subject that is not there from an address that is not a registry's. */
async function isRegistryAnswer(response: Response): Promise<boolean> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'error_code' in body;
  } catch {
    return false;
  }
}
