/** The notifications on the documentation page. */

import { topicName } from '../../messaging/topics/topics.ts';
import { jsonSchemaOf } from '../json/json-schema.ts';
import { acceptedReply, notificationReply } from '../notification/answers.ts';
import { NOTIFICATION_EXAMPLE } from '../notification/examples.ts';
import { NOTIFICATION_LIMITS } from '../notification/limits.ts';
import {
  NOTIFICATION_PATH,
  NOTIFICATIONS,
  type NotificationContract,
} from '../notification/notifications.ts';
import { fieldRows } from './field-rows.ts';
import { html, table, type Html } from './html.ts';
import { COMMAND_MESSAGE_HEADERS, type MessageHeader } from './headers.ts';

const REQUEST_COLUMNS = ['Member', 'Type', 'Required', 'Meaning'];
const ANSWER_COLUMNS = ['Member', 'Type', 'Present', 'Meaning'];

interface Options {
  readonly basePath: string;
  readonly topicPrefix: string;
}

/** Names of the sections, for the table of contents. */
export const NOTIFICATION_SECTIONS = [...NOTIFICATIONS.map(({ name }) => name), 'notification'];

/** A section for each kind of notification, and one for what has become of it. */
export function notificationSections(
  options: Options,
  headerTable: (headers: readonly MessageHeader[]) => Html,
): Html {
  return html`${NOTIFICATIONS.map((notification) => sendSection(notification, options))}
<section id="notification"><h2>State of a notification</h2>
<p><code>GET ${options.basePath}${NOTIFICATION_PATH}</code> answers the caller who sent it, from any instance.</p>
${table(ANSWER_COLUMNS, fieldRows(jsonSchemaOf(notificationReply)))}
<pre><code>${JSON.stringify(NOTIFICATION_EXAMPLE, null, 2)}</code></pre>
<h3>Sending over Kafka</h3>
<p>The commands may be written straight to their topics, in Avro or in JSON with the members of the HTTP body and <code>notificationId</code>. The key should be the same for all messages to one receiver, which keeps their order; it is best no personal data.</p>
${headerTable(COMMAND_MESSAGE_HEADERS)}
</section>`;
}

function sendSection(notification: NotificationContract, { basePath, topicPrefix }: Options): Html {
  const { name, summary, description, path, channelNumber, topic, commandType, bodyShape } = notification;
  const headers = [
    [html`<code>X-Communication-Channel</code>`, 'yes', html`<code>${channelNumber}</code>`],
    [html`<code>X-Sender-Id</code>`, 'yes', html`<code>platrealm</code>`],
    [
      html`<code>Idempotency-Key</code>`,
      'no',
      `1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters: the request may be repeated within 24 hours`,
    ],
  ];
  return html`<section id="${name}"><h2>${name}</h2>
<p>${summary}. ${description}</p>
<p><code>POST ${basePath}${path}</code></p>
<p>Command topic <code>${topicName(topicPrefix, topic)}</code>; message type <code>${commandType}</code>.</p>
<h3>Headers</h3>
${table(['Header', 'Required', 'Value'], headers)}
<h3>Request</h3>
${table(REQUEST_COLUMNS, fieldRows(jsonSchemaOf(bodyShape)))}
<h3>Answer (202)</h3>
${table(ANSWER_COLUMNS, fieldRows(jsonSchemaOf(acceptedReply)))}
<h3>Example</h3>
<pre><code>${JSON.stringify(notification.example, null, 2)}</code></pre>
</section>`;
}
