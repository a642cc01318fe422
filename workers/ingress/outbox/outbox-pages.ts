import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DOCS_STYLE } from '../../../shared/contract/documents/page/docs-style.ts';
import { html, table, type Html } from '../../../shared/contract/documents/html.ts';
import { readMessageHead } from '../../../shared/notification/message-head.ts';
import type { OutboxFolder, OutboxItem, OutboxMessage } from '../../../shared/notification/outbox-folder.ts';
import { authorizeOperator } from '../server/authorize-operator.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, refuseOtherMethods } from '../server/send-answer.ts';
import { labelMetrics } from '../server/traffic.ts';
import { readMailText } from './mail-text.ts';

/** Read access to the local outbox. */
export type OutboxReader = Pick<OutboxFolder, 'list' | 'read'>;

type MessageRequest = FastifyRequest<{ Params: { id: string } }>;

/** Maximum number of messages in the list. */
const MAX_LISTED = 100;
/** Longer messages are truncated on the page. */
const MAX_SHOWN_CHARACTERS = 1_000_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** No resources and no scripts; the only inline style is allowed by its hash. Message texts are escaped as well. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE.markup).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves /outbox, /outbox/{id} and /outbox/{id}/message.eml, read-only: the messages that a provider would have sent, to
 * callers who may use the operations addresses: with the scope `operations:read`. Without an outbox, /outbox responds with 404 and explains
 * why, since the README links to it.
 */
export function registerOutbox(
  app: FastifyInstance,
  deps: IngressContext & { readonly outbox: OutboxReader | undefined },
): void {
  const { outbox } = deps;
  const { basePath } = deps.options;
  const base = `${basePath}/outbox`;
  refuseOtherMethods(app, base, 'GET');
  if (outbox === undefined) {
    app.get(base, (_request, reply) => explainNoOutbox(reply));
    return;
  }
  const preHandler = [labelMetrics('outbox'), authorizeOperator(deps, 'operations:read')];
  const find = async ({ params }: MessageRequest): Promise<OutboxMessage | undefined> =>
    UUID.test(params.id) ? outbox.read(params.id) : undefined;
  app.get(base, { preHandler }, async (_request, reply) => {
    sendPage(reply, renderList(await outbox.list(MAX_LISTED), basePath));
  });
  app.get(`${base}/:id`, { preHandler }, async (request: MessageRequest, reply) => {
    const message = await find(request);
    if (message === undefined) return refuse(reply, 'not-found');
    sendPage(reply, renderMessage(message, basePath));
  });
  app.get(`${base}/:id/message.eml`, { preHandler }, async (request: MessageRequest, reply) => {
    const message = await find(request);
    if (message === undefined || message.channel !== 'email') return refuse(reply, 'not-found');
    setSecurityHeaders(reply)
      .header('content-type', 'message/rfc822')
      .header('content-disposition', `attachment; filename="${message.id}.eml"`)
      .send(message.content);
  });
  for (const path of ['/:id', '/:id/message.eml']) refuseOtherMethods(app, base + path, 'GET');
}

/** Responds with 404 and the reason why there is no outbox. */
export function explainNoOutbox(reply: FastifyReply): void {
  refuse(reply, 'not-found', {
    detail:
      'The local outbox is available only on the embedded broker without a provider configuration. Otherwise messages ' +
      'go to the providers of NOTIFICATION_CONFIG_FILE, or to the folder outbox in the DATA_DIR of the notification worker.',
  });
}

function sendPage(reply: FastifyReply, page: string): void {
  setSecurityHeaders(reply).header('content-type', 'text/html; charset=utf-8').send(page);
}

function setSecurityHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('content-security-policy', PAGE_POLICY)
    .header('referrer-policy', 'no-referrer');
}

/** Renders the newest messages. */
function renderList(items: readonly OutboxItem[], basePath: string): string {
  const rows = items.map(({ id, channel, writtenAt, sender, receiver, subject }) => [
    new Date(writtenAt).toISOString(),
    channel,
    sender,
    receiver,
    html`<a href="${basePath}/outbox/${id}">${subject === '' ? id : subject}</a>`,
  ]);
  const messages =
    rows.length === 0
      ? html`<p>Nothing has been sent yet.</p>`
      : table(['Written', 'Channel', 'Sender', 'Receiver', 'Message'], rows);
  return renderPage(
    html`<p>No provider is configured: messages end here and never leave this machine.</p>${messages}`,
  );
}

/** Renders one message as text, an e-mail with a download link. */
function renderMessage(message: OutboxMessage, basePath: string): string {
  const { id, channel, content } = message;
  const { head, text, files } = readMailText(content);
  const download =
    channel === 'email'
      ? html`<p><a href="${basePath}/outbox/${id}/message.eml">Download as .eml</a></p>`
      : [];
  const attached = files.length === 0 ? [] : html`<p>Files: ${files.join(', ')}</p>`;
  const { sender, receiver, subject } = readMessageHead(content);
  const summary = [[channel, sender, receiver, subject]];
  return renderPage(html`<p><a href="${basePath}/outbox">All messages</a></p>
<h2>${id}</h2>${download}
${table(['Channel', 'Sender', 'Receiver', 'Subject'], summary)}
<pre>${head.join('\n')}</pre>
<pre>${text.slice(0, MAX_SHOWN_CHARACTERS)}</pre>${attached}`);
}

function renderPage(content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Outbox</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<header><h1>Outbox</h1></header>
<main>${content}</main>
</body>
</html>
`.markup;
}
