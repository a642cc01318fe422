import { errorText, InfrastructureError } from '../platform/errors.ts';
import type { SchemaRegistrySettings } from './schema-registry.ts';

/** An operator's command may wait longer than a consumer; a registry that needs more is away. */
const REQUEST_TIMEOUT_MS = 5_000;
const NOT_FOUND = 404;

/** One registered version of a subject. */
export interface RegisteredVersion {
  readonly version: number;
  readonly id: number;
  readonly text: string;
}

/**
 * All registered versions of a subject, oldest first; empty when there is none. Rejects with InfrastructureError
 * `schema-registry-unavailable` when the registry cannot be used.
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
    if (!response.ok) throw new Error(`it answered with status ${response.status}`);
    return await response.json();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${errorText(error.cause)})` : '';
    const message = `the schema registry cannot be used: ${errorText(error)}${cause}`;
    throw new InfrastructureError('schema-registry-unavailable', message, error);
  }
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
