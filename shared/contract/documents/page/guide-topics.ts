/** The topics of the documentation page that explain how to call the engine, in the order in which a caller needs them. */

import { HEADER } from '../../../messaging/header-names.ts';
import { topicName } from '../../../messaging/topics/topics.ts';
import { ACTIONS } from '../../actions/actions.ts';
import type { Action } from '../../json/action-definition.ts';
import { NOTIFICATION_LIMITS } from '../../notification/limits.ts';
import { faultTable, problemTable, warningTable } from './code-tables.ts';
import { FIELD_RULES, splitIds } from './field-rules.ts';
import { fieldTarget } from './field-list.ts';
import {
  ERROR_MESSAGE_HEADERS,
  replyMessageHeaders,
  REQUEST_HEADERS,
  REQUEST_MESSAGE_HEADERS,
  RESPONSE_HEADERS,
} from '../headers.ts';
import { html, table, withCode, type Html } from '../html.ts';
import { actionPath, address, codeExample, messageHeaderTable, type Topic } from './operation-topics.ts';
import { inlineMarkup, ruleTarget, type Rule, type RuleBook } from './rules.ts';

/** The limits of this instance, from its settings. */
export interface InstanceLimits {
  readonly bodyBytes: number;
  readonly emailBodyBytes: number;
  readonly requestsPerSecond: number;
  readonly replyTimeoutMs: number;
}

const paragraphs = (...texts: readonly string[]): Html =>
  html`${texts.map((text) => html`<p>${inlineMarkup(text)}</p>`)}`;

/** A call to copy. Only the script of the page knows its address, and writes it into the setting. */
export function firstCallTopic({ name, examples: [example] }: Action, basePath: string): Topic {
  const content = html`<p>All examples of this page read the scheme, host and port of the engine from the environment variable <code>ENGINE</code>. Set it once, to those of this page:</p>
<div class="sample shown" data-engine tabindex="0" role="group" aria-label="the setting"><pre><code>export ENGINE=SCHEME://HOST:PORT</code></pre></div>
<p>Then paste. Where access control is on, add the header of <a href="#authentication">Authentication</a>.</p>
${codeExample({ path: actionPath(basePath, name), headers: {}, body: example.request }, 'first-call')}
<p>The answer is an array with one record for each installment; the same request always gets the same answer. All fields are at <a href="#${name}">${name}</a>, where you can also edit the request and send it from this page.</p>`;
  return { id: 'first-call', title: 'A first call', content };
}

export function authenticationTopic(): Topic {
  const content = html`${paragraphs(
    'Where access control is on, every call needs a JSON Web Token: as `Authorization: Bearer <token>`, or in the generic form of the body as `access_token` with `user_name`. The token needs the audience (`aud`) of this engine and an expiry (`exp`); `user_name` must be its `preferred_username`, or its `sub` (E2).',
    'Health, metrics and this page need no token. The [addresses for operators](#operations) need the scope `operations:read` to look and `operations:write` to act, in `scope` or `scp`.',
    'A refused token gets 401 [`unauthenticated`](#error.unauthenticated), a missing scope 403 [`forbidden`](#error.forbidden); `detail` gives the reason.',
  )}
<div class="token" hidden><label for="token">Access token for trying calls on this page</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-note">
<p class="soft" id="token-note">It stays in this tab, and the workbench uses it too. Clear the field to remove it.</p></div>`;
  return { id: 'authentication', title: 'Authentication', content };
}

export function callingTopic(basePath: string): Topic {
  const content = html`${address('POST', actionPath(basePath, '{action}'))}
${paragraphs(
  'Every action is a POST with a JSON object: the input itself, or the generic form `{"access_token": "...", "user_name": "...", "Data": {...}}`, where `Data` is the input or its JSON text (E2). The name of the action is not case-sensitive (E4); names of fields are. An answer with status 200 is the result itself, without an envelope.',
  'Numbers are JSON numbers, never text, and mean exactly the decimal that is written (M1). `null` means the same as an absent field; for flags 0 and 1, false and true are interchangeable (M6). Dates are `yyyy-mm-dd`, `yyyy-m-d` or an ISO date-time, of which only the date is used (D1).',
  'Unknown fields, and known ones that have no effect, do not fail a request: the header `Warnings` lists them as `code;path` (E3, E5), with the codes [below](#warning-codes).',
  `With \`Prefer: respond-async\` the answer is 202 with the address of the [result](#results), \`GET ${basePath}/platapi/results/{resultId}\`.`,
)}
<h3>Request headers</h3>
${httpHeaderTable('calling.request', REQUEST_HEADERS)}
<h3>Headers of answers</h3>
${httpHeaderTable('calling.answer', RESPONSE_HEADERS)}
<h3 id="warning-codes">Codes of warnings</h3>
${warningTable()}`;
  return { id: 'calling', title: 'Requests and answers', content };
}

function httpHeaderTable(id: string, headers: Readonly<Record<string, { description: string }>>): Html {
  const rows = Object.entries(headers).map(([name, { description }]) => [
    html`<code>${name}</code>`,
    withCode(description),
  ]);
  return table(['Header', 'Meaning'], rows, {
    kind: 'Header',
    ids: Object.keys(headers).map((name) => `${id}.header.${name}`),
  });
}

export function idempotencyTopic(): Topic {
  const content = paragraphs(
    'Calculations, look-ups and simulations change nothing: repeat them as often as you like. The same request gets the same answer; where a request depends on the current day, that is the UTC day on which it was first stored (D2).',
    'A notification reaches a person, so send it with an `Idempotency-Key` of your own, 1 to 255 printable ASCII characters, for example the number of the business event. Within 24 hours the same key of the same caller and channel gets the first answer and sends nothing again; with another body it gets 409 [`idempotency-conflict`](#error.idempotency-conflict). Never use one key for two messages (N3).',
    'Over Kafka a repeated request gets a repeated reply: ignore every reply whose correlation id is not pending. A command with the same `notificationId` is sent only once.',
  );
  return { id: 'idempotency', title: 'Idempotency', content };
}

export function retriesTopic(): Topic {
  const content = html`${paragraphs(
    'Repeat a request when the [table of problems](#errors) says so, which over Kafka is the header `plat-error-retryable`: after a second, then after twice as long each time, with a random part, up to a minute. `Retry-After` is the shortest pause that helps; honour it. Give up when your own caller does.',
    '400 and 422 have the same result each time: correct the request. 500 is a fault of the engine: repeat it two or three times, not indefinitely.',
    'A connection that breaks, or a time-out of your own, says nothing about the request. Repeat a calculation as it is, and a notification with the same `Idempotency-Key`.',
  )}`;
  return { id: 'retries', title: 'Retries', content };
}

export function limitsTopic(limits: InstanceLimits): Topic {
  const { bodyBytes, emailBodyBytes, requestsPerSecond, replyTimeoutMs } = limits;
  const { attachmentBytes, attachments, recipients, smsCharacters } = NOTIFICATION_LIMITS;
  const rows: readonly (readonly [what: string, limit: string, beyond: string])[] = [
    ['Body of a request', bytes(bodyBytes), '413 [`body-too-large`](#error.body-too-large) (E6)'],
    ['Body of an e-mail', bytes(emailBodyBytes), '413 [`body-too-large`](#error.body-too-large)'],
    [
      'Attachments of an e-mail',
      `${attachments} files, ${bytes(attachmentBytes)} decoded`,
      '413 [`attachments-too-large`](#error.attachments-too-large)',
    ],
    [
      'Recipients of an e-mail',
      `${recipients}, with cc and bcc`,
      '400 [`too-many-recipients`](#fault.too-many-recipients)',
    ],
    [
      'Text of an SMS',
      `${number(smsCharacters)} characters (UTF-16 units)`,
      '400 [`too-long`](#fault.too-long)',
    ],
    [
      'Requests of a caller',
      `${number(requestsPerSecond)} units a second; a request costs one for each 10 ms of processor time, at least one`,
      '429 [`rate-limited`](#error.rate-limited) with `Retry-After` (E6)',
    ],
    [
      'Wait for a reply',
      `${number(replyTimeoutMs / 1_000)} s`,
      '504 [`reply-timeout`](#error.reply-timeout)',
    ],
    ['Answer', '8 MiB in Avro', '422 [`reply-too-large`](#error.reply-too-large) (E6)'],
    [
      'Requests in one Kafka message',
      '500, in 4 MiB of JSON',
      'an error reply for the message; see [Many requests](#bulk)',
    ],
    [
      'Notifications of a UTC day',
      'quotas, if the operator has set them',
      '429 [`quota-exceeded`](#error.quota-exceeded), 422 [`country-not-allowed`](#error.country-not-allowed) (N6)',
    ],
  ];
  const content = html`<p>These are the limits of this instance; those of single fields are at the fields.</p>
${table(
  ['What', 'Limit', 'Beyond it'],
  rows.map(([what, limit, beyond]) => [what, limit, html`${inlineMarkup(beyond)}`]),
)}
${paragraphs('When more requests arrive than can be answered, some get 503 [`overloaded`](#error.overloaded) at once and are not processed; callers that send less than their share come first (E6).')}`;
  return { id: 'limits', title: 'Limits', content };
}

const number = (value: number): string => new Intl.NumberFormat('en').format(value);

function bytes(value: number): string {
  const kib = value / 1_024;
  return kib < 1_024 ? `${number(kib)} KiB` : `${number(kib / 1_024)} MiB`;
}

/** A request from a program with kafkajs, with the body of the first example. */
function kafkaSample({ topic, requestType, examples: [example] }: Action, topicPrefix: string): string {
  return `import { Kafka } from 'kafkajs';
import { env } from 'node:process';

const kafka = new Kafka({ brokers: env.KAFKA_BROKERS.split(',') });
const producer = kafka.producer();
await producer.connect();
await producer.send({
  topic: '${topicName(topicPrefix, topic)}',
  messages: [{
    key: 'loan-4711',
    value: JSON.stringify(${JSON.stringify(example.request, null, 2).replaceAll('\n', '\n    ')}),
    headers: {
      '${HEADER.messageType}': '${requestType}',
      '${HEADER.correlationId}': 'loan-4711',
      '${HEADER.replyTopic}': 'my.replies',
    },
  }],
});
await producer.disconnect();`;
}

export function kafkaTopic(topicPrefix: string): Topic {
  const content = html`${paragraphs(
    "Produce the request to the action's request topic, in Avro (Confluent wire format) or in JSON with the body of the HTTP call and the header `plat-message-type`. The reply has the same format and correlation id and goes to the topic that the request names, which must exist. This works with Spring's ReplyingKafkaTemplate and with NestJS clients.",
    'An error reply has the header `plat-error-code`; its body is the problem document of HTTP (E1). A request without a usable reply topic becomes a dead letter. `asyncapi.json` describes all topics and messages for tools.',
    'Requests may be written in transactions: the engine reads with `read_committed`. It replies without transactions, at least once: recognise a repeated reply by its correlation id. Avro subjects are full record names (`RecordNameStrategy`), registered beforehand.',
  )}
${ACTIONS.slice(0, 1).map((action) => html`<div class="sample shown" tabindex="0" role="group" aria-label="Request with kafkajs"><pre><code>${kafkaSample(action, topicPrefix)}</code></pre></div>`)}
<h3>Headers of a request</h3>
${messageHeaderTable('log.request', REQUEST_MESSAGE_HEADERS)}
<h3>Headers of a reply</h3>
${messageHeaderTable('log.reply', replyMessageHeaders([...new Set(ACTIONS.flatMap(({ answerHeaders = [] }) => answerHeaders))]))}
<h3>Headers of an error reply</h3>
${messageHeaderTable('log.error', ERROR_MESSAGE_HEADERS)}`;
  return { id: 'log', title: 'Calling over Kafka', content };
}

export function bulkTopic(topicPrefix: string): Topic {
  const bulk = ACTIONS.flatMap(({ bulkTopic: topic }) =>
    topic === undefined ? [] : [topicName(topicPrefix, topic)],
  );
  const example = [
    { id: 'c-1', jsonParam: ACTIONS[0]?.examples[0].request['jsonParam'] },
    { id: 'c-2', jsonParam: { Amount: -1 } },
  ];
  const reply = [
    { id: 'c-1', status: 200, body: ['the rows'] },
    { id: 'c-2', status: 400, body: { code: 'invalid-request', errors: ['...'] } },
  ];
  const content = html`${paragraphs(
    `A portfolio goes to ${[...new Set(bulk)].map((topic) => `\`${topic}\``).join(', ')}, which waits behind the requests of waiting callers and never in front of them. A message is one request, or an array of 1 to 500; each message gets one reply with one item for each request, in the same order. An invalid item does not affect the others.`,
  )}
<div class="sample shown" tabindex="0" role="group" aria-label="Message with two requests"><pre><code>${JSON.stringify(example, null, 2)}</code></pre></div>
${paragraphs(
  'The reply has `plat-message-type: ReplyBatch`. `body` is what the single call would have returned; match items by position, since an unreadable one has no `id`.',
)}
<div class="sample shown" tabindex="0" role="group" aria-label="Reply to two requests"><pre><code>${JSON.stringify(reply, null, 2)}</code></pre></div>
${paragraphs(
  'Send about 100 contracts a message, not more than 12,000 rows, and keep two messages in flight for each worker process. Give your reply topic a `max.message.bytes` of 8388608. Repeat a message without a reply unchanged, after 30 s at the earliest.',
)}`;
  return { id: 'bulk', title: 'Many requests in one message', content };
}

export function errorTopic(): Topic {
  const content = html`${paragraphs(
    'Every error is a problem document (RFC 9457, `application/problem+json`) with a stable `code`, a `correlationId` and, for faults of the request, `errors`: all faults at once, each with `path`, `code` and `message` (E1). Branch on codes; titles and messages may change.',
    '400: the request itself is wrong, which can be seen without a product or a calculation. 422: it is well-formed, but cannot be calculated.',
  )}
${problemTable()}
<h3 id="fault-codes">Codes of single faults</h3>
${faultTable()}`;
  return { id: 'errors', title: 'Errors', content };
}

/** One topic for each group of rules; every rule names the fields that refer to it. */
export function ruleTopics({ introduction, groups }: RuleBook): Topic[] {
  const fields = fieldsByRule();
  return groups.map(({ title, rules }, index) => ({
    id: `rules-${title
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .replaceAll(/^-|-$/g, '')}`,
    title,
    content: html`${index === 0 ? paragraphs(introduction) : ''}
${rules.map((rule) => ruleEntry(rule, fields.get(rule.id) ?? []))}`,
  }));
}

function ruleEntry({ id, text }: Rule, fields: readonly RuledField[]): Html {
  const target = ruleTarget(id);
  const links = fields.map(
    ({ name, path, operation }, index) =>
      html`${index === 0 ? '' : ', '}<a href="#${fieldTarget(`${operation}.request`, path)}"><code>${name}</code></a>`,
  );
  return html`<div class="rule" id="${target}" data-kind="Rule" data-title="${id}"><h3><a class="anchor" href="#${target}">${id}</a></h3>
<div><p>${inlineMarkup(text)}</p>${links.length === 0 ? '' : html`<p class="soft">Fields: ${links}</p>`}</div></div>`;
}

interface RuledField {
  readonly operation: string;
  readonly path: string;
  readonly name: string;
}

/** The fields of requests by the rules that decide them; those that inherit their rules are left out. */
function fieldsByRule(): Map<string, RuledField[]> {
  const fields = new Map<string, RuledField[]>();
  for (const [operation, { request }] of Object.entries(FIELD_RULES)) {
    for (const [path, ids] of Object.entries(request)) {
      if (path === '') continue;
      const field = { operation, path, name: path.replace(/^jsonParam\./, '') };
      for (const id of splitIds(ids)) fields.set(id, [...(fields.get(id) ?? []), field]);
    }
  }
  return fields;
}
