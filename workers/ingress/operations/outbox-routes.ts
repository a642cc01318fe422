import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OPERATIONS_LIMITS } from '../../../shared/api/operations/operation-fields.ts';
import type { OutboxList, OutboxReply } from '../../../shared/api/operations/notification-lists.ts';
import { isEqualSecret, keyFor } from '../../../shared/notification/command-proof.ts';
import {
  readMessageHead,
  type SentMessages,
  type SentMessage,
} from '../../../shared/notification/sent-messages.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import { labelMetrics } from '../server/traffic.ts';
import { authorizeOperator, authorizeTicket } from '../server/authentication.ts';

export type OutboxReader = Pick<SentMessages, 'list' | 'read'>;

type MessageRequest = FastifyRequest<{
  Params: { readonly id: string };
  Querystring: { readonly ticket?: unknown };
}>;

const MAX_SHOWN_CHARACTERS = 1_000_000;
const TICKET_LIFETIME_MS = 5 * 60_000;
const TICKET = /^(\d{13,15})\.([\w-]{43})$/;
/** The sandbox gives an e-mail its own origin, without scripts, forms or pop-ups. Nothing is loaded from elsewhere. */
const MAIL_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Serves the local outbox as JSON, and the HTML of an e-mail for a frame, which has a ticket instead of a token. */
export function registerOutboxMessages(
  app: FastifyInstance,
  base: string,
  deps: IngressContext & { readonly outbox: OutboxReader | undefined },
): void {
  const { outbox } = deps;
  const url = `${base}/outbox`;
  const preHandler = [labelMetrics('operations-outbox'), authorizeOperator(deps, 'operations:read')];
  const tickets = createTickets(deps.resultSecret, deps.clock);
  const find = async (id: string, reply: FastifyReply): Promise<SentMessage | undefined> => {
    const message = await outbox?.read(id);
    if (message === undefined) refuse(reply, 'not-found', { detail: outbox ? NO_MESSAGE : NO_OUTBOX });
    return message;
  };
  app.get(url, { preHandler }, async (_request, reply) => {
    if (outbox === undefined) return refuse(reply, 'not-found', { detail: NO_OUTBOX });
    const items = await outbox.list(OPERATIONS_LIMITS.outboxMessages);
    const messages = items.map(({ writtenAt, sizeBytes: bytes, ...item }) => ({
      ...item,
      bytes,
      writtenAt: new Date(writtenAt).toISOString(),
    }));
    sendJson(reply, 200, JSON.stringify({ messages } satisfies OutboxList));
  });
  app.get(`${url}/:id`, { preHandler }, async (request: MessageRequest, reply) => {
    const message = await find(request.params.id, reply);
    if (message === undefined) return;
    const { id, channel, content } = message;
    const { sender, receiver, subject } = await readMessageHead(content);
    const { head: headers, text, html, files } = await readMailText(content);
    const shown: OutboxReply = {
      id,
      channel,
      sender,
      receiver,
      subject,
      headers,
      text: text.slice(0, MAX_SHOWN_CHARACTERS),
      htmlAddress: html === undefined ? undefined : `${url}/${id}/html?ticket=${tickets.create(id)}`,
      files,
    };
    sendJson(reply, 200, JSON.stringify(shown));
  });
  const mayFrame = { preHandler: [labelMetrics('operations-outbox'), authorizeTicket(deps)] };
  app.get(`${url}/:id/html`, mayFrame, async (request: MessageRequest, reply) => {
    const { params, query } = request;
    if (!tickets.isValid(params.id, query.ticket)) return refuse(reply, 'forbidden', { detail: EXPIRED });
    const message = await find(params.id, reply);
    if (message === undefined) return;
    const { html: source } = await readMailText(message.content);
    if (source === undefined) return refuse(reply, 'not-found', { detail: 'The message has no HTML.' });
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', MAIL_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .send(source);
  });
}

const FOLD = /\r?\n(?=[ \t])/g;

/** `text` is the HTML if there is no text. Own messages have fewer levels than the limit, which bounds the work. */
async function readMailText(content: Buffer) {
  const { default: mail } = await import('postal-mime');
  const { headerLines, text, html, attachments } = await mail.parse(content, { maxNestingDepth: 5 });
  return {
    head: headerLines.map(({ line }) => line.replaceAll(FOLD, '')),
    text: text ?? html ?? '',
    html,
    files: attachments.map(({ filename }) => filename ?? 'file'),
  };
}

const NO_MESSAGE = 'The outbox has no message with this id.';
const NO_OUTBOX =
  'The local outbox is available only on the embedded broker without a provider configuration. Otherwise messages ' +
  'go to the providers of NOTIFICATION_CONFIG_FILE, or to the folder outbox in the DATA_DIR of the notification worker.';
const EXPIRED = 'The address has expired; read the message again for a new one.';

function createTickets(secret: string, clock: Clock) {
  const key = keyFor(secret, 'plat outbox ticket');
  const sign = (id: string, expiresAt: string): string =>
    createHmac('sha256', key).update(`${id}\n${expiresAt}`).digest('base64url');
  return {
    create: (id: string): string => {
      const expiresAt = String(clock.now() + TICKET_LIFETIME_MS);
      return `${expiresAt}.${sign(id, expiresAt)}`;
    },
    isValid: (id: string, ticket: unknown): boolean => {
      const [, expiresAt = '', signature = ''] = TICKET.exec(typeof ticket === 'string' ? ticket : '') ?? [];
      return isEqualSecret(signature, sign(id, expiresAt)) && Number(expiresAt) > clock.now();
    },
  };
}
