import { Agent, request, type ClientRequest } from 'node:http';
import { ACTION_PATH, PROOF_REQUEST } from './builders/schedule-call.ts';

/** How a client of the load uses its connections. */
export type LoadKind =
  /** A pool of kept-alive connections, always in use. */
  | 'kept-alive'
  | 'new-connection'
  /** Kept-alive connections that are idle most of the time, each with a call at random moments. */
  | 'mostly-idle'
  | 'late-body';

/** The calls of one kind by how they ended. */
export interface LoadEnds {
  calls: number;
  answered: number;
  /** 503 with Retry-After and `Connection: close`. */
  refused: number;
  /** The port is closed: the caller knows that nothing was sent. */
  unconnected: number;
  /** Connections that ended before or within the response, by error code and state of the connection. */
  readonly cut: Record<string, number>;
  /** Other responses, by status. */
  readonly other: Record<string, number>;
  unanswered: number;
}

export interface LoadOptions {
  readonly url: string;
  /** Calls a second of each kind, sent whether or not earlier ones are answered. */
  readonly callsPerSecond: Readonly<Record<LoadKind, number>>;
}

export interface ShutdownLoad {
  readonly ends: Readonly<Record<LoadKind, LoadEnds>>;
  /** Sends no further calls, and withdraws those that wait for a connection. Idempotent. */
  pause(): void;
  /** Sends no further calls, and closes the connections; resolves when all have ended, or `limitMs` have passed. */
  stop(limitMs: number): Promise<void>;
}

const KINDS: readonly LoadKind[] = ['kept-alive', 'new-connection', 'mostly-idle', 'late-body'];
const TICK_MS = 5;
const KEPT_CONNECTIONS = 16;
const IDLE_CONNECTIONS = 64;
const LATE_BODY_MS = 20;
const SECOND_MS = 1_000;
const BODY = JSON.stringify({ jsonParam: PROOF_REQUEST });

/** Starts an open loop of schedule calls: a load that waited for responses would pause together with the process. */
export function startShutdownLoad({ url, callsPerSecond }: LoadOptions): ShutdownLoad {
  const ends = Object.fromEntries(KINDS.map((kind) => [kind, createEnds()])) as Record<LoadKind, LoadEnds>;
  const underWay = new Set<Promise<void>>();
  const unsent = new Set<ClientRequest>();
  const kept = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS });
  const idle = Array.from({ length: IDLE_CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const startedAt = performance.now();
  const send = (kind: LoadKind): void => {
    const number = ends[kind].calls++;
    const agents: Record<LoadKind, Agent | false | undefined> = {
      'kept-alive': kept,
      'late-body': kept,
      'new-connection': false,
      'mostly-idle': idle[number % IDLE_CONNECTIONS],
    };
    const ending = sendCall(url, {
      agent: agents[kind],
      isLate: kind === 'late-body',
      ends: ends[kind],
      unsent,
    });
    underWay.add(ending);
    void ending.then(() => underWay.delete(ending));
  };
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / SECOND_MS;
    for (const kind of KINDS) while (ends[kind].calls < seconds * callsPerSecond[kind]) send(kind);
  }, TICK_MS);
  const pause = (): void => {
    clearInterval(timer);
    for (const call of unsent) call.destroy();
  };
  return {
    ends,
    pause,
    stop: async (limitMs) => {
      pause();
      const limit = Promise.withResolvers<void>();
      const limiting = setTimeout(limit.resolve, limitMs);
      await Promise.race([Promise.all(underWay), limit.promise]);
      clearTimeout(limiting);
      for (const end of Object.values(ends)) {
        end.unanswered =
          end.calls - end.answered - end.refused - end.unconnected - sum(end.cut) - sum(end.other);
      }
      for (const agent of [kept, ...idle]) agent.destroy();
    },
  };
}

interface CallOptions {
  readonly agent: Agent | false | undefined;
  readonly isLate: boolean;
  readonly ends: LoadEnds;
  readonly unsent: Set<ClientRequest>;
}

function sendCall(url: string, { agent, isLate, ends, unsent }: CallOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) };
  const call = request(url + ACTION_PATH, { method: 'POST', agent, headers });
  unsent.add(call);
  call.once('socket', () => unsent.delete(call));
  let isAnswered = false;
  let isRefused = false;
  const end = (): void => {
    if (isAnswered) return;
    isAnswered = true;
    resolve();
  };
  call.on('error', (error: NodeJS.ErrnoException) => {
    if (isAnswered) return;
    if (unsent.delete(call)) ends.calls -= 1;
    else if (error.code === 'ECONNREFUSED') ends.unconnected += 1;
    else count(ends.cut, describeCut(call, error));
    end();
  });
  call.on('response', (response) => {
    const { statusCode = 0, headers: answered } = response;
    isRefused =
      statusCode === 503 && answered['retry-after'] !== undefined && answered.connection === 'close';
    response.resume();
    response.on('error', (error) => {
      if (!isAnswered) count(ends.cut, `${error.message} within the response`);
      end();
    });
    response.on('end', () => {
      if (isAnswered) return;
      if (statusCode === 200) ends.answered += 1;
      else if (isRefused) ends.refused += 1;
      else count(ends.other, String(statusCode));
      end();
    });
  });
  if (isLate) {
    call.flushHeaders();
    setTimeout(() => call.end(BODY), LATE_BODY_MS);
  } else call.end(BODY);
  return promise;
}

function describeCut(call: ClientRequest, { code, message }: NodeJS.ErrnoException): string {
  return `${code ?? ''} ${message} (${call.reusedSocket ? 'reused' : 'new'})`;
}

function createEnds(): LoadEnds {
  return { calls: 0, answered: 0, refused: 0, unconnected: 0, cut: {}, other: {}, unanswered: 0 };
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, one) => total + one, 0);
}
