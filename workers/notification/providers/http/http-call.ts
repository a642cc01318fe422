import { Agent, type Dispatcher } from 'undici';
import { openDeadline } from '../../../../shared/platform/deadline.ts';

/** More than any provider says of one message. */
const MAX_ANSWER_BYTES = 65_536;
/** Of the headers of an answer. */
const MAX_HEADER_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * How long a connection is kept without a request. Short, because a server that closes an idle connection just as a
 * request enters it leaves an unknown outcome; servers wait longer than this.
 */
const KEEP_ALIVE_MS = 1_000;

/** A header, path or method that cannot be written. */
const REQUEST_INVALID = 'request-invalid';

export interface ConnectorRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'GET';
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** An answer with at least its status and headers. */
export interface ConnectorAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined when it did not arrive whole, or is too large. */
  readonly text: string | undefined;
}

/** What came of one request. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly answer: ConnectorAnswer }
  /** Not one byte of the request went out. */
  | { readonly kind: 'not-begun'; readonly code: string }
  /** Some of the request may have gone out, and no answer came. */
  | { readonly kind: 'broken'; readonly code: string };

/** Values of a message are encoded before they get there, so that what cannot be written is of the settings. */
export function notBegunKind(code: string): 'transient' | 'misconfigured' {
  return code === REQUEST_INVALID ? 'misconfigured' : 'transient';
}

export interface CallerOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** From the call to the end of the answer. */
  readonly timeoutMs: number;
  /** Connections side by side. */
  readonly connections: number;
  /** PEM of the authority to trust instead of the usual ones. */
  readonly ca: string | undefined;
}

export interface ConnectorCaller {
  /** Never rejects. Follows no redirect and repeats nothing. */
  call(request: ConnectorRequest, signal: AbortSignal): Promise<CallOutcome>;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** Calls of one host over connections that are kept while there is work. */
export function createConnectorCaller(options: CallerOptions): ConnectorCaller {
  const { origin, timeoutMs } = options;
  const agent = new Agent({
    connect: {
      timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connections: options.connections,
    // With several requests on one connection a broken one would leave all of them unknown.
    pipelining: 1,
    allowH2: false,
  });
  const underWay = new Set<Promise<CallOutcome>>();
  let isClosed = false;
  return {
    call: async (request, signal) => {
      if (isClosed) return { kind: 'not-begun', code: 'provider-closed' };
      const call = callOnce(agent, { ...request, origin }, { signal, timeoutMs });
      underWay.add(call);
      try {
        return await call;
      } finally {
        underWay.delete(call);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all(underWay);
      await agent.destroy();
    },
  };
}

async function callOnce(
  agent: Agent,
  request: ConnectorRequest & { readonly origin: string },
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<CallOutcome> {
  using deadline = openDeadline(limits.signal, limits.timeoutMs);
  return await new Promise<CallOutcome>((resolve) => {
    const progress = watchCall(resolve);
    const giveUp = (): void => progress.giveUp(deadline.isTimedOut() ? 'timed-out' : 'aborted');
    if (deadline.signal.aborted) return giveUp();
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    const { origin, path, method, headers, body = null } = request;
    try {
      agent.dispatch({ origin, path, method, headers, body }, progress.handler);
    } catch {
      progress.giveUp('request-invalid');
    }
  });
}

interface Progress {
  readonly handler: Dispatcher.DispatchHandler;
  giveUp(code: string): void;
}

/**
 * Follows one request. undici says that a request starts right before it writes the first byte, which is what tells an
 * outcome that is surely none from an unknown one.
 */
function watchCall(settle: (outcome: CallOutcome) => void): Progress {
  let controller: Dispatcher.DispatchController | undefined;
  let head: Omit<ConnectorAnswer, 'text'> | undefined;
  let isSettled = false;
  const chunks: Buffer[] = [];
  let size = 0;

  const end = (outcome: CallOutcome): void => {
    if (isSettled) return;
    isSettled = true;
    settle(outcome);
  };
  const breakOff = (code: string): void => {
    if (head !== undefined) end({ kind: 'answer', answer: { ...head, text: undefined } });
    else end({ kind: controller === undefined ? 'not-begun' : 'broken', code });
  };
  const giveUp = (code: string): void => {
    breakOff(code);
    controller?.abort(new Error(code));
  };
  return {
    giveUp,
    handler: {
      onRequestStart: (started) => {
        // Given up while it waited for a connection: it was said that nothing went out, so nothing may.
        if (isSettled) started.abort(new Error('given-up'));
        else controller = started;
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) head = { status, headers };
      },
      onResponseData: (_, chunk) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) giveUp('answer-too-large');
        else chunks.push(chunk);
      },
      onResponseEnd: () => {
        if (head === undefined) breakOff('no-answer');
        else end({ kind: 'answer', answer: { ...head, text: Buffer.concat(chunks).toString('utf8') } });
      },
      onResponseError: (_, error) => breakOff(faultCode(error, controller !== undefined)),
    },
  };
}

/** A stable code of what the connection ended with. Messages of errors may hold addresses; codes do not. */
function faultCode(error: Error & { readonly code?: unknown }, hasBegun: boolean): string {
  const code = typeof error.code === 'string' ? error.code : 'fault';
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return hasBegun ? 'timed-out' : 'connect-timed-out';
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'timed-out';
    case 'UND_ERR_INVALID_ARG':
      return REQUEST_INVALID;
    case 'UND_ERR_SOCKET':
      return 'connection-lost';
    default:
      return `${hasBegun ? 'connection' : 'connect'}-${code.toLowerCase()}`;
  }
}
