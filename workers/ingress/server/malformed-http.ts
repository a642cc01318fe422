import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from '../../../shared/platform/http-server.ts';
import { createProblem, type ErrorCode } from '../../../shared/platform/problem.ts';
import { HTTP_LIMITS } from './http-limits.ts';

/** The unfinished responses of each connection, the oldest first. No other response may be mixed into them. */
const unfinished = new WeakMap<Duplex, Set<ServerResponse>>();

/** Connections that this file is closing. An error that Node reports for further bytes on them is ignored. */
const ending = new WeakSet<Duplex>();

/** Must be called for each request, before its response is written. */
export function trackResponse(response: ServerResponse): void {
  const { socket } = response.req;
  const responses = unfinished.get(socket) ?? new Set();
  unfinished.set(socket, responses.add(response));
  response.once('close', () => responses.delete(response));
}

/** Responds to malformed or late bytes after earlier responses of the connection are sent, and then closes it. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (ending.has(socket)) return;
  ending.add(socket);
  answerInTurn(problemCode(error.code), socket);
}

/** Refuses CONNECT, which is for proxies, and closes the connection. */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  endWithProblem(socket, 'method-not-allowed', { header: 'Allow: GET, HEAD, POST, OPTIONS\r\n' });
}

function problemCode(code: string | undefined): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'headers-too-large';
  return 'malformed-http';
}

function answerInTurn(code: ErrorCode, socket: Duplex): void {
  const [response] = unfinished.get(socket) ?? [];
  if (response?.req.complete === true) {
    response.once('close', () => {
      if (socket.writable) answerInTurn(code, socket);
      else socket.destroy();
    });
    // The response to this very request is being sent already.
  } else if (response?.headersSent === true) end(socket, '');
  else endWithProblem(socket, code);
}

/** Sends a problem as the last response of a connection. `header`: further header lines, each with its CRLF. */
function endWithProblem(
  socket: Duplex,
  code: ErrorCode,
  { header = '', ...extras }: { readonly header?: string; readonly detail?: string } = {},
): void {
  const correlationId = randomUUID();
  const problem = createProblem(code, { ...extras, correlationId });
  const body = JSON.stringify(problem);
  end(
    socket,
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      `Content-Type: application/problem+json; charset=utf-8\r\n${header}X-Correlation-Id: ${correlationId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Half-closes the connection after the last bytes, and destroys it if the client does not close its side. */
function end(socket: Duplex, last: string): void {
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.drainBodyMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
