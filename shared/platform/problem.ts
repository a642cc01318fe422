/** Problem details (RFC 9457, E1), without stack traces, secrets or partial results. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly code: string;
  readonly errors?: readonly Fault[];
  readonly correlationId?: string;
}

/** A fault of a request. `path` is a field, spelt as in the interface: `jsonParam.Commission[0].SourceValue`. */
export interface Fault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** What the response header `Warnings` reports about a field, for example that it was ignored (E3, E5, S6). */
export interface Warning {
  readonly code: string;
  readonly path: string;
}

interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly retryable?: true;
}

/** The codes of all problems (E1). They never change. */
const CODES = {
  'malformed-http': { status: 400, title: 'This is not a valid HTTP request' },
  'malformed-json': { status: 400, title: 'The body is not valid JSON' },
  'empty-body': { status: 400, title: 'The body is empty' },
  'invalid-request': { status: 400, title: 'The request has missing or invalid fields' },
  'undecodable-message': { status: 400, title: 'The message cannot be decoded' },
  unauthenticated: { status: 401, title: 'A valid access token is required' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  'not-found': { status: 404, title: 'There is nothing at this address' },
  'unknown-action': { status: 404, title: 'There is no action of this name' },
  'unknown-product': { status: 404, title: 'There is no such product' },
  'unknown-notification': { status: 404, title: 'There is no such notification' },
  'unknown-verification': { status: 404, title: 'There is no such verification' },
  'method-not-allowed': { status: 405, title: 'The address does not support this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time', retryable: true },
  'idempotency-conflict': { status: 409, title: 'The Idempotency-Key was used with another request' },
  'not-cancellable': { status: 409, title: 'Only a scheduled notification can be cancelled' },
  'result-gone': { status: 410, title: 'The result is no longer kept' },
  'verification-ended': { status: 410, title: 'The verification has ended' },
  'body-too-large': { status: 413, title: 'The body is larger than allowed' },
  'attachments-too-large': { status: 413, title: 'The attachments are larger than allowed' },
  'unsupported-media-type': { status: 415, title: 'The content type is not supported' },
  'reply-too-large': { status: 422, title: 'The answer is larger than a message may be' },
  'country-not-allowed': { status: 422, title: 'Messages to this country are not allowed' },
  suppressed: { status: 422, title: 'An address does not get such messages' },
  'too-many-records': { status: 422, title: 'More records would have to be read than a call may' },
  'not-computable': { status: 422, title: 'The request cannot be computed' },
  'rate-limited': { status: 429, title: 'Too many requests', retryable: true },
  'quota-exceeded': { status: 429, title: 'A quota of notifications is used up', retryable: true },
  'verification-exhausted': { status: 429, title: 'No check or message of the verification is left' },
  'headers-too-large': { status: 431, title: 'The header fields are larger than allowed' },
  unexpected: { status: 500, title: 'The request failed unexpectedly' },
  'broker-unavailable': { status: 503, title: 'The message broker cannot be reached', retryable: true },
  'keys-unavailable': { status: 503, title: 'Access tokens cannot be checked', retryable: true },
  'no-provider': { status: 503, title: 'No provider is configured for this channel', retryable: true },
  'not-ready': { status: 503, title: 'This instance is not ready for traffic', retryable: true },
  overloaded: { status: 503, title: 'Too many requests are waiting for a reply', retryable: true },
  'reply-timeout': { status: 504, title: 'No reply came in time', retryable: true },
  'accept-unknown': {
    status: 504,
    title: 'It is not known whether the notification was accepted',
    retryable: true,
  },
  'deadline-exceeded': { status: 504, title: 'The deadline of the request had passed', retryable: true },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof CODES;
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorKind>> = CODES;

export type ProblemExtras = Pick<Problem, 'detail' | 'errors' | 'correlationId' | 'instance'>;

export function createProblem(code: ErrorCode, extras: ProblemExtras = {}): Problem {
  const { status, title } = ERROR_CODES[code];
  // A URN, because the project has no permanent web address.
  return { type: `urn:plat:problem:${code}`, title, status, code, ...extras };
}

/** Whether the same request may succeed later, by the code of the problem. Unknown codes are not retryable. */
export function isRetryable(problem: Problem): boolean {
  return (
    Object.hasOwn(ERROR_CODES, problem.code) && ERROR_CODES[problem.code as ErrorCode].retryable === true
  );
}

/** The path of a field below `path`, which is empty for the whole value. */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Writes the path of a field as `jsonParam.Commission[0].SourceValue`; empty for the whole value. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let joined = '';
  for (const key of path) {
    joined = typeof key === 'number' ? `${joined}[${key}]` : joinPath(joined, String(key));
  }
  return joined;
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}
