import type { FastifyReply, FastifyRequest } from 'fastify';
import { isReadableContent } from './content-type.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { announcedLength, announcesBody, readBody, type BodyRoom } from './json-body.ts';
import { refuse, sendProblem } from './send-answer.ts';
import type { TrafficGate } from './traffic-gate.ts';

const NO_ROOM = { detail: 'Too many large bodies are under way; try again in a moment.' };

/** Answers a request that came before the instance is open, or after it closed. */
export function refuseNotReady(reply: FastifyReply, gate: TrafficGate): void {
  if (gate.state() === 'draining') reply.header('connection', 'close');
  const detail =
    gate.state() === 'draining' ? 'This instance is shutting down.' : 'This instance is still starting.';
  refuse(reply, 'not-ready', { detail });
}

/** Refuses by the headers alone: nothing announced, another media type, too long (E1). */
export function acceptHeaders(limitBytes: number, request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers, raw } = request;
  if (!announcesBody(raw)) {
    refuse(reply, 'empty-body', { detail: 'Send a JSON object as the body.' });
    return false;
  }
  if (!isReadableContent(headers['content-type'], headers['content-encoding'])) {
    reply.header('accept-post', 'application/json');
    refuse(reply, 'unsupported-media-type', {
      detail: 'Send application/json in UTF-8 without content encoding.',
    });
    return false;
  }
  if ((announcedLength(raw) ?? 0) > limitBytes) {
    refuseTooLarge(reply, limitBytes);
    return false;
  }
  return true;
}

/** Reads the body as JSON and hands it on, or answers what is wrong with it. */
export function readJson(
  room: BodyRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  then: (body: unknown) => void,
): void {
  readBody(request.raw, room, (outcome) => {
    try {
      if (outcome.kind === 'too-large') return refuseTooLarge(reply, room.limitBytes);
      if (outcome.kind === 'no-room') return refuse(reply, 'overloaded', NO_ROOM);
      if (outcome.kind === 'aborted') return;
      const parsed = parseJsonBody(outcome.bytes);
      if (parsed.kind === 'refused') sendProblem(reply, parsed.problem);
      else then(parsed.body);
    } catch (error) {
      // Thrown in a socket's event: nobody above would answer it.
      reply.send(error);
    }
    if (outcome.kind === 'read') room.done?.(outcome.bytes.length);
  });
}

function refuseTooLarge(reply: FastifyReply, limitBytes: number): void {
  refuse(reply, 'body-too-large', { detail: `A body may have ${limitBytes} bytes at most.` });
}
