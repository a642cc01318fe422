import type { FastifyReply } from 'fastify';
import { JSON_TYPE, renderAs, type Action } from '../../../shared/api/json/action-definition.ts';
import type { Codec, EncodedMessage } from '../../../shared/messaging/codec.ts';
import { readReply } from '../../../shared/messaging/requester/read-reply.ts';
import type { Reply } from '../../../shared/messaging/outcome.ts';
import type { SyncOrAsync } from '../../../shared/platform/sync-or-async.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { createProblem, type Warning } from '../../../shared/platform/problem.ts';
import { HTML_POLICY } from '../../../shared/offer/render-html.ts';
import type { CalculationThreads } from '../../runtime/thread-pool.ts';
import { sendJson, sendProblem } from '../server/send-answer.ts';

/** Decoding and rendering a message of this size takes about 20 ms. */
const LARGE_REPLY_BYTES = 262_144;
const OVERLOADED: Reply = {
  kind: 'problem',
  problem: createProblem('overloaded', {
    detail: 'Too many large replies are waiting; try again shortly.',
  }),
};

/** Reads small replies on the event loop; reads and renders large ones in a thread (E6). */
export function createReplyReader(codec: Codec, threads: CalculationThreads | undefined) {
  return (message: EncodedMessage, mediaType?: string): SyncOrAsync<Reply> => {
    const isLarge = (message.value?.length ?? 0) > LARGE_REPLY_BYTES;
    if (!isLarge || threads === undefined) return readReply(codec, message);
    return threads.render(message, mediaType).then((reply) => reply ?? OVERLOADED);
  };
}

/** What responses in these formats have besides their type; an HTML page loads and runs nothing. */
const FORMAT_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'text/csv': { 'content-type': 'text/csv; charset=utf-8; header=present' },
  'text/html': { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': HTML_POLICY },
  'application/pdf': { 'content-disposition': 'inline; filename="offer.pdf"' },
};

/** Responds with a reply: 200 and the unwrapped body (E1), or the problem with its status; warnings with either. */
export function sendReply(
  reply: FastifyReply,
  result: {
    readonly action: Pick<Action, 'render' | 'formats'>;
    readonly answer: Reply;
    readonly mediaType: string;
    readonly warnings: readonly Warning[];
  },
): void {
  const { action, answer, mediaType, warnings } = result;
  if (reply.raw.destroyed) return;
  const header = warningsList(warnings, answer.kind === 'problem' ? undefined : answer.warnings);
  if (header !== undefined) reply.header('warnings', header);
  if (answer.kind === 'problem') return sendProblem(reply, answer.problem);
  if (answer.holidayCalendar !== undefined) reply.header('Holiday-Calendar', answer.holidayCalendar);
  if (answer.versions !== undefined) reply.header('Versions', answer.versions);
  const { body, payload } = answer;
  const rendered =
    body === undefined ? renderAs(action, payload, mediaType) : { mediaType: JSON_TYPE, ...answer, body };
  if (action.formats !== undefined) reply.header('vary', 'accept');
  const { mediaType: type } = rendered;
  if (type === JSON_TYPE) return sendJson(reply, 200, rendered.body);
  const headers = { 'content-type': type, 'cache-control': 'no-store', ...FORMAT_HEADERS[type] };
  reply.code(200).headers(headers).send(rendered.body);
}

export function formatResultPath(resultId: string): string {
  return `/platapi/results/${resultId}`;
}

export function renderPending(resultId: string): string {
  return JSON.stringify({ resultId, status: 'pending', href: formatResultPath(resultId) });
}
