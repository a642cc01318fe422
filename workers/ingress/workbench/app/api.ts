/** Calls to the engine with the token of this tab. They reject with EngineError or, after an abort, with its reason. */
import { signal as createSignal } from '@preact/signals';
import { readWarningsList } from '../../../../shared/messaging/header-text.ts';
import { jsonOf } from '../../../../shared/platform/json-pointer.ts';
import type { Problem, Warning } from '../../../../shared/platform/problem.ts';
import { EngineError } from './engine-error.ts';
import { token } from './preferences.ts';

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The time limit of the call including its repeats. @default 30_000 */
  readonly timeoutMs?: number;
  /** The maximum number of calls. The request is sent again only after a temporary failure. @default 4 */
  readonly attempts?: number;
}

/** A reply, and the engine's warnings about fields of the request, such as a field without effect. */
export interface Answer<Reply> {
  readonly reply: Reply;
  readonly warnings: readonly Warning[];
}

/** True after a response with status 401, until the user enters a token. */
export const tokenRefused = createSignal(false);

/** Users rarely wait longer for a page. */
const TIMEOUT_MS = 30_000;
/** Enough for a restart or a rate limit, which end within seconds. After a longer failure the user repeats the call. */
const ATTEMPTS = 4;
const BASE_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;

export async function getJson<Reply>(address: string, options: CallOptions): Promise<Reply> {
  return (await exchange<Reply>(address, undefined, options)).reply;
}

/** Adds the values that are not empty to a path as its query. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled)}`;
}

/** Sends the body only once, even after a temporary failure: a second copy could repeat the effect of the first. */
export async function postJson<Reply>(path: string, body: object, options: CallOptions): Promise<Reply> {
  return (await exchange<Reply>(path, body, { ...options, attempts: 1 })).reply;
}

/** Calls an action by its name. Repeats the call after temporary failures, since actions change nothing. */
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
      const delayMs = failure.retryAfterMs ?? Math.min(BASE_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS);
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
  const content = jsonOf(await response.text());
  if (response.ok && content !== undefined) {
    return { reply: content as Reply, warnings: readWarningsList(headers.get('warnings') ?? '') };
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

function isProblem(content: unknown): content is Problem {
  const { code, title } = (content ?? {}) as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof title === 'string';
}
