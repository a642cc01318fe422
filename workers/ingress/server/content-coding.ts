import type { FastifyReply, FastifyRequest } from 'fastify';

/** The name, unless its weight is zero; in any case, as the name of the weight. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Sends a body compressed if the caller accepts that (RFC 9110 section 12.5.3). */
export function sendCoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, gzip }: { readonly body: Buffer; readonly gzip: Buffer },
): void {
  const accepts = GZIP.test(request.headers['accept-encoding'] ?? '');
  if (accepts) reply.header('content-encoding', 'gzip');
  reply.header('vary', 'accept-encoding').send(accepts ? gzip : body);
}
