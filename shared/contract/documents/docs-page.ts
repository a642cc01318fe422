/**
 * The documentation for people: one self-contained HTML page (one inline style, one inline script, no other host),
 * generated from the same definitions as the other documents. It is complete without its script.
 */

import type { FaultCode } from '../../lending/request/validation.ts';
import { topicName } from '../../messaging/topics/topics.ts';
import { ERROR_CODES } from '../../platform/problem.ts';
import { ACTIONS } from '../actions/actions.ts';
import type { Action } from '../json/action-definition.ts';
import { BODY_FAULTS, SHAPE_FAULTS } from '../json/faults.ts';
import { toJsonSchema } from '../json/json-schema.ts';
import { acceptedReply, notificationReply } from '../notification/answers.ts';
import { NOTIFICATION_EXAMPLE } from '../notification/examples.ts';
import { NOTIFICATION_LIMITS } from '../notification/limits.ts';
import {
  NOTIFICATION_PATH,
  NOTIFICATIONS,
  type NotificationContract,
} from '../notification/notifications.ts';
import { codeSamples, type Call } from './code-samples.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { DOCS_STYLE, REFERENCE_STYLE } from './docs-style.ts';
import { fieldTables } from './field-tables.ts';
import {
  COMMAND_MESSAGE_HEADERS,
  ERROR_MESSAGE_HEADERS,
  replyMessageHeaders,
  REQUEST_HEADERS,
  REQUEST_MESSAGE_HEADERS,
  RESPONSE_HEADERS,
  type MessageHeader,
} from './headers.ts';
import { html, table, withCode, type Html } from './html.ts';

export interface DocsPageOptions {
  readonly version: string;
  /** Path before `/platapi`; empty by default. */
  readonly basePath: string;
  readonly topicPrefix: string;
}

/** Creates the page as a string. */
export function docsPage(options: DocsPageOptions): string {
  const { basePath, version } = options;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Banking product engine ${version}</title>
<style>${DOCS_STYLE}${REFERENCE_STYLE}</style>
</head>
<body class="reference">
<a class="skip-link" href="#content">Skip to content</a>
${sideBar(options)}
<main class="content" id="content" tabindex="-1">
<header><h1>API reference</h1>
<p>Banking product engine, version ${version}. For tools: <a href="${basePath}/openapi.json">OpenAPI</a> and <a href="${basePath}/asyncapi.json">AsyncAPI</a>. To work with schedules, products and messages in the browser, open the <a href="${basePath}/workbench">workbench</a>.</p>
</header>
${ACTIONS.slice(0, 1).map((action) => firstCall(action, basePath))}
${httpSection(basePath)}
${ACTIONS.map((action) => actionSection(action, options))}
${notificationSections(options)}
${logSection()}
${errorSection()}
${operationSection()}
</main>
<script>${DOCS_SCRIPT}</script>
</body>
</html>
`;
  return page.markup;
}

/** The navigation: topics in order of use, and a search for browsers with script. */
function sideBar({ basePath, version }: DocsPageOptions): Html {
  const topics: Readonly<Record<string, readonly (readonly [id: string, title: string])[]>> = {
    Start: [
      ['first-call', 'A first call'],
      ['calling', 'Calling over HTTP'],
    ],
    Actions: ACTIONS.map(({ name }) => [name, name]),
    Notifications: [
      ...NOTIFICATIONS.map(({ name }) => [name, name] as const),
      ['notification', 'Status of a notification'],
    ],
    Integration: [
      ['log', 'Calling over Kafka'],
      ['errors', 'Errors'],
      ['operation', 'Health and metrics'],
    ],
  };
  const groups = Object.entries(topics).map(
    ([title, links]) => html`<h2>${title}</h2>
<ul>${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>
`,
  );
  return html`<aside class="side" aria-label="Topics and search">
<a class="brand" href="${basePath}/workbench">Banking product engine</a>
<p><a href="${basePath}/workbench">Workbench</a> · <span class="soft">${version}</span></p>
<div class="search" role="search" hidden><label for="search">Search topics, fields and codes</label>
<input id="search" type="search" autocomplete="off" spellcheck="false"><p id="found" role="status"></p></div>
<details class="topics" open><summary>Topics</summary><nav aria-label="Topics">
${groups}</nav></details>
</aside>`;
}

/** A call to copy; the page does not contain its own address. */
function firstCall({ name, examples: [example] }: Action, basePath: string): Html {
  return html`<section class="topic" id="first-call"><h2>A first call</h2>
<p>Put scheme, host and port of this page's own address into the environment variable <code>ENGINE</code>, then paste. Where access control is on, add the header <code>authorization: Bearer</code> with your token.</p>
${codeExample({ path: actionPath(basePath, name), headers: {}, body: example.request }, 'first-call')}
<p>The answer is an array with one record for each installment; the same request always gets the same answer. The sections below list all fields. An error lists all faults of the request.</p>
</section>`;
}

const actionPath = (basePath: string, name: string): string =>
  `${basePath}/platapi/automation-processors/actions/${name}`;

function actionSection(action: Action, { basePath, topicPrefix }: DocsPageOptions): Html {
  const { name, summary, description, requestType, replyType, topic, bulkTopic, examples } = action;
  const bulk =
    bulkTopic === undefined
      ? []
      : [html`, for bulk requests <code>${topicName(topicPrefix, bulkTopic)}</code>`];
  const path = actionPath(basePath, name);
  return html`<section class="topic" id="${name}"><h2>${name}</h2>
<p>${summary}. ${description}</p>
<p class="address"><code>POST ${path}</code></p>
<p>Request topic <code>${topicName(topicPrefix, topic)}</code>${bulk}; message types <code>${requestType}</code> and <code>${replyType}</code>.</p>
<h3>Examples</h3>
${examples.map(
  (example, index) => html`<h4>${example.summary}</h4>
${codeExample({ path, headers: {}, body: example.request }, `${name}-${index + 1}`)}
<details class="group"><summary>Answer</summary><pre><code>${JSON.stringify(example.reply, null, 2)}</code></pre></details>`,
)}
${tryIt(action, path)}
<h3>Request</h3>
${fieldTables('Required', toJsonSchema(action.request.body))}
<h3>Answer</h3>
${replyTables(action)}
</section>`;
}

/** The call in all languages, one of which is visible; `id` is unique on the page. */
function codeExample(call: Call, id: string): Html {
  const samples = codeSamples(call);
  const choices = samples.map(
    ({ language, title }, index) =>
      html`<label><input type="radio" name="language-${id}" value="${language}"${index === 0 ? ' checked' : ''}>${title}</label>`,
  );
  return html`<div class="example" data-request="${JSON.stringify(call.body)}"><fieldset class="languages"><legend class="hidden-text">Language</legend>${choices}</fieldset>
${samples.map(
  ({ language, title, code }) =>
    html`<div class="sample" data-language="${language}" tabindex="0" role="group" aria-label="${title}"><pre><code>${code}</code></pre></div>`,
)}</div>`;
}

/** Sends an example, as edited, to this instance. Actions only calculate and read; notifications reach people, and have none. */
function tryIt({ name, examples }: Action, path: string): Html {
  const options = examples.map(({ summary }) => html`<option>${summary}</option>`);
  return html`<div class="try" data-address="${path}" hidden><h4>Try it</h4>
<p><label for="example-${name}">Example</label><select id="example-${name}">${options}</select></p>
<label for="body-${name}">Body of the request</label>
<textarea id="body-${name}" spellcheck="false" autocomplete="off"></textarea>
<button type="button" class="primary">Send<span class="hidden-text"> the request to ${name}</span></button>
<p class="outcome" role="status"></p><pre tabindex="0" role="group" aria-label="Answer of ${name}" hidden></pre></div>`;
}

function replyTables(action: Action): Html[] {
  const schema = toJsonSchema(action.replyShape);
  const rows = schema.items?.oneOf;
  return [
    html`<p>${schema.description ?? ''}</p>`,
    ...(rows?.map((items) => html`<p>${items.description ?? ''}</p>${fieldTables('Present', { items })}`) ?? [
      fieldTables('Present', schema),
    ]),
  ];
}

/** One section for each kind of notification, and one for the status. */
function notificationSections(options: DocsPageOptions): Html {
  return html`${NOTIFICATIONS.map((notification) => sendSection(notification, options))}
<section class="topic" id="notification"><h2>Status of a notification</h2>
<p class="address"><code>GET ${options.basePath}${NOTIFICATION_PATH}</code></p>
<p>It returns the status to the caller who sent the notification, from any instance.</p>
${fieldTables('Present', toJsonSchema(notificationReply))}
<pre><code>${JSON.stringify(NOTIFICATION_EXAMPLE, null, 2)}</code></pre>
<h3>Sending over Kafka</h3>
<p>Clients may produce the commands to their topics, in Avro or in JSON with the fields of the HTTP body and <code>notificationId</code>. Use the same key for all messages to one receiver, which keeps their order, and no personal data in keys.</p>
${messageHeaderTable(COMMAND_MESSAGE_HEADERS)}
</section>`;
}

function sendSection(notification: NotificationContract, { basePath, topicPrefix }: DocsPageOptions): Html {
  const { name, summary, description, path, channelNumber, topic, urgentTopic, commandType, bodyShape } =
    notification;
  const headers = [
    [html`<code>X-Communication-Channel</code>`, 'yes', html`<code>${channelNumber}</code>`],
    [html`<code>X-Sender-Id</code>`, 'yes', html`<code>platrealm</code>`],
    [
      html`<code>Idempotency-Key</code>`,
      'no',
      `1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters: makes retries within 24 hours safe`,
    ],
    [
      html`<code>Urgency</code>`,
      'no',
      html`<code>high</code>: does not wait behind messages of normal urgency, which is the default (RFC 8030)`,
    ],
  ];
  return html`<section class="topic" id="${name}"><h2>${name}</h2>
<p>${summary}. ${description}</p>
<p class="address"><code>POST ${basePath}${path}</code></p>
<p>Command topics <code>${topicName(topicPrefix, topic)}</code> and, for urgent messages,
<code>${topicName(topicPrefix, urgentTopic)}</code>; message type <code>${commandType}</code>.</p>
<h3>Example</h3>
${codeExample({ path: basePath + path, headers: { 'x-communication-channel': channelNumber, 'x-sender-id': 'platrealm' }, body: notification.example }, name)}
<h3>Headers</h3>
${table(['Header', 'Required', 'Value'], headers)}
<h3>Request</h3>
${fieldTables('Required', toJsonSchema(bodyShape))}
<h3>Answer (202)</h3>
${fieldTables('Present', toJsonSchema(acceptedReply))}
</section>`;
}

function httpSection(basePath: string): Html {
  return html`<section class="topic" id="calling"><h2>Calling over HTTP</h2>
<p>The body is a JSON object: the input itself, or the generic form <code>{"access_token": "...", "user_name": "...", "Data": {...}}</code>, where <code>Data</code> is the input or its JSON text. The name of the action is not case-sensitive. The token may also come as <code>Authorization: Bearer</code>.</p>
<p>Numbers are JSON numbers, never text. <code>null</code> means the same as an absent field. For flags 0 and 1, false and true are interchangeable. Dates are <code>yyyy-mm-dd</code>, <code>yyyy-m-d</code> or an ISO date-time, of which only the date is used.</p>
<p>With <code>Prefer: respond-async</code> the answer is 202 with the address of the result, <code>GET ${basePath}/platapi/results/{resultId}</code>.</p>
<h3>Request headers</h3>
${httpHeaderTable(REQUEST_HEADERS)}
<h3>Headers of answers</h3>
${httpHeaderTable(RESPONSE_HEADERS)}
</section>`;
}

function httpHeaderTable(headers: Readonly<Record<string, { description: string }>>): Html {
  const rows = Object.entries(headers).map(([name, { description }]) => [
    html`<code>${name}</code>`,
    withCode(description),
  ]);
  return table(['Header', 'Meaning'], rows);
}

function logSection(): Html {
  return html`<section class="topic" id="log"><h2>Calling over Kafka</h2>
<p>Produce the request to the action's request topic, in Avro (Confluent wire format) or in JSON with the body of the HTTP call. The reply has the same format and correlation id and goes to the topic that the request names. This works with Spring's ReplyingKafkaTemplate and with NestJS clients.</p>
<h3>Headers of a request</h3>
${messageHeaderTable(REQUEST_MESSAGE_HEADERS)}
<h3>Headers of a reply</h3>
${messageHeaderTable(replyMessageHeaders(ACTIONS.flatMap(({ answerHeaders = [] }) => answerHeaders)))}
<h3>Headers of an error reply</h3>
${messageHeaderTable(ERROR_MESSAGE_HEADERS)}
</section>`;
}

function messageHeaderTable(headers: readonly MessageHeader[]): Html {
  return table(
    ['Header', 'Always', 'Meaning'],
    headers.map(({ name, required, description }) => [
      html`<code>${name}</code>`,
      required ? 'yes' : 'no',
      withCode(description),
    ]),
  );
}

function errorSection(): Html {
  const codes = Object.entries(ERROR_CODES).map(([code, { status, title, retryable }]) => [
    status,
    html`<code>${code}</code>`,
    title,
    retryable ? 'yes' : 'no',
  ]);
  const faults = Object.entries({ ...BODY_FAULTS, ...CALCULATION_FAULTS, ...SHAPE_FAULTS }).map(
    ([code, meaning]) => [html`<code>${code}</code>`, meaning],
  );
  return html`<section class="topic" id="errors"><h2>Errors</h2>
<p>Every error is a problem document (RFC 9457, <code>application/problem+json</code>) with a stable <code>code</code>, a <code>correlationId</code> and, for faults of the request, <code>errors</code>: all faults, each with <code>path</code>, <code>code</code> and <code>message</code>.</p>
${table(['Status', 'Code', 'Meaning', 'Try again'], codes)}
<h3>Codes of single faults</h3>
${table(['Code', 'Meaning'], faults)}
</section>`;
}

function operationSection(): Html {
  const rows = [
    [
      '/health/live',
      '503 when the process needs a restart: a part of the ingress or a worker of its process is unhealthy.',
    ],
    [
      '/health/ready',
      '503 while this ingress cannot serve, with the `reason`. The status of other workers does not count.',
    ],
    ['/metrics', 'Metrics in the Prometheus text format: requests, handlers, lag.'],
  ].map(([path = '', meaning = '']) => [html`<code>GET ${path}</code>`, withCode(meaning)]);
  return html`<section class="topic" id="operation"><h2>Health and metrics</h2>
${table(['Address', 'Answer'], rows)}
</section>`;
}

/** Codes of the faults that calculations report. */
export const CALCULATION_FAULTS: Readonly<Record<FaultCode, string>> = {
  'amount-too-large': 'The amount exceeds the largest supported amount',
  'bands-overlap': 'Two bands cover the same part of the balance',
  'date-order': 'The dates are not in the required order',
  exclusive: 'Fields contradict or exclude each other',
  'formula-failed': 'A formula of the schedule type has no value for this request',
  missing: 'A field that this calculation needs is missing',
  'not-allowed': 'The field is not allowed with this schedule type or with the other fields',
  'one-sign': 'No cash flow is paid out, or no cash flow is paid back',
  'out-of-range': 'The number is outside the allowed range, or not whole',
  'outside-bands': 'A balance lies outside all bands',
  'payment-below-interest': 'The fixed installment does not cover its interest',
  'product-type-mismatch': 'The schedule type does not support this product type',
  'rate-too-low': 'A negative rate takes the whole balance in one period',
  'rates-incomplete': 'The rate ranges leave installments without a rate',
  'rates-overlap': 'Two rate ranges cover the same installment',
  'reply-too-large': 'The explanations do not fit into a reply',
  'too-many-decimals': 'The number has more decimals than allowed',
  'too-many-rows': 'The schedule has more rows than an answer may have',
  'unknown-calendar': 'There is no holiday calendar of this name',
  'unknown-currency': 'There is no currency of this code',
  'unknown-day-count': 'There is no day count of this name',
  'unknown-periodicity': 'There is no periodicity of this name',
  'unknown-product': 'There is no approved product of this code or id on the day',
  'unknown-product-type': 'There is no product type of this code or name',
  'unknown-schedule-type': 'There is no active schedule type of this name',
  'unknown-value': 'The text is not one of the allowed values',
  'wrong-unit': 'The schedule type does not support periodicities of this unit',
};
