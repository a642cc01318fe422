/** JSON calls with the token of this tab. Each rejects with an EngineError or, after an abort, with the reason of its signal. */
import { signal as createSignal } from '@preact/signals';
import type { Problem, Warning } from '../../../../shared/platform/problem.ts';
import { EngineError } from './engine-error.ts';
import { token } from './preferences.ts';

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The time limit of the call with its repeats; 30 s by default. */
  readonly timeoutMs?: number;
  /** The most copies of a request; 4 by default. Only temporary failures are repeated. */
  readonly attempts?: number;
}

/** A reply, and the warnings about fields of its request, such as a field without effect. */
export interface Answer<Reply> {
  readonly reply: Reply;
  readonly warnings: readonly Warning[];
}

/** True after a response with status 401, until the user enters a token. */
export const tokenRefused = createSignal(false);

/** People rarely wait longer. */
const TIMEOUT_MS = 30_000;
/** A restart or a rate limit ends within seconds. After a longer failure the user has to repeat the call. */
const ATTEMPTS = 4;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;

export async function getJson<Reply>(address: string, options: CallOptions): Promise<Reply> {
  return (await exchange<Reply>(address, undefined, options)).reply;
}

/** An address with its query, without empty values. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled)}`;
}

/** Sends a body only once: a second copy could repeat the effect of the first. */
export async function postJson<Reply>(path: string, body: object, options: CallOptions): Promise<Reply> {
  return (await exchange<Reply>(path, body, { ...options, attempts: 1 })).reply;
}

/** Calls an action by its name. Temporary failures are repeated, since actions change nothing. */
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
        throw new EngineError({ title: `The engine did not answer within ${timeoutMs} ms`, code: 'timeout' });
      const failure =
        error instanceof EngineError
          ? error
          : new EngineError({ title: `The engine cannot be reached: ${String(error)}`, code: 'unreachable' });
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
    title: `The answer with status ${status} is not the JSON of an engine`,
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

/** Reads warnings written as `code;path, code;path`. In a path, all but visible ASCII is percent-encoded. */
function readWarnings(list: string): readonly Warning[] {
  return Array.from(list.matchAll(/([^,;\s]+);([^,\s]*)/g), ([, code = '', path = '']) => ({
    code,
    path: decodeURIComponent(path),
  }));
}
