/** The calls of the pages: JSON over fetch, with the token of this tab. Each rejects with an EngineError, or with the reason of its signal. */
import { signal as createSignal } from '@preact/signals';
import type { Problem, Warning } from '../../../../shared/platform/problem.ts';
import { EngineError } from './engine-error.ts';
import { token } from './preferences.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the whole call, repeats included. */
  readonly timeoutMs?: number;
  readonly attempts?: number;
}

/** An answer, and the fields of the request that had no effect. */
export interface Answer<Reply> {
  readonly reply: Reply;
  readonly warnings: readonly Warning[];
}

/** True after a response said that the token is missing or no longer valid. */
export const tokenRefused = createSignal(false);

/** People rarely wait longer. */
const TIMEOUT_MS = 30_000;
/** An engine that is restarted, or a rate limit, is over within seconds; what takes longer is for the user to repeat. */
const ATTEMPTS = 4;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;

export async function getJson<Reply>(address: string, options: CallOptions): Promise<Reply> {
  return (await exchange<Reply>(address, undefined, options)).reply;
}

/** An address with its query, without what is empty. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled)}`;
}

/** Sends a body once: a repeat could do again what the first copy has done. */
export async function postJson<Reply>(path: string, body: object, options: CallOptions): Promise<Reply> {
  return (await exchange<Reply>(path, body, { ...options, attempts: 1 })).reply;
}

/** Calls an action, which can always be repeated: it calculates or looks up. */
export function callAction<Reply>(
  name: string,
  request: object,
  options: CallOptions = {},
): Promise<Answer<Reply>> {
  return exchange(`/platapi/automation-processors/actions/${name}`, request, options);
}

async function exchange<Reply>(
  path: string,
  body: object | undefined,
  { signal, timeoutMs = TIMEOUT_MS, attempts = ATTEMPTS }: CallOptions,
): Promise<Answer<Reply>> {
  const limit = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send<Reply>(path, body, ended);
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.aborted)
        throw new EngineError({ title: `No answer within ${timeoutMs} ms`, code: 'timeout' });
      const failure =
        error instanceof EngineError
          ? error
          : new EngineError({ title: `No connection: ${String(error)}`, code: 'unreachable' });
      const delayMs = failure.retryAfterMs ?? Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS);
      if (!failure.isTemporary || attempt >= attempts || delayMs > LONGEST_DELAY_MS) throw failure;
      await wait(delayMs, ended);
    }
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function send<Reply>(
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<Answer<Reply>> {
  const response = await fetch(path, {
    headers: {
      accept: 'application/json, application/problem+json',
      ...(token.value === '' ? {} : { authorization: `Bearer ${token.value}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal,
  });
  const { status, headers } = response;
  if (status === 401) tokenRefused.value = true;
  const content = parsed(await response.text());
  if (response.ok && content !== undefined) {
    return { reply: content as Reply, warnings: readWarnings(headers.get('warnings') ?? '') };
  }
  const unread = {
    title: `The answer has the status ${status} and cannot be read`,
    code: 'unreadable-answer',
  };
  const problem = isProblem(content) ? content : unread;
  throw new EngineError(
    { correlationId: headers.get('x-correlation-id') ?? undefined, ...problem, status },
    Number(headers.get('retry-after')) * 1_000 || undefined,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isProblem(content: unknown): content is Problem {
  const { code, title } = (content ?? {}) as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof title === 'string';
}

/** Reads a list of warnings: `code;path, code;path`, with other characters than visible ASCII percent-encoded. */
function readWarnings(list: string): readonly Warning[] {
  return Array.from(list.matchAll(/([^,;\s]+);([^,\s]*)/g), ([, code = '', path = '']) => ({
    code,
    path: decodeURIComponent(path),
  }));
}
