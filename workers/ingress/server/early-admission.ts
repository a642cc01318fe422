import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import { Fifo } from '../../../shared/platform/fifo.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { TurnSlices } from '../../runtime/turn-slices.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import { readBearerToken, type Access } from '../access/access.ts';
import { chooseCorrelationId } from './correlation-id.ts';
import { HTTP_LIMITS, RETRY_AFTER_SECONDS } from './http-limits.ts';
import { OVERLOADED, type LoadShedding, type Queue } from './load-shedding.ts';
import { announcedLength, endAfterBody } from './send-answer.ts';

/**
 * Decides on requests as soon as their headers have been parsed, before their bodies are read and the framework sees them: it
 * refuses those of full queues, which takes a third of the time, and passes on the others. Under an overload most requests
 * end here.
 */
export interface EarlyAdmission {
  /** Watches the requests whose path begins with `prefix` by what follows it; undefined: they are not limited. */
  watch(prefix: string, queueOf: (rest: string, headers: IncomingHttpHeaders) => Queue | undefined): void;
  /** Refuses the request, or calls `handle`: now, or within the next turns of the event loop if many arrive at once. */
  admit(request: IncomingMessage, response: ServerResponse, handle: () => void): void;
}

export interface EarlyAdmissionDeps {
  readonly shedding: LoadShedding;
  readonly access: Access;
  readonly isOpen: () => boolean;
  readonly newId: () => string;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
}

/**
 * How long requests are passed to the framework in one turn of the event loop, in milliseconds. Hundreds may arrive in one; if all
 * were handled in it, refusals and health checks would wait for them.
 */
const HANDLE_MS = { least: 2, most: 5 } as const;
/**
 * In each turn of the event loop, writing refusals may take as long as all other work did, within these limits in milliseconds.
 * Otherwise callers that try again without waiting would take the time of the admitted requests. The other refusals wait for
 * the next turn, and their connections stay quiet until then.
 */
const SLICE_MS = { least: 1, most: 5 } as const;
/** Written in any case, about 2 ms of work: a slice may pass while the process has no processor. */
const LEAST_REFUSALS = 32;
/**
 * Beyond this number the oldest waiting refusal is written immediately, which limits the memory: each takes some kilobytes, and
 * a caller that does not wait for its responses may send thousands of requests on one connection. Node stops reading a
 * connection whose caller does not read the responses.
 */
const MAX_WAITING = 10_000;

type Refused = readonly [IncomingMessage, ServerResponse];

export function createEarlyAdmission(deps: EarlyAdmissionDeps): EarlyAdmission {
  const watched: {
    readonly prefix: string;
    readonly queueOf: (rest: string, headers: IncomingHttpHeaders) => Queue | undefined;
  }[] = [];
  const queueOf = ({ method, url = '', headers }: IncomingMessage): Queue | undefined => {
    const found = method === 'POST' ? watched.find(({ prefix }) => url.startsWith(prefix)) : undefined;
    return found?.queueOf(url.slice(found.prefix.length), headers);
  };
  const { access, shedding, isOpen } = deps;
  const refuseLater = createRefusals(deps);
  const slices = new TurnSlices({ ...deps, sliceMs: HANDLE_MS.least, longestMs: HANDLE_MS.most });
  return {
    watch: (prefix, find) => watched.push({ prefix, queueOf: find }),
    admit: (request, response, handle) => {
      const queue = isOpen() && isOrdinary(request) ? queueOf(request) : undefined;
      const caller = queue === undefined ? undefined : findCaller(request, access);
      if (queue === undefined || caller === undefined) return handle();
      const arriving = { caller, queue, headers: request.headers };
      // A request without a token does not wait with a place, which it would take from callers: it may be refused for that.
      const isUnknown = access.required && readBearerToken(request.headers.authorization) === undefined;
      if (slices.hasTime || isUnknown)
        return shedding.hasRoom(arriving) ? handle() : refuseLater([request, response]);
      if (!shedding.reserve(arriving, request)) return refuseLater([request, response]);
      // For a request that is refused for another reason before it is admitted.
      response.once('close', () => shedding.giveBack(request));
      slices.runLater(() => {
        // A queued response of a pipelined request does not learn that its connection has ended.
        if (response.destroyed || request.destroyed) return shedding.giveBack(request);
        if (!request.complete) shedding.awaitCaller(request);
        handle();
      });
    },
  };
}

/** Undefined if its token has to be verified first. */
function findCaller(request: IncomingMessage, access: Access): string | undefined {
  const token = access.required ? readBearerToken(request.headers.authorization) : undefined;
  if (token === undefined) return `address ${request.socket.remoteAddress}`;
  const subject = access.findSubject(token);
  return subject === undefined ? undefined : `subject ${subject}`;
}

/** Whether the rest of the request can be read and discarded after the response, so that the connection is kept. */
function isOrdinary(request: IncomingMessage): boolean {
  const { httpVersionMajor, httpVersionMinor, headers } = request;
  const isShort = (announcedLength(request) ?? 0) <= HTTP_LIMITS.keptConnectionBodyBytes;
  return (
    httpVersionMajor === 1 && httpVersionMinor === 1 && isShort && headers['transfer-encoding'] === undefined
  );
}

/** Writes refusals in slices, so that other work takes its turns in between. */
function createRefusals({ monotonic, timers, newId }: EarlyAdmissionDeps): (refused: Refused) => void {
  const waiting = new Fifo<Refused>();
  let isScheduled = false;
  let idleSinceMs = 0;
  const schedule = (): void => {
    isScheduled = true;
    idleSinceMs = monotonic.elapsedMs();
    timers.nextTurn(writeSome);
  };
  const writeSome = (): void => {
    const startMs = monotonic.elapsedMs();
    const endMs = startMs + Math.min(SLICE_MS.most, Math.max(SLICE_MS.least, startMs - idleSinceMs));
    for (let written = 0; written < LEAST_REFUSALS || monotonic.elapsedMs() < endMs; written += 1) {
      const next = waiting.shift();
      if (next === undefined) break;
      refuseOverloaded(...next, newId);
    }
    isScheduled = false;
    if (waiting.length > 0) schedule();
  };
  return (refused) => {
    const oldest = waiting.length >= MAX_WAITING ? waiting.shift() : undefined;
    if (oldest !== undefined) refuseOverloaded(...oldest, newId);
    waiting.push(refused);
    if (!isScheduled) schedule();
  };
}

/** Responds with 503 `overloaded` without the framework, unless the connection is closed. */
export function refuseOverloaded(
  request: IncomingMessage,
  response: ServerResponse,
  newId: () => string,
): void {
  if (response.destroyed) return;
  const correlationId = chooseCorrelationId(request.headers, newId);
  const { status, ...problem } = createProblem('overloaded', { detail: OVERLOADED, correlationId });
  const body = JSON.stringify({ ...problem, status });
  response.writeHead(status, {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': String(RETRY_AFTER_SECONDS),
    'x-content-type-options': 'nosniff',
    'x-correlation-id': correlationId,
    'content-length': Buffer.byteLength(body),
  });
  if (response.shouldKeepAlive || request.complete) response.end(body);
  else {
    response.write(body);
    endAfterBody(request, response);
  }
}
