import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonProblem, parseJson } from '../../../shared/platform/json.ts';
import { createProblem, type Problem } from '../../../shared/platform/problem.ts';
import { announcedLength, refuse, sendProblem } from './send-answer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Length of the body in bytes; 0 until it has been read. */
    bodyBytes: number;
    /** Members and elements of the body; 0 until it has been parsed. */
    bodyValues: number;
  }
}

/** What a body may take. */
export interface BodyRoom {
  readonly limitBytes: number;
  /** Maximum number of members and elements. @default MAX_JSON_VALUES */
  readonly maxValues?: number;
}

export type ParsedBody =
  | { readonly kind: 'parsed'; readonly body: unknown; readonly values: number }
  | { readonly kind: 'refused'; readonly problem: Problem };

type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** The client disconnected. */
  | { readonly kind: 'aborted' };

/** The only media type of the interface (section 4), with parameters (RFC 9110 section 8.3.1). */
const JSON_TYPE =
  /^application\/json[ \t]*((?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*")[ \t]*)?)*)$/i;
const CHARSET = /;[ \t]*charset=("?)([^";\s]*)\1/gi;
const NO_BODY = { detail: 'Send a JSON object as the body.' };

/** Hook: refuses a request by its headers: no body, another media type, or a body that is too long (E1). */
export function requireJson(limitBytes: number) {
  return ({ headers, raw }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const length = announcedLength(raw) ?? 0;
    if (length === 0 && headers['transfer-encoding'] === undefined) {
      refuse(reply, 'empty-body', NO_BODY);
    } else if (!isReadableContent(headers['content-type'], headers['content-encoding'])) {
      reply.header('accept-post', 'application/json');
      refuse(reply, 'unsupported-media-type', {
        detail: 'Send application/json in UTF-8 without content encoding.',
      });
    } else if (length > limitBytes) {
      refuseTooLarge(reply, limitBytes);
    } else {
      done();
    }
  };
}

/**
 * Reads the body into `request.body`, or responds with its fault. `reply.sent` is then true, as it is when the client
 * disconnected.
 */
export async function readJsonBody(
  request: FastifyRequest,
  reply: FastifyReply,
  room: BodyRoom,
): Promise<void> {
  takeBody(request, reply, await receiveBody(request.raw, room), room);
}

function takeBody(request: FastifyRequest, reply: FastifyReply, read: ReadBody, room: BodyRoom): void {
  if (read.kind === 'too-large') return refuseTooLarge(reply, room.limitBytes);
  if (read.kind === 'aborted') {
    reply.hijack();
    return;
  }
  request.bodyBytes = read.bytes.length;
  const parsed = parseJsonBody(read.bytes, room.maxValues);
  if (parsed.kind === 'refused') return sendProblem(reply, parsed.problem);
  request.body = parsed.body;
  request.bodyValues = parsed.values;
}

/** Whether a body of this content type and encoding can be read: JSON in UTF-8, not compressed. */
export function isReadableContent(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  if (contentType === 'application/json') return true;
  const parameters = JSON_TYPE.exec(contentType ?? '')?.[1];
  return (
    parameters !== undefined && [...parameters.matchAll(CHARSET)].every(([, , name]) => isUtf8Charset(name))
  );
}

/** Parses the bytes of a body. Refuses with 400 a body that is empty or that `parseJson` refuses. */
export function parseJsonBody(bytes: Buffer, maxValues?: number): ParsedBody {
  if (bytes.length === 0) return { kind: 'refused', problem: createProblem('empty-body', NO_BODY) };
  const parsed = parseJson(bytes, { maxValues });
  if (parsed.kind === 'refused') return { kind: 'refused', problem: jsonProblem(parsed) };
  return { kind: 'parsed', body: parsed.value, values: parsed.values };
}

/** `utf8` is not a registered charset name but common. */
function isUtf8Charset(charset = ''): boolean {
  return charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8';
}

function refuseTooLarge(reply: FastifyReply, limitBytes: number): void {
  refuse(reply, 'body-too-large', { detail: `A body may have at most ${limitBytes} bytes.` });
}

/** Reads a body; stops as soon as it exceeds the limit. */
function receiveBody(request: IncomingMessage, { limitBytes }: BodyRoom): Promise<ReadBody> {
  if (request.destroyed) return Promise.resolve({ kind: 'aborted' });
  const { promise, resolve } = Promise.withResolvers<ReadBody>();
  const chunks: Buffer[] = [];
  let length = 0;
  request
    .on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve({ kind: 'too-large' });
      }
    })
    // These listeners stay while the request is being answered: they do not keep the bytes.
    .on('end', () => resolve({ kind: 'read', bytes: Buffer.concat(chunks.splice(0)) }))
    .on('close', () => resolve({ kind: 'aborted' }));
  return promise;
}
