/** Calls of the public HTTP interface, with the token of this tab. */
import { signal } from '@preact/signals';
import { BASE_PATH } from './page-settings.ts';
import { token } from './preferences.ts';

/** A fault of a request: the field as spelt in the interface, such as `jsonParam.Amount`, and what is allowed. */
export interface Fault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** A problem document (RFC 9457) of the interface. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly correlationId?: string;
  /** All faults of a request. */
  readonly errors?: readonly Fault[];
}

/** A call that was answered with a problem, or not at all (status 0). */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.name = 'ApiError';
    this.problem = problem;
  }
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** After this time a call fails with status 0. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** True after a response said that the token is missing or no longer valid. */
export const tokenRefused = signal(false);

/** Headers of every call. */
export function authorization(): Record<string, string> {
  return token.value === '' ? {} : { authorization: `Bearer ${token.value}` };
}

/**
 * Calls an address of the interface, without the base path, and returns its response. Throws ApiError for every other status than 2xx and for
 * failures of the connection, and the AbortError of `signal`.
 */
export async function call(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal: abort, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(BASE_PATH + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...authorization(),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: abort === undefined ? limit : AbortSignal.any([abort, limit]),
      cache: 'no-store',
    });
  } catch (error) {
    if (abort?.aborted === true) throw error;
    throw new ApiError({
      title: limit.aborted ? 'No response in time' : 'The engine cannot be reached',
      status: 0,
      code: limit.aborted ? 'no-response' : 'unreachable',
    });
  }
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (response.status === 401) tokenRefused.value = true;
  throw new ApiError(problem);
}

/** Calls an address and returns the JSON of its response. */
export async function callJson<Reply>(path: string, options: CallOptions = {}): Promise<Reply> {
  const response = await call(path, options);
  return (await response.json()) as Reply;
}

/** Calls an action by its name (POST /platapi/automation-processors/actions/...). */
export function callAction<Reply>(
  action: string,
  jsonParam: unknown,
  options: Omit<CallOptions, 'method' | 'body'> = {},
): Promise<Reply> {
  return callJson<Reply>(`/platapi/automation-processors/actions/${action}`, {
    ...options,
    method: 'POST',
    body: { jsonParam },
  });
}

async function readProblem(response: Response): Promise<Problem> {
  const fallback: Problem = {
    title: response.statusText === '' ? `Status ${response.status}` : response.statusText,
    status: response.status,
    code: 'unexpected',
  };
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? { ...fallback, ...body } : fallback;
  } catch {
    return fallback;
  }
}
