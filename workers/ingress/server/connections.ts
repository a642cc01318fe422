import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RETRY_AFTER_SECONDS } from './http-limits.ts';
import { endWithProblem } from './malformed-http.ts';

/** The open connections of a server, and how to close them so that no caller gets a reset. */
export interface Connections {
  /** Open connections, those that are being closed included. */
  count(): number;
  /** Connections that were ended here and that their peers have not closed yet. */
  ended(): number;
  /** Whether the connection was ended here; a request that arrives on it afterwards has its response already. */
  isEnded(request: IncomingMessage): boolean;
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
/** Limit for peers to close their side: a round trip takes much less. */
const PEER_CLOSE_MS = 1_000;
const SHUTTING_DOWN = 'This instance is shutting down.';

/** Observes the connections of a server that has none yet. */
export function createConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>();
  let accepted = 0;
  const track = (socket: Socket): Connection => {
    accepted += 1;
    const connection = { inProgress: 0, idleSinceMs: performance.now(), idleBytes: 0, isEnded: false };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  };
  server.on('connection', track);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) return;
    const { socket } = request;
    connection.inProgress += 2;
    const onClose = (): void => {
      connection.inProgress -= 1;
      connection.idleSinceMs = performance.now();
      connection.idleBytes = socket.bytesRead;
    };
    request.once('close', onClose);
    response.once('close', onClose);
  });
  return {
    count: () => connections.size,
    ended: () => [...connections.values()].filter(({ isEnded }) => isEnded).length,
    isEnded: ({ socket }) => connections.get(socket)?.isEnded === true,
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
        end(socket, connection);
      }
    },
    stopListening: async (timeoutMs) => {
      if (!server.listening) return;
      const endsAtMs = performance.now() + timeoutMs;
      // Without HTTP, which takes too long for a queue that has grown because the processor is busy.
      server.removeAllListeners('connection').on('connection', (socket: Socket) => {
        socket.on('error', () => socket.destroy()).resume();
        end(socket, track(socket));
      });
      for (let isEmpty = false; !isEmpty && performance.now() < endsAtMs;) {
        const before = accepted;
        const startedMs = performance.now();
        // One connection of the queue is accepted in each turn.
        await nextTurn();
        isEmpty = accepted === before && performance.now() - startedMs < SHORT_TURN_MS;
      }
      // Not that of the HTTP server, which also destroys idle connections.
      NetServer.prototype.close.call(server);
    },
  };
}

function end(socket: Socket, connection: Connection): void {
  connection.isEnded = true;
  connection.idleSinceMs = performance.now();
  endWithProblem(socket, 'not-ready', {
    header: `Retry-After: ${RETRY_AFTER_SECONDS}\r\n`,
    detail: SHUTTING_DOWN,
  });
}
