/** One call over HTTP: the token, the time limit, repeats, and what an answer or a failure says. */
import { UnreadableAnswer, type Received } from './answer.ts';
import { wait, type ClientSystem } from './client-system.ts';
import { EngineError, isProblem, problemText, type EngineErrorDetails } from './engine-error.ts';

export interface CallOptions {
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the whole call, repeats and waits included, in milliseconds; by default that of the client. */
  readonly timeoutMs?: number | undefined;
  /** How often the request is sent at most; by default as set for the client. 1: never repeated. */
  readonly attempts?: number | undefined;
  /** Id of the call in logs and problems, 1 to 128 visible ASCII characters; by default a new one. */
  readonly correlationId?: string | undefined;
}

export interface HttpSettings {
  readonly baseUrl: string;
  readonly token: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly parseJson: (text: string) => unknown;
  readonly system: ClientSystem;
}

export interface HttpCall {
  readonly method: string;
  /** Path below the base URL, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  /** Whether a second copy of the request does no harm. */
  readonly canRepeat: boolean;
  readonly idempotencyKey?: string | undefined;
  /** The caller has a reply with this entity tag: 304, without a body, if it is still the same. */
  readonly etag?: string | undefined;
}

/** The limits of a call. */
export const CALL_LIMITS = {
  /** Of the whole call, unless the caller sets it: people rarely wait longer. */
  timeoutMs: 30_000,
  /** How often a request is sent, unless the caller sets it. */
  attempts: 4,
  /** The first repeat waits up to this, each later one up to twice as long, unless the engine names a time. */
  firstDelayMs: 250,
  longestDelayMs: 8_000,
};
/** Statuses of an engine, or of the proxy before it, after which the same request may succeed. */
const TEMPORARY: ReadonlySet<number | undefined> = new Set([429, 502, 503]);
const NOT_MODIFIED = 304;
const TIMED_OUT = Symbol('timed out');

/**
 * Sends a request until it has an answer that `read` can read. Rejects with an {@link EngineError}, with the reason of
 * the caller's signal, with what the token function threw, or with a TypeError for a text that no header can have. A request is repeated only if `canRepeat`, after the time that
 * the engine names, and never if that time is beyond the time limit. When it returns, only the caller's signal still ends the body.
 */
export async function exchange<Body>(
  settings: HttpSettings,
  call: HttpCall,
  options: CallOptions,
  read: (response: Response) => Promise<Body>,
): Promise<Received<Body>> {
  const { system } = settings;
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
  const giveUpAt = system.now() + timeoutMs;
  const limit = new AbortController();
  const cancelLimit = system.startTimer(timeoutMs, () => limit.abort(TIMED_OUT));
  const signal =
    options.signal === undefined ? limit.signal : AbortSignal.any([options.signal, limit.signal]);
  const known = {
    correlationId: options.correlationId ?? system.newId(),
    idempotencyKey: call.idempotencyKey,
  };
  let attempts = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const headers = await untilAborted(requestHeaders(settings, call, known.correlationId), signal);
      // fetch would report a text that no header can have like a broken connection.
      void new Headers(headers);
      attempts += 1;
      const result = await attempt(settings, { call, headers, signal, known: { ...known, attempts } }, read);
      if (!(result instanceof EngineError)) return result;
      const delayMs = repeatDelay(system, attempts, result.retryAfterMs);
      const isLast = attempts >= (options.attempts ?? settings.attempts);
      const isTooLate = system.now() + delayMs >= giveUpAt;
      if (!call.canRepeat || isLast || isTooLate || !isTemporary(result)) throw result;
      await wait(system, delayMs, signal);
    }
  } catch (error) {
    if (error !== TIMED_OUT) throw error;
    throw new EngineError(`No answer within ${timeoutMs} ms`, { ...known, attempts, code: 'timeout' });
  } finally {
    cancelLimit();
  }
}

interface Attempt {
  readonly call: HttpCall;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly known: Pick<EngineErrorDetails, 'correlationId' | 'idempotencyKey' | 'attempts'>;
}

/** Sends the request once. Returns the answer or the failure; throws the reason of the signal. */
async function attempt<Body>(
  settings: HttpSettings,
  { call, headers, signal, known }: Attempt,
  read: (response: Response) => Promise<Body>,
): Promise<Received<Body> | EngineError> {
  const { method, path, body } = call;
  let status: number | undefined;
  try {
    const content = body === undefined ? {} : { body };
    const response = await settings.system.fetch(settings.baseUrl + path, {
      method,
      headers,
      signal,
      ...content,
    });
    status = response.status;
    const correlationId = response.headers.get('x-correlation-id') ?? known.correlationId;
    const isUnchanged = call.etag !== undefined && status === NOT_MODIFIED;
    if (!response.ok && !isUnchanged) return await refusal(response, { ...known, correlationId });
    return { body: await read(response), response, correlationId, attempts: known.attempts };
  } catch (error) {
    signal.throwIfAborted();
    const isUnreadable = error instanceof UnreadableAnswer;
    const words = error instanceof Error ? error.message : String(error);
    return new EngineError(isUnreadable ? `The answer cannot be read: ${words}` : `No connection: ${words}`, {
      ...known,
      code: isUnreadable ? 'unreadable-answer' : 'unreachable',
      status,
      cause: error,
    });
  }
}

/** The failure that a response with an error status reports. */
async function refusal(response: Response, known: Attempt['known']): Promise<EngineError> {
  const { status } = response;
  const text = await response.text();
  const details = { ...known, status, retryAfterMs: readRetryAfter(response.headers) };
  const body = parsedOrUndefined(text);
  return isProblem(body)
    ? new EngineError(problemText(body), { ...details, code: body.code, problem: body })
    : new EngineError(`The answer has the status ${status} and no problem document`, {
        ...details,
        code: 'unreadable-answer',
        body,
      });
}

async function requestHeaders(
  { token }: HttpSettings,
  { headers, body, etag }: HttpCall,
  correlationId: string,
): Promise<Record<string, string>> {
  const bearer = typeof token === 'function' ? await token() : token;
  return {
    accept: 'application/json, application/problem+json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    'x-correlation-id': correlationId,
    ...headers,
  };
}

/** Whether the same request may succeed if it is sent again soon. */
export function isTemporary({ code, status }: EngineError): boolean {
  return code === 'unreachable' || code === 'accept-unknown' || TEMPORARY.has(status);
}

/** A random part of a delay that doubles, so that clients do not return together; after the time that the engine names. */
export function repeatDelay({ random }: ClientSystem, attempts: number, retryAfterMs = 0): number {
  const { firstDelayMs, longestDelayMs } = CALL_LIMITS;
  return retryAfterMs + random() * Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs);
}

/**
 * `Retry-After` in milliseconds. The engine sends whole seconds. A proxy may send a date, which is compared with the `Date` of
 * the same answer, since the clock of the caller may differ.
 */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const delayMs = Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
