import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createProblem, type ErrorCode } from '../../../shared/platform/problem.ts';
import { HTTP_LIMITS } from './http-limits.ts';

/** Node keeps the response that is being written at the socket; a second one must not be mixed into it. */
type ClientSocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** Connections that are about to be answered here: their further bytes are faults too. */
const ending = new WeakSet<Duplex>();

/**
 * Answers what never became a request: bytes that are no HTTP, contradicting Content-Length and Transfer-Encoding,
 * header fields beyond the limit, a request that did not arrive in time. Then the connection ends. The requests
 * before it on the same connection get their own answers first.
 */
export function answerClientError(error: Error & { code?: string }, socket: ClientSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (ending.has(socket)) return;
  ending.add(socket);
  const code = codeOf(error.code);
  const { _httpMessage: earlier } = socket;
  if (earlier?.req.complete === true) answerAfter(earlier, code, socket);
  // This request's own answer is on its way already.
  else if (earlier?.headersSent === true) end(socket, '');
  else endWithProblem(socket, code);
}

/** CONNECT is for proxies; the connection ends. */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  endWithProblem(socket, 'method-not-allowed', 'Allow: GET, HEAD, POST, OPTIONS\r\n');
}

/** Of pipelined answers Node hands the socket on to the next when one is finished. */
function answerAfter(earlier: ServerResponse, code: ErrorCode, socket: ClientSocket): void {
  earlier.once('close', () => {
    const { _httpMessage: next } = socket;
    if (!socket.writable) socket.destroy();
    else if (next !== undefined && next !== null && next !== earlier) answerAfter(next, code, socket);
    else endWithProblem(socket, code);
  });
}

function endWithProblem(socket: Duplex, code: ErrorCode, header = ''): void {
  const correlationId = randomUUID();
  const problem = createProblem(code, { correlationId });
  const body = JSON.stringify(problem);
  end(
    socket,
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      `Content-Type: application/problem+json; charset=utf-8\r\n${header}X-Correlation-Id: ${correlationId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Ends the connection with its last bytes, and for good some time later. */
function end(socket: Duplex, last: string): void {
  socket.end(last);
  // Whoever does not close in turn is closed.
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

function codeOf(code: string | undefined): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'headers-too-large';
  return 'malformed-http';
}
