import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key of the limits of a caller, its subject or address; empty until the request is counted. */
    caller: string;
  }
}

/** The caller of a request; before it is known, its address. */
export function callerOf(request: FastifyRequest): string {
  return request.caller === '' ? addressOf(request) : request.caller;
}

/** The caller of a request without a valid token. */
export function addressOf(request: FastifyRequest): string {
  return `address ${request.ip}`;
}
