import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTP_LIMITS } from './http-limits.ts';
import { announcedLength } from './json-body.ts';

/** Whether a body is under way that is not worth reading to its end only to keep the connection. */
export function hasLongRest(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  const length = announcedLength(request);
  if (length === undefined) return request.headers['transfer-encoding'] !== undefined;
  return length > HTTP_LIMITS.keptConnectionBodyBytes;
}

/**
 * Ends a response that was written although its request's body is still under way, and with it the connection. Closing
 * at once would reset it and often cost the client the answer (RFC 9112 section 9.6), so the rest is read and thrown
 * away first: up to a number of bytes and a time.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.lingerMs);
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > HTTP_LIMITS.discardedBodyBytes) socket.destroy();
  });
  request.once('close', () => {
    clearTimeout(timer);
    response.end();
  });
}
