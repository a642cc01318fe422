import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { SendResult } from '../../../shared/notification/provider.ts';
import type { ProviderCredentials } from '../../../shared/notification/provider-settings.ts';
import type { Priority } from '../../../shared/notification/notification-command.ts';
import type { Deadline } from '../../../shared/platform/system-ports.ts';
import { createProviderConnections } from './provider-connections.ts';

/** Largest response body. No known provider sends a larger one. */
const MAX_RESPONSE_BYTES = 65_536;
const MAX_HEADER_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;
/** Shorter than servers keep idle connections: if one closes during a request, the outcome is unknown. */
const KEEP_ALIVE_MS = 1_000;

const REQUEST_INVALID = 'request-invalid';

export interface HttpRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE';
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Keys are names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined if the body is incomplete or larger than 64 KiB. */
  readonly text: string | undefined;
}

export type CallOutcome =
  | { readonly kind: 'response'; readonly response: HttpResponse }
  | Extract<SendResult, { readonly kind: 'transient' | 'misconfigured' | 'unknown' }>;

export function basicAuthorization({
  username = '',
  password = '',
}: Pick<ProviderCredentials, 'username' | 'password'>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

export function createHttpCaller({
  origin,
  timeoutMs,
  connections,
  ca,
  lookup,
}: {
  readonly origin: string;
  /** Time limit of a call, from when a connection is free to the end of the response. */
  readonly timeoutMs: number;
  readonly connections: number;
  /** Certificate authority to trust instead of the default ones, in PEM. */
  readonly ca: string | undefined;
  /** Resolves host names, in place of that of the system. */
  readonly lookup?: LookupFunction | undefined;
}) {
  const agent = new Agent({
    connect: {
      timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      ...(lookup === undefined ? {} : { lookup }),
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connections,
    // With pipelining, a broken connection would leave several outcomes unknown.
    pipelining: 1,
    allowH2: false,
  });
  const free = createProviderConnections(connections, timeoutMs);
  return {
    /** Makes one request and follows no redirect. Never rejects. */
    call: (request: HttpRequest, caller: AbortSignal, priority: Priority = 'normal'): Promise<CallOutcome> =>
      free.use({ priority, caller }, (deadline) => callOnce(agent, { ...request, origin }, deadline)),
    close: async (): Promise<void> => {
      await free.close();
      await agent.destroy();
    },
  };
}

function callOnce(
  agent: Agent,
  request: HttpRequest & { readonly origin: string },
  deadline: Deadline,
): Promise<CallOutcome> {
  return new Promise((resolve) => {
    const progress = watchCall(resolve);
    const giveUp = (): void => progress.giveUp(deadline.isTimedOut() ? 'timed-out' : 'aborted');
    if (deadline.signal.aborted) return giveUp();
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    try {
      agent.dispatch({ ...request, body: request.body ?? null }, progress.handler);
    } catch {
      progress.giveUp(REQUEST_INVALID);
    }
  });
}

/** undici calls onRequestStart before it writes the first byte. A later failure without a response is `unknown`. */
function watchCall(settle: (outcome: CallOutcome) => void) {
  let controller: Dispatcher.DispatchController | undefined;
  let head: Omit<HttpResponse, 'text'> | undefined;
  let isSettled = false;
  const chunks: Buffer[] = [];
  let size = 0;

  const end = (outcome: CallOutcome): void => {
    isSettled = true;
    settle(outcome);
  };
  const breakOff = (code: string): void => {
    if (head !== undefined) end({ kind: 'response', response: { ...head, text: undefined } });
    else if (controller !== undefined) end({ kind: 'unknown', code });
    // Values of a message are encoded before the call, so the settings are the cause of an invalid request.
    else end({ kind: code === REQUEST_INVALID ? 'misconfigured' : 'transient', code });
  };
  const giveUp = (code: string): void => {
    breakOff(code);
    controller?.abort(new Error(code));
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      // The call was given up while it waited for a connection and reported as not begun, so nothing may be written.
      if (isSettled) started.abort(new Error('given-up'));
      else controller = started;
    },
    onResponseStart: (_, status, headers) => {
      if (status >= 200) head = { status, headers };
    },
    onResponseData: (_, chunk) => {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) giveUp('answer-too-large');
      else chunks.push(chunk);
    },
    onResponseEnd: () => {
      if (head === undefined) breakOff('no-answer');
      else end({ kind: 'response', response: { ...head, text: Buffer.concat(chunks).toString('utf8') } });
    },
    onResponseError: (_, error) => breakOff(faultCode(error, controller !== undefined)),
  };
  return { handler, giveUp };
}

/** Makes a stable code from a connection error, whose message may contain addresses. */
function faultCode({ code }: Error & { readonly code?: unknown }, hasBegun: boolean): string {
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return hasBegun ? 'timed-out' : 'connect-timed-out';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timed-out';
  if (code === 'UND_ERR_INVALID_ARG') return REQUEST_INVALID;
  if (code === 'UND_ERR_SOCKET') return 'connection-lost';
  const name = typeof code === 'string' ? code.toLowerCase() : 'fault';
  return `${hasBegun ? 'connection' : 'connect'}-${name}`;
}
