import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '../../shared/platform/problem.ts';
import { errorText, InfrastructureError, MessagingError } from '../../shared/platform/errors.ts';

/** The addresses of dead letters of an ingress. */
export interface LetterApi {
  get(address: string, query?: URLSearchParams): Promise<unknown>;
  post(action: string, body: object): Promise<unknown>;
}

export interface LetterApiOptions {
  /** With the base path. */
  readonly url: string;
  readonly token: string | undefined;
}

/** An action on 500 dead letters takes 10 s; the ingress answers within 50 s even if the broker does not. */
const CALL_TIMEOUT_MS = 120_000;
/** A long list is charged to the allowance of its caller, which is refilled within seconds. */
const MAX_ATTEMPTS = 10;
const TOO_MANY_REQUESTS = 429;

/** Its methods reject with SystemError, whose message says what the ingress refused and what to do. */
export function createLetterApi({ url, token }: LetterApiOptions): LetterApi {
  const base = `${url}/api/operations/v1/dead-letters`;
  const call = async (address: string, init: RequestInit = {}): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(address, init);
      if (response.status === TOO_MANY_REQUESTS && attempt < MAX_ATTEMPTS) {
        await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
        continue;
      }
      const body: unknown = await response.json().catch(() => undefined);
      if (response.ok) return body;
      throw new MessagingError('refused', refusalText(response.status, body), { canRetry: false });
    }
  };
  const send = async (address: string, init: RequestInit): Promise<Response> => {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      return await fetch(base + address, { ...init, headers, signal });
    } catch (error) {
      const { cause = error } = error as Error;
      const text = `no ingress answers at ${url} (${errorText(cause)}): start one with npm start, or name another one with --url`;
      throw new InfrastructureError('no-process', text, error);
    }
  };
  return {
    get: (address, query) => call(query === undefined ? address : `${address}?${query.toString()}`),
    post: (action, body) => call(`/${action}`, { method: 'POST', body: JSON.stringify(body) }),
  };
}

const HINTS: Readonly<Record<number, string>> = {
  401: '; name the file of an access token with --token-file, or set AUTH_JWT_SECRET',
  403: '; the access token needs the scopes operations:read and operations:write',
};

function refusalText(status: number, body: unknown): string {
  const { title = `status ${status}`, detail = '', errors = [] } = (body ?? {}) as Partial<Problem>;
  const faults = errors.map(({ path, message }) => `\n  ${path} ${message}`).join('');
  return `the ingress refused the call: ${detail === '' ? title : detail}${HINTS[status] ?? ''}${faults}`;
}
