import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import { Fifo } from '../../../shared/platform/fifo.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import { TurnSlices } from '../../runtime/turn-slices.ts';
import { refuseOverloaded } from './early-admission.ts';

/** Shares the event loop with callers that send requests without waiting for the responses to their earlier ones. */
export interface PipelinedRequests {
  /** Calls `handle`: now, or within the next turns of the event loop if many requests of one connection arrive at once. */
  admit(request: IncomingMessage, response: ServerResponse, handle: () => void): void;
}

export interface PipelinedRequestsDeps {
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
  readonly newId: () => string;
}

/**
 * How long pipelined requests are handled in one turn of the event loop, in milliseconds. Node reads up to 2 MiB of a connection in
 * a turn, which are tens of thousands of requests.
 */
const HANDLE_MS = { least: 2, most: 5 } as const;
/** Waiting requests of all connections, 3 KiB each. Those of one connection are at most what Node reads of it at once, 64 KiB. */
const MAX_WAITING = 20_000;

interface Waiting {
  readonly request: IncomingMessage;
  readonly handle: () => void;
}

/**
 * A connection is not read while requests of it wait for their turn. The connections take turns, one request each. Beyond
 * `MAX_WAITING` a connection gets 503 `overloaded` in the place of its next response and is closed after it; what it sent behind
 * that is ignored (RFC 9112 section 9.3.2).
 */
export function createPipelinedRequests(deps: PipelinedRequestsDeps): PipelinedRequests {
  const slices = new TurnSlices({ ...deps, sliceMs: HANDLE_MS.least, longestMs: HANDLE_MS.most });
  /** In the order of their turns. */
  const waiting = new Map<Socket, Fifo<Waiting>>();
  const refused = new WeakSet<Socket>();
  let count = 0;
  const handleNext = (): void => {
    const [first] = waiting;
    if (first === undefined) return;
    const [socket, requests] = first;
    waiting.delete(socket);
    const next = requests.shift();
    count -= 1;
    if (socket.destroyed) count -= requests.length;
    else if (requests.length > 0) waiting.set(socket, requests);
    else socket.off('resume', pauseAgain).resume();
    if (next?.request.destroyed === false) next.handle();
  };
  return {
    admit: (request, response, handle) => {
      const { socket } = request;
      if (refused.has(socket)) return;
      const known = waiting.get(socket);
      if (known === undefined && slices.hasTime) return handle();
      if (count >= MAX_WAITING) {
        refused.add(socket);
        response.shouldKeepAlive = false;
        // Its last bytes are parsed only after this.
        return deps.timers.nextTurn(() => refuseOverloaded(request, response, deps.newId));
      }
      const requests = known ?? new Fifo<Waiting>();
      if (known === undefined) {
        waiting.set(socket, requests);
        socket.on('resume', pauseAgain).pause();
      }
      count += 1;
      requests.push({ request, handle });
      slices.runLater(handleNext);
    },
  };
}

/** Node resumes a connection after each request that it has parsed. */
function pauseAgain(this: Socket): void {
  this.pause();
}
