/** The topics of the documentation page that describe operations: actions, notifications, and the addresses for operators. */

import { topicName } from '../../../messaging/topics/topics.ts';
import type { Action, Example } from '../../json/action-definition.ts';
import { toJsonSchema, type JsonSchema } from '../../json/json-schema.ts';
import { acceptedReply, notificationReply } from '../../notification/answers.ts';
import { ACCEPTED_EXAMPLE, NOTIFICATION_EXAMPLE } from '../../notification/examples.ts';
import { NOTIFICATION_LIMITS } from '../../notification/limits.ts';
import { NOTIFICATION_PATH, type NotificationContract } from '../../notification/notifications.ts';
import { codeSamples, type Call } from './code-samples.ts';
import { fieldList, fieldTarget, typeText } from './field-list.ts';
import { FIELD_RULES, rulesOfField } from './field-rules.ts';
import { COMMAND_MESSAGE_HEADERS, type MessageHeader } from '../headers.ts';
import { html, table, withCode, type Html } from '../html.ts';
import type { ApiPart, Operation } from '../openapi/part.ts';
import { inlineMarkup, ruleLinks } from './rules.ts';

/** One topic of the page; its id is also that of its section. */
export interface Topic {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

interface Place {
  /** Path before `/platapi`; empty by default. */
  readonly basePath: string;
  readonly topicPrefix: string;
}

export const actionPath = (basePath: string, name: string): string =>
  `${basePath}/platapi/automation-processors/actions/${name}`;

/** An action: description and fields, and beside them its examples and a form to try it. */
export function actionTopic(action: Action, { basePath, topicPrefix }: Place): Topic {
  const { name, summary, description, requestType, replyType, topic, bulkTopic } = action;
  const path = actionPath(basePath, name);
  const bulk =
    bulkTopic === undefined
      ? []
      : [html`, for <a href="#bulk">many requests</a> <code>${topicName(topicPrefix, bulkTopic)}</code>`];
  const introduction = html`<p>${summary}. ${description}</p>
${address('POST', path)}
<p>${rulesOfOperation(name)}</p>
<p class="soft">Over <a href="#log">Kafka</a>: request topic <code>${topicName(topicPrefix, topic)}</code>${bulk}; message types <code>${requestType}</code> and <code>${replyType}</code>.</p>`;
  const examples = html`${tryIt(action, path)}
${action.examples.map((example, index) => workedExample(name, { path, example, index }))}`;
  const fields = html`<h3>Request</h3>
${fieldList(toJsonSchema(action.request.body), requestOptions(name))}
<h3>Answer</h3>
${answerFields(action)}`;
  return { id: name, title: name, content: besides(introduction, examples, fields) };
}

/** Two columns where there is room for them: the text, and what it means in practice. */
function besides(introduction: Html, practice: Html, fields: Html): Html {
  return html`<div class="columns"><div class="introduction">${introduction}</div>
<div class="practice">${practice}</div>
<div class="reference-fields">${fields}</div></div>`;
}

/** Method and path, on a line of their own. */
export function address(method: string, path: string): Html {
  return html`<p class="address"><span class="method">${method}</span> <code>${path}</code></p>`;
}

function rulesOfOperation(name: string): Html {
  return ruleLinks(rulesOfField(FIELD_RULES[name]?.request ?? {}, ''));
}

const requestOptions = (name: string) => ({
  id: `${name}.request`,
  kind: 'request' as const,
  rulesOf: (path: string) => rulesOfField(FIELD_RULES[name]?.request ?? {}, path),
});

const answerOptions = (name: string, variant = '') => ({
  id: `${name}.answer${variant}`,
  kind: 'answer' as const,
  rulesOf: (path: string) => rulesOfField(FIELD_RULES[name]?.answer ?? {}, path.toLowerCase()),
});

function workedExample(
  name: string,
  { path, example, index }: { readonly path: string; readonly example: Example; readonly index: number },
): Html {
  return html`<details class="group"${index === 0 ? ' open' : ''}><summary>${example.summary}</summary>
${codeExample({ path, headers: {}, body: example.request }, `${name}-${index + 1}`)}
<details class="answer"><summary>Answer</summary>${answerText(example.reply, `Answer: ${example.summary}`)}</details></details>`;
}

/** Text in JSON that scrolls if it is long. */
function answerText(value: unknown, label: string): Html {
  return html`<div class="sample shown" tabindex="0" role="group" aria-label="${label}"><pre><code>${JSON.stringify(value, null, 2)}</code></pre></div>`;
}

/** The call in all languages, one of which is visible; `id` is unique on the page. */
export function codeExample(call: Call, id: string): Html {
  const samples = codeSamples(call);
  const choices = samples.map(
    ({ language, title }, index) =>
      html`<label><input type="radio" name="language-${id}" value="${language}"${index === 0 ? ' checked' : ''}>${title}</label>`,
  );
  const request = call.body === undefined ? html`` : html` data-request="${JSON.stringify(call.body)}"`;
  return html`<div class="example"${request}><fieldset class="languages"><legend class="hidden-text">Language</legend>${choices}</fieldset>
${samples.map(
  ({ language, title, code }) =>
    html`<div class="sample" data-language="${language}" tabindex="0" role="group" aria-label="${title}"><pre><code>${code}</code></pre></div>`,
)}</div>`;
}

/** Sends an example, as edited, to this instance. Actions only calculate and read; notifications reach people, and have none. */
function tryIt({ name, examples }: Action, path: string): Html {
  const options = examples.map(({ summary }) => html`<option>${summary}</option>`);
  return html`<div class="try" data-address="${path}" data-name="${name}" hidden><h3>Try it</h3>
<p><label for="example-${name}">Example</label><select id="example-${name}">${options}</select></p>
<label for="body-${name}">Body of the request</label>
<textarea id="body-${name}" spellcheck="false" autocomplete="off" aria-describedby="keys-${name}"></textarea>
<p class="soft" id="keys-${name}">Ctrl+Enter sends. What you change is kept in this tab.</p>
<p class="buttons"><button type="button" class="primary" data-does="send">Send<span class="hidden-text"> the request to ${name}</span></button>
<button type="button" data-does="restore">Restore the example<span class="hidden-text"> of ${name}</span></button>
<button type="button" data-does="copy">Copy as curl<span class="hidden-text"> the request to ${name}</span></button></p>
<p class="outcome" role="status"></p><ul class="faults" hidden></ul>
<details class="headers" hidden><summary>Headers of the answer</summary><pre tabindex="0" role="group" aria-label="Headers of the answer of ${name}"></pre></details>
<div class="reply" hidden><pre tabindex="0" role="group" aria-label="Answer of ${name}"></pre>
<button type="button" data-does="unfold" hidden></button></div></div>`;
}

function answerFields(action: Action): Html {
  const schema = toJsonSchema(action.replyShape);
  const rows = schema.items?.oneOf;
  const lists =
    rows === undefined
      ? [fieldList(schema, answerOptions(action.name))]
      : rows.map((items, index) => {
          const variant = index === 0 ? '' : `-${index + 1}`;
          return html`<h4>${items.description ?? ''}</h4>${fieldList({ items }, answerOptions(action.name, variant))}`;
        });
  return html`<p>${schema.description ?? ''}</p>${lists}`;
}

/** Sending one kind of notification. */
export function sendTopic(notification: NotificationContract, { basePath, topicPrefix }: Place): Topic {
  const { name, summary, description, path, channelNumber, topic, urgentTopic, commandType, bodyShape } =
    notification;
  const headers: readonly (readonly [name: string, required: string, value: string])[] = [
    ['X-Communication-Channel', 'yes', `\`${channelNumber}\` (N3)`],
    ['X-Sender-Id', 'yes', '`platrealm` (N3)'],
    [
      'Idempotency-Key',
      'no',
      `1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters: makes [repeating](#idempotency) safe for 24 hours (N3)`,
    ],
    [
      'Urgency',
      'no',
      '`high`: does not wait behind messages of normal urgency, which is the default (RFC 8030, N5)',
    ],
  ];
  const introduction = html`<p>${summary}. ${description}</p>
${address('POST', basePath + path)}
<p>${rulesOfOperation(name)}</p>
<p class="soft">Over <a href="#commands">Kafka</a>: command topics <code>${topicName(topicPrefix, topic)}</code> and, for urgent messages,
<code>${topicName(topicPrefix, urgentTopic)}</code>; message type <code>${commandType}</code>.</p>`;
  const call: Call = {
    path: basePath + path,
    headers: { 'x-communication-channel': channelNumber, 'x-sender-id': 'platrealm' },
    body: notification.example,
  };
  const practice = html`<h3>Example</h3>${codeExample(call, name)}
<details class="group" open><summary>Answer</summary>${answerText(ACCEPTED_EXAMPLE, `Answer of ${name}`)}</details>`;
  const fields = html`<h3>Headers</h3>
${table(
  ['Header', 'Required', 'Value'],
  headers.map(([header, required, value]) => [
    html`<code>${header}</code>`,
    required,
    html`${inlineMarkup(value)}`,
  ]),
  { kind: 'Header', ids: headers.map(([header]) => `${name}.header.${header}`) },
)}
<h3>Request</h3>
${fieldList(toJsonSchema(bodyShape), requestOptions(name))}
<h3>Answer (202)</h3>
${fieldList(toJsonSchema(acceptedReply), answerOptions(name))}`;
  return { id: name, title: name, content: besides(introduction, practice, fields) };
}

/** The state of a notification. */
export function statusTopic({ basePath }: Place): Topic {
  const introduction = html`<p>It returns the status to the caller who sent the notification, from any instance, also after a restart.</p>
${address('GET', basePath + NOTIFICATION_PATH)}
<p>${ruleLinks(rulesOfField(FIELD_RULES['notification']?.answer ?? {}, ''))}</p>
${table(
  ['Status', 'Meaning'],
  Object.entries(STATUSES).map(([status, meaning]) => [html`<code>${status}</code>`, meaning]),
  { kind: 'Status', ids: Object.keys(STATUSES).map((status) => `status.${status}`) },
)}`;
  const path = basePath + NOTIFICATION_PATH.replace('{notificationId}', NOTIFICATION_EXAMPLE.notificationId);
  const practice = html`<h3>Example</h3>${codeExample({ path, headers: {} }, 'notification')}
<details class="group" open><summary>Answer</summary>${answerText(NOTIFICATION_EXAMPLE, 'Answer with the status of a notification')}</details>`;
  const fields = html`<h3>Answer</h3>
${fieldList(toJsonSchema(notificationReply), answerOptions('notification'))}`;
  return {
    id: 'notification',
    title: 'Status of a notification',
    content: besides(introduction, practice, fields),
  };
}

const STATUSES = {
  accepted: 'Stored; the first attempt may be in progress',
  retrying: 'An attempt failed; the next one starts at nextAttemptAt or later',
  sent: 'A provider accepted it',
  failed: 'Refused permanently, or not sent within the time limit; code gives the reason',
  parked: 'It is unknown whether it was sent; an operator decides, since it is never repeated automatically',
};

/** Notifications that upstream systems write to the log. */
export function commandsTopic(topicPrefix: string): Topic {
  const content = html`<p>An upstream system may produce the command to its topic itself, which <a href="#SendSms">SendSms</a> and <a href="#SendEmail">SendEmail</a> name, in Avro or in JSON with the fields of the HTTP body and <code>notificationId</code>, a UUID of its own, which also makes a repeated command safe. A number needs its country code. Use the same key for all messages to one receiver, which keeps their order, and no personal data in keys.</p>
<p>An accepted command gets no reply: read its outcome from <code>${topicName(topicPrefix, 'notificationOutcomes')}</code>, whose records are <code>NotificationState</code> with the id of the notification as key: <code>sending</code> or <code>retrying</code> while more follows, <code>sent</code>, <code>failed</code> or <code>parked</code> at the end. A refused command gets an error reply if it names a reply topic, and becomes a dead letter otherwise. ${ruleLinks(['N3', 'N5', 'N6'])}</p>
<h3>Headers of a command</h3>
${messageHeaderTable('commands', COMMAND_MESSAGE_HEADERS)}`;
  return { id: 'commands', title: 'Sending over Kafka', content };
}

/** The headers of a message; `id` is that of the section. */
export function messageHeaderTable(id: string, headers: readonly MessageHeader[]): Html {
  return table(
    ['Header', 'Always', 'Meaning'],
    headers.map(({ name, required, description }) => [
      html`<code>${name}</code>`,
      required ? 'yes' : 'no',
      withCode(description),
    ]),
    { kind: 'Header', ids: headers.map(({ name }) => `${id}.header.${name}`) },
  );
}

export interface PartTopicOptions {
  readonly id: string;
  readonly title: string;
  readonly basePath: string;
  readonly rules: readonly string[];
}

/** The addresses of a part of the OpenAPI document, each in a group that opens. */
export function partTopic(part: ApiPart, { id, title, basePath, rules }: PartTopicOptions): Topic {
  const operations = Object.entries(part.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: basePath + path,
      operation,
    })),
  );
  const content = html`<p>${part.tag.description} ${ruleLinks(rules)}</p>
${operations.map(({ method, path, operation }) => {
  const target = operation.operationId;
  return html`<details class="group" id="${target}" data-kind="Operation" data-title="${target}"><summary><span class="method">${method}</span> <code>${path}</code> <span>${operation.summary}</span></summary>
<p>${withCode(operation.description)}</p>${parameterList(operation)}${requestFields(operation, part)}${okFields(operation, part)}</details>`;
})}`;
  return { id, title, content };
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

function parameterList({ operationId, parameters = [] }: Operation): Html {
  const own = (parameters as readonly Parameter[]).filter(({ $ref }) => $ref === undefined);
  if (own.length === 0) return html``;
  return html`<h3>Parameters</h3><dl class="fields">${own.map(
    ({ name, required, description = '', schema }) => {
      const target = fieldTarget(`${operationId}.parameter`, name);
      const mark = required ? html` <span class="mark required">required</span>` : html``;
      return html`<div id="${target}" data-kind="Field"><dt><a class="anchor" href="#${target}"><code>${name}</code></a> <span class="type">${typeText(schema)}</span>${mark}</dt><dd>${withCode(description)}</dd></div>`;
    },
  )}</dl>`;
}

interface Body {
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema?: JsonSchema; readonly examples?: Readonly<Record<string, { value: unknown }>> }
    >
  >;
}

/** The schema of a body in JSON: the root of the part to which it refers. */
function bodySchema(body: Body, part: ApiPart): JsonSchema | undefined {
  const reference = body.content?.['application/json']?.schema?.$ref;
  return reference === undefined ? undefined : part.schemas[reference.split('/').at(-1) ?? ''];
}

function exampleOf(body: Body, label: string): Html {
  const [example] = Object.values(body.content?.['application/json']?.examples ?? {});
  return example === undefined ? html`` : answerText(example.value, label);
}

function requestFields({ operationId, requestBody = {} }: Operation, part: ApiPart): Html {
  const schema = bodySchema(requestBody, part);
  if (schema === undefined) return html``;
  return html`<h3>Request</h3>${exampleOf(requestBody, `Request of ${operationId}`)}${fieldList(schema, { id: `${operationId}.request`, kind: 'request' })}`;
}

function okFields({ operationId, responses }: Operation, part: ApiPart): Html {
  const [ok = {}] = Object.values(responses);
  const schema = bodySchema(ok, part);
  if (schema === undefined) return html``;
  return html`<h3>Answer</h3>${exampleOf(ok, `Answer of ${operationId}`)}${fieldList(schema, { id: `${operationId}.answer`, kind: 'answer' })}`;
}
