import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { HTTP_LIMITS, RETRY_AFTER_SECONDS } from './http-limits.ts';
import { endWithProblem } from './malformed-http.ts';

/** The open connections of a server, and how to close them so that no caller gets a reset. */
export interface Connections {
  /** Also accepts the connections of this server, which shares the port, and closes it with the port. */
  acceptFrom(server: NetServer): void;
  /** Open connections, those that are being closed included. */
  count(): number;
  /** How many connections were closed so far because others needed their place. */
  replaced(): number;
  /** Connections that were ended here and that their peers have not closed yet. */
  ended(): number;
  /** Whether the connection was ended here; a request that arrives on it afterwards has its response already. */
  isEnded(request: IncomingMessage): boolean;
  /** Whether earlier responses on the connection of a request are not complete. */
  isPipelined(request: IncomingMessage): boolean;
  /**
   * Ends the connections that have had no request for `idleMs`: 503 with `Connection: close`, then the end of the stream.
   * A caller whose request is in transit at that moment reads its response from it. Others close the connection, as
   * clients do with bytes that no request is waiting for (RFC 9112 section 9.2). Destroys those that it ended and that
   * their peer has not closed within a second, so it is called repeatedly.
   */
  endIdle(idleMs: number): void;
  /**
   * Closes the port once no connection waits in its queue, which the system would reset; after `timeoutMs` at the latest.
   * The connections of the queue are ended like idle ones; later ones are refused, so that their callers know that nothing
   * was accepted. Earlier ones continue. Does nothing for a server that does not listen.
   */
  stopListening(timeoutMs: number): Promise<void>;
}

interface Connection {
  /** Those that the system has not taken over completely: of one request, or of several that were sent without waiting. */
  readonly responses: Set<ServerResponse>;
  /** Requests and responses that are not complete. */
  inProgress: number;
  /** When it was opened, its last request or response was complete, or it was ended; monotonic milliseconds. */
  idleSinceMs: number;
  /** Bytes received until then: more of them are the beginning of a request. */
  idleBytes: number;
  isEnded: boolean;
}

/**
 * A turn of the event loop is this short when it handled next to nothing, so that the queue that was empty at its beginning
 * is so at its end.
 */
const SHORT_TURN_MS = 0.2;
/**
 * Rest before each look at the queue. The scheduler of a busy machine interrupts a process that has been running, and hardly
 * ever one that has just woken up: then nothing joins the queue between the last look and the closing of the port.
 */
const REST_MS = 1;
/** Limit for peers to close their side: a round trip takes much less. */
const PEER_CLOSE_MS = 1_000;
/** Minimum of the connections that may have been ended for others and are not yet closed by their peers. */
const LEAST_ENDED = 10;
const SHUTTING_DOWN = { code: 'not-ready', detail: 'This instance is shutting down.' } as const;
const REPLACED = {
  code: 'overloaded',
  detail: 'Too many connections are open; this one had been waiting for its caller longest.',
} as const;

/**
 * Observes the connections of a server that has none yet. When there are more than `limit`, the one that has waited longest
 * for its caller is ended: for a request, for the rest of one, or until the caller reads its responses. So connections that
 * are idle, half-open or unread never lock others out.
 */
export function createConnections(server: Server, limit: number = HTTP_LIMITS.connections): Connections {
  /** In the order in which they were opened, or received or answered their last request. */
  const connections = new Map<Socket, Connection>();
  const servers: NetServer[] = [server];
  const replace = createReplacement(connections, limit);
  let accepted = 0;
  const track = (socket: Socket): Connection => {
    accepted += 1;
    const connection = newConnection();
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };
  server.on('connection', (socket) => {
    track(socket);
    replace.makeRoom();
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    observeRequest(connections, request, response),
  );
  return {
    acceptFrom: (other) => {
      servers.push(other);
      other.on('connection', (socket) => server.emit('connection', socket));
    },
    count: () => connections.size,
    replaced: replace.count,
    ended: () => [...connections.values()].filter(({ isEnded }) => isEnded).length,
    isEnded: ({ socket }) => connections.get(socket)?.isEnded === true,
    isPipelined: ({ socket }) => (connections.get(socket)?.responses.size ?? 0) > 1,
    endIdle: (idleMs) => {
      const nowMs = performance.now();
      for (const [socket, connection] of connections) {
        const waitedMs = nowMs - connection.idleSinceMs;
        if (connection.isEnded) {
          if (waitedMs >= PEER_CLOSE_MS) socket.destroy();
          continue;
        }
        const isIdle = connection.inProgress === 0 && socket.bytesRead === connection.idleBytes;
        if (!isIdle || waitedMs < idleMs) continue;
        end(socket, connection, SHUTTING_DOWN);
      }
    },
    stopListening: async (timeoutMs) => {
      if (!server.listening) return;
      // Without HTTP, which takes too long for a queue that has grown because the processor is busy.
      server.removeAllListeners('connection').on('connection', (socket: Socket) => {
        socket.on('error', () => socket.destroy()).resume();
        end(socket, track(socket), SHUTTING_DOWN);
      });
      const endsAtMs = performance.now() + timeoutMs;
      // One at a time, since the system distributes new connections over those that are left.
      for (const listening of servers) {
        await emptyQueues(() => accepted, endsAtMs - performance.now());
        // Not that of the HTTP server, which also destroys idle connections.
        NetServer.prototype.close.call(listening);
      }
    },
  };
}

function newConnection(): Connection {
  return {
    responses: new Set(),
    inProgress: 0,
    idleSinceMs: performance.now(),
    idleBytes: 0,
    isEnded: false,
  };
}

/** Follows a request and its response until both are complete. */
function observeRequest(
  connections: Map<Socket, Connection>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { socket } = request;
  const connection = connections.get(socket);
  if (connection === undefined) return;
  connection.responses.add(response);
  connection.inProgress += 2;
  moveToEnd(connections, socket, connection);
  const onClose = (): void => {
    connection.inProgress -= 1;
    connection.idleSinceMs = performance.now();
    connection.idleBytes = socket.bytesRead;
    if (connection.inProgress === 0) moveToEnd(connections, socket, connection);
  };
  // Emitted once; `once` would wrap and remove the listeners.
  request.on('close', onClose);
  response.on('close', () => {
    connection.responses.delete(response);
    onClose();
  });
}

function moveToEnd(connections: Map<Socket, Connection>, socket: Socket, connection: Connection): void {
  if (connections.delete(socket)) connections.set(socket, connection);
}

/**
 * Whether the response to a complete request is still to come, also if a later request has begun meanwhile. One that was ended and
 * is not closed waits until the caller reads it.
 */
function isServed({ responses }: Connection): boolean {
  for (const { writableEnded, req } of responses) if (!writableEnded && req.complete) return true;
  return false;
}

/** Ends connections that wait for their callers, the longest first, while there are more than `limit`. */
function createReplacement(connections: Map<Socket, Connection>, limit: number) {
  const ended = new Set<Socket>();
  const mostEnded = Math.max(LEAST_ENDED, limit * HTTP_LIMITS.endedShare);
  let replaced = 0;
  const findWaiting = (): [Socket, Connection] | undefined => {
    for (const entry of connections) {
      const [, connection] = entry;
      if (!connection.isEnded && !isServed(connection)) return entry;
    }
    return undefined;
  };
  return {
    count: () => replaced,
    makeRoom: (): void => {
      if (connections.size - ended.size <= limit) return;
      const found = findWaiting();
      if (found === undefined) return;
      const [socket, connection] = found;
      replaced += 1;
      ended.add(socket);
      socket.once('close', () => ended.delete(socket));
      end(socket, connection, REPLACED);
      moveToEnd(connections, socket, connection);
      const [oldest] = ended.size > mostEnded ? ended : [];
      oldest?.destroy();
    },
  };
}

/** Resolves when no connection waits in the queues of the port, or after the time limit. */
async function emptyQueues(accepted: () => number, timeoutMs: number): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  for (let isEmpty = false; !isEmpty && performance.now() < endsAtMs;) {
    await sleep(REST_MS);
    const before = accepted();
    const startedMs = performance.now();
    // One connection of each queue is accepted in each turn.
    await nextTurn();
    isEmpty = accepted() === before && performance.now() - startedMs < SHORT_TURN_MS;
  }
}

function end(
  socket: Socket,
  connection: Connection,
  { code, detail }: { readonly code: 'not-ready' | 'overloaded'; readonly detail: string },
): void {
  connection.isEnded = true;
  connection.idleSinceMs = performance.now();
  endWithProblem(socket, code, { header: `Retry-After: ${RETRY_AFTER_SECONDS}\r\n`, detail });
}
