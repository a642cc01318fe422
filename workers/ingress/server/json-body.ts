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

/** The memory that a body may take. */
export interface BodyRoom {
  readonly limitBytes: number;
  /** Maximum number of members and elements. @default MAX_JSON_VALUES */
  readonly maxValues?: number;
  /** Reserves memory for each chunk; false if there is none left. Absent if the total memory is not limited. */
  readonly reserve?: (bytes: number) => boolean;
}

export type ParsedBody =
  | { readonly kind: 'parsed'; readonly body: unknown; readonly values: number }
  | { readonly kind: 'refused'; readonly problem: Problem };

type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** The memory for bodies is used up at the moment. */
  | { readonly kind: 'no-room' }
  /** The client disconnected. */
  | { readonly kind: 'aborted' };

/** The only media type of the interface (section 4), with parameters (RFC 9110 section 8.3.1). */
const JSON_TYPE =
  /^application\/json[ \t]*((?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*")[ \t]*)?)*)$/i;
const CHARSET = /;[ \t]*charset=("?)([^";\s]*)\1/gi;
const NO_BODY = { detail: 'Send a JSON object as the body.' };
const NO_ROOM = { detail: 'Too many large request bodies are being received; try again shortly.' };

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
export function readJsonBody(request: FastifyRequest, reply: FastifyReply, room: BodyRoom): Promise<void> {
  return new Promise((resolve, reject) => {
    receiveJsonBody(request, { reply, room }, (error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/** As {@link readJsonBody}, without a promise: calls back when the body was read, or with the error of a bug. */
export function receiveJsonBody(
  request: FastifyRequest,
  { reply, room }: { readonly reply: FastifyReply; readonly room: BodyRoom },
  done: (error?: Error) => void,
): void {
  receiveBody(request.raw, room, (read) => {
    try {
      takeBody(request, reply, read, room);
    } catch (error) {
      return done(error as Error);
    }
    done();
  });
}

function takeBody(request: FastifyRequest, reply: FastifyReply, read: ReadBody, room: BodyRoom): void {
  if (read.kind === 'too-large') return refuseTooLarge(reply, room.limitBytes);
  if (read.kind === 'no-room') return refuse(reply, 'overloaded', NO_ROOM);
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

/** Reads a body; stops as soon as it exceeds the limit or no memory is left. Calls back once. */
function receiveBody(
  request: IncomingMessage,
  { limitBytes, reserve }: BodyRoom,
  done: (read: ReadBody) => void,
): void {
  if (request.destroyed) return done({ kind: 'aborted' });
  const chunks: Buffer[] = [];
  let length = 0;
  let isEnded = false;
  // The listeners stay, since removing them costs more than a call that does nothing; they do not keep the bytes.
  const finish = (outcome: ReadBody): void => {
    if (isEnded) return;
    isEnded = true;
    chunks.length = 0;
    done(outcome);
  };
  request
    .on('data', (chunk: Buffer) => {
      if (isEnded) return;
      length += chunk.length;
      if (length > limitBytes) finish({ kind: 'too-large' });
      else if (reserve?.(chunk.length) === false) finish({ kind: 'no-room' });
      else chunks.push(chunk);
    })
    .on('end', () => {
      if (isEnded) return;
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
      finish({ kind: 'read', bytes });
    })
    .on('close', () => finish({ kind: 'aborted' }));
}
