import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonProblem, parseJson } from '../../../shared/platform/parse-json.ts';
import { announcedLength, refuse, sendProblem } from './send-answer.ts';

/** Reading, parsing and checking this much of a body takes as long as one ordinary call, 10 ms. */
const BODY_BYTES_PER_CALL = 262_144;
/** Reading this many members and elements takes as long as one ordinary call. */
const BODY_VALUES_PER_CALL = 10_000;
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

/** Sets `request.body` and `bodyCost`, or responds with a fault. `reply.sent` is true after a fault or disconnect. */
export async function readJsonBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { limitBytes, maxValues }: { readonly limitBytes: number; readonly maxValues?: number | undefined },
): Promise<void> {
  const read = await readRawBody(request, reply, limitBytes);
  if (read === undefined) return;
  if (read.length === 0) return refuse(reply, 'empty-body', NO_BODY);
  const parsed = parseJson(read, { maxValues });
  const values = parsed.kind === 'parsed' ? parsed.values : 0;
  request.bodyCost = Math.round(read.length / BODY_BYTES_PER_CALL + values / BODY_VALUES_PER_CALL);
  if (parsed.kind === 'refused') return sendProblem(reply, jsonProblem(parsed));
  request.body = parsed.value;
}

/** Resolves with the bytes of the body; with undefined after it responded to a body that is too long, or a disconnect. */
export async function readRawBody(
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes: number,
): Promise<Buffer | undefined> {
  const read = await receiveBody(request.raw, limitBytes);
  if (read === 'too-large') refuseTooLarge(reply, limitBytes);
  else if (read === 'aborted') reply.hijack();
  else return read;
  return undefined;
}

/** Whether a body of this content type and encoding can be read: JSON in UTF-8, not compressed. */
export function isReadableContent(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  if (contentType === 'application/json') return true;
  const parameters = JSON_TYPE.exec(contentType ?? '')?.[1];
  if (parameters === undefined) return false;
  // `utf8` is not a registered charset name but common.
  return [...parameters.matchAll(CHARSET)].every(([, , name = '']) => /^utf-?8$/i.test(name));
}

function refuseTooLarge(reply: FastifyReply, limitBytes: number): void {
  refuse(reply, 'body-too-large', { detail: `A body may have at most ${limitBytes} bytes.` });
}

/** Stops as soon as the body exceeds the limit. `aborted`: the client disconnected. */
function receiveBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'too-large' | 'aborted'> | 'aborted' {
  if (request.destroyed) return 'aborted';
  const { promise, resolve } = Promise.withResolvers<Buffer | 'too-large' | 'aborted'>();
  const chunks: Buffer[] = [];
  let length = 0;
  request
    .on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve('too-large');
      }
    })
    // These listeners stay while the request is being answered, so they must not keep the bytes.
    .on('end', () => resolve(Buffer.concat(chunks.splice(0))))
    .on('close', () => resolve('aborted'));
  return promise;
}
