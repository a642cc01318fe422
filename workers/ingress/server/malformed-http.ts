/** Requests that are not valid HTTP: those that Node's parser rejects, and those that it should have rejected. */

import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createProblem, type ErrorCode } from '../../../shared/platform/problem.ts';
import { HTTP_LIMITS } from './http-limits.ts';

/** Node keeps the response that is being written at the socket; a second one must not be mixed into it. */
type ClientSocket = Duplex & { readonly _httpMessage?: ServerResponse | null };

const HOST = 'host';
/** Connections that are about to be answered here: their further bytes are faults too. */
const ending = new WeakSet<Duplex>();

/**
 * What is wrong with the framing of a request that Node's parser accepted, or undefined: each of these may be read
 * differently by a proxy in front, which is how requests get smuggled (RFC 9112 sections 3.2 and 6.1).
 */
export function findFramingFault(request: IncomingMessage): string | undefined {
  if (request.httpVersionMajor !== 1) return 'Send HTTP/1.1.';
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return 'The only transfer coding is chunked.';
    if (request.httpVersionMinor === 0) return 'HTTP/1.0 has no transfer coding.';
  }
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1) return 'Send one Host header.';
  return hosts === 0 && request.httpVersionMinor > 0 ? 'Send a Host header.' : undefined;
}

/**
 * Answers what never became a request: bytes that are not HTTP, contradicting Content-Length and Transfer-Encoding,
 * header fields beyond the limit, a request that did not arrive in time. Then the connection ends. The requests
 * before it on the same connection get their own responses first.
 */
export function answerClientError(error: Error & { code?: string }, socket: ClientSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (ending.has(socket)) return;
  ending.add(socket);
  const code = problemCode(error.code);
  const { _httpMessage: earlier } = socket;
  if (earlier?.req.complete === true) answerAfter(earlier, code, socket);
  // The response to this very request is being sent already.
  else if (earlier?.headersSent === true) end(socket, '');
  else endWithProblem(socket, code);
}

/** CONNECT is for proxies; the connection ends. */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  endWithProblem(socket, 'method-not-allowed', 'Allow: GET, HEAD, POST, OPTIONS\r\n');
}

/** Node keeps the first of several in `headers` and ignores the others. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts++;
  }
  return hosts;
}

function problemCode(code: string | undefined): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'headers-too-large';
  return 'malformed-http';
}

/** When a pipelined response is finished, Node assigns the socket to the next one. */
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

/** Half-closes the connection after its last bytes, and destroys it when the client does not close in turn. */
function end(socket: Duplex, last: string): void {
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.drainBodyMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
