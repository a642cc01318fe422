/** The pages of the local outbox: complete in themselves, nothing of a message becomes markup. */

import { createHash } from 'node:crypto';
import { DOCS_STYLE } from '../../../shared/contract/documents/docs-style.ts';
import { html, table, type Html } from '../../../shared/contract/documents/html.ts';
import type { OutboxItem, OutboxMessage } from '../../../shared/notification/outbox-folder.ts';
import { readMessageHead } from '../../../shared/notification/message-head.ts';
import { readMailText } from './mail-text.ts';

/** Nothing is loaded or run; the one inline style is allowed by its hash. */
export const OUTBOX_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE.markup).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** More than anybody reads on a page. */
const SHOWN_CHARACTERS = 1_000_000;

/** The newest messages. */
export function outboxListPage(items: readonly OutboxItem[], basePath: string): string {
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
  return page(
    html`<p>No provider is configured: messages end here and never leave this machine.</p>${messages}`,
  );
}

/** One message as text; an e-mail also to be downloaded. */
export function outboxMessagePage(message: OutboxMessage, basePath: string): string {
  const { id, channel, content } = message;
  const { head, text, files } = readMailText(content);
  const download =
    channel === 'email'
      ? html`<p><a href="${basePath}/outbox/${id}/message.eml">Download as .eml</a></p>`
      : [];
  const attached = files.length === 0 ? [] : html`<p>Files: ${files.join(', ')}</p>`;
  const { sender, receiver, subject } = readMessageHead(content);
  const said = [[channel, sender, receiver, subject]];
  return page(html`<p><a href="${basePath}/outbox">All messages</a></p>
<h2>${id}</h2>${download}
${table(['Channel', 'Sender', 'Receiver', 'Subject'], said)}
<pre>${head.join('\n')}</pre>
<pre>${text.slice(0, SHOWN_CHARACTERS)}</pre>${attached}`);
}

function page(content: Html): string {
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
