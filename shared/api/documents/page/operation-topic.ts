/** Shows one operation of the OpenAPI document on /docs: its address, an example, its parameters and its fields. */

import { z } from 'zod';
import { topicName } from '../../../messaging/topics/topic-list.ts';
import { ACTIONS } from '../../actions/actions.ts';
import { toJsonSchema, type JsonSchema } from '../../json/json-schema.ts';
import { NOTIFICATIONS } from '../../notification/send-operations.ts';
import { REQUEST_HEADERS, type RequestHeader } from '../documented-headers.ts';
import { html, type Html } from '../html.ts';
import type { Operation } from '../api-operation.ts';
import { renderText } from './markdown.ts';
import { joinPath } from '../../../platform/problem.ts';
import { flagKind, isDateSchema } from '../../json/field-kinds.ts';

interface Place {
  readonly method: string;
  readonly path: string;
  readonly topicPrefix: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Body {
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: unknown;
        readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
      }
    >
  >;
}

export function operationContent(operation: Operation, place: Place): Html {
  const { description, operationId: id, requestBody = {}, responses } = operation;
  const [[status, ok] = ['', {}]] = Object.entries(responses);
  const request = bodySchema(requestBody);
  const answer = bodySchema(ok);
  // Readers can call actions from the page, since actions only calculate and read. A notification would reach people.
  const practice = ACTIONS.some(({ name }) => name === lastName(place.path))
    ? tryIt(id, requestBody, place)
    : exampleOf('Request', requestBody);
  return html`<p>${renderText(description)}</p>
<p class="address"><span class="method">${place.method}</span> <code>${place.path}</code></p>
${overKafka(place)}
<div class="columns"><div class="practice">${practice}${exampleOf('Answer', ok)}</div><div>
${parameterList(operation)}
${request === undefined ? '' : html`<h3>Request</h3>${fieldList(request, { id: `${id}.request`, kind: 'request' })}`}
${answer === undefined ? '' : html`<h3>Answer (${status})</h3>${answerFields(id, answer)}`}
</div></div>`;
}

const lastName = (path: string): string => path.split('/').at(-1) ?? '';

function overKafka({ path, topicPrefix }: Place): Html {
  const action = ACTIONS.find(({ name }) => name === lastName(path));
  const sent = NOTIFICATIONS.find((one) => path.endsWith(one.path));
  const topics = [action?.topic, action?.bulkTopic, sent?.topic, sent?.urgentTopic];
  const types = [action?.requestType, action?.replyType, sent?.commandType];
  if (action === undefined && sent === undefined) return html``;
  const names = topics.filter((topic) => topic !== undefined).map((topic) => topicName(topicPrefix, topic));
  return html`<p class="soft">Over Kafka: topics ${codes(names)}; message types ${codes(types.filter((type) => type !== undefined))}.</p>`;
}

function codes(names: readonly string[]): Html[] {
  return [...new Set(names)].map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`);
}

function tryIt(id: string, body: Body, { path }: Place): Html {
  const examples = Object.values(body.content?.['application/json']?.examples ?? {});
  const options = examples.map(
    ({ summary = '', value }) => html`<option value="${JSON.stringify(value, null, 2)}">${summary}</option>`,
  );
  return html`<div class="try" data-address="${path}" data-name="${id}" hidden><h3>Try it</h3>
<p><label for="example-${id}">Example</label><select id="example-${id}">${options}</select></p>
<label for="body-${id}">Body of the request</label>
<textarea id="body-${id}" spellcheck="false" autocomplete="off"></textarea>
<p class="buttons"><button type="button" class="primary" data-does="send">Send<span class="hidden-text"> the request to ${id}</span></button>
<button type="button" data-does="copy">Copy as curl<span class="hidden-text"> the request to ${id}</span></button></p>
<p class="outcome" role="status"></p><ul class="faults" hidden></ul>
<div class="reply" hidden><pre tabindex="0" role="group" aria-label="Answer of ${id}"></pre></div></div>
${exampleOf('Request', body)}`;
}

function exampleOf(title: string, body: Body): Html {
  const [example] = Object.values(body.content?.['application/json']?.examples ?? {});
  if (example === undefined) return html``;
  return html`<details class="group"><summary>Example: ${title.toLowerCase()}</summary><pre tabindex="0"><code>${JSON.stringify(example.value, null, 2)}</code></pre></details>`;
}

function bodySchema(body: Body): JsonSchema | undefined {
  const schema = body.content?.['application/json']?.schema;
  return schema instanceof z.ZodType ? toJsonSchema(schema) : undefined;
}

function answerFields(id: string, schema: JsonSchema): Html {
  const kinds = schema.items?.oneOf?.map((items) => ({ items })) ?? [schema];
  const lists = kinds.map((kind, index) => {
    const title = kind === schema ? '' : html`<h4>${kind.items?.description ?? ''}</h4>`;
    const target = `${id}.answer${index === 0 ? '' : `-${index + 1}`}`;
    return html`${title}${fieldList(kind, { id: target, kind: 'answer' })}`;
  });
  return html`<p>${renderText(schema.description ?? '')}</p>${lists}`;
}

function parameterList({ operationId, parameters = [] }: Operation): Html {
  const all = (parameters as readonly Parameter[]).map(resolved);
  if (all.length === 0) return html``;
  return html`<h3>Parameters</h3><dl class="fields">${all.map(
    ({ name, required, description = '', schema }) => {
      const target = `${operationId}.parameter.${name}`;
      const mark = required ? html` <span class="mark required">required</span>` : html``;
      return html`<div id="${target}" data-kind="Parameter"><dt><a class="anchor" href="#${target}"><code>${name}</code></a> <span class="type">${typeText(schema)}</span>${mark}</dt><dd>${renderText(description)}</dd></div>`;
    },
  )}</dl>`;
}

function resolved(parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const name = lastName(parameter.$ref) as RequestHeader;
  return { name, required: false, ...REQUEST_HEADERS[name] };
}

interface FieldListOptions {
  readonly id: string;
  readonly kind: 'request' | 'answer';
}

/** Lists all fields by path. More than 12 are grouped by subject, or by the list or object that contains them. */
function fieldList(schema: JsonSchema, options: FieldListOptions): Html {
  const fields = listFields(schema);
  const toList = (some: readonly Field[]): Html =>
    html`<dl class="fields">${some.map((field) => toEntry(field, options))}</dl>`;
  if (fields.length <= MAX_UNGROUPED) return toList(fields);
  const groups = [...groupFields(fields)];
  return html`${groups.map(
    ([title, some], index) =>
      html`<details class="group"${index === 0 ? ' open' : ''}><summary>${title} <span>${some.length === 1 ? '1 field' : `${some.length} fields`}</span></summary>${toList(some)}</details>`,
  )}`;
}

const MAX_UNGROUPED = 12;

const SUBJECTS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Grace periods', /^Grace/i],
  ['Recalculation', /^(?:LastDueDate|Block|IsLocked)/],
  ['Dates and holidays', /Date|Holiday|^InstallmentDay$|^RealInstallmentNo$/],
  ['Charges and annual rates', /^(?:CalculateDAE|UpFrontValue|UnusedAmount|DAE|EIR|AnnualPercentage)/i],
  ['Rate and interest', /Interest|^CapitalPercent$|^BandMethod$|^AllowNegative/],
  ['Sections of the answer', /^display/],
];
const FIRST_SUBJECT = 'Main fields';

interface Field {
  readonly path: string;
  /** Path of the list or object that contains the field; empty for the fields of the request or answer itself. */
  readonly parent: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function listFields(schema: JsonSchema, path = '', parent = ''): Field[] {
  if (schema.items !== undefined) {
    return listFields(schema.items, `${path}[]`, path === '' ? '' : `${path}[]`);
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const fieldPath = joinPath(path, name);
    const required = schema.required?.includes(name) === true;
    // A root with one field, such as `jsonParam`, is an envelope: the fields in it count as fields of the root.
    const isEnvelope = path === '' && Object.keys(schema.properties ?? {}).length === 1;
    return [
      { path: fieldPath, parent, name, schema: field, required },
      ...listFields(field, fieldPath, isEnvelope ? '' : fieldPath),
    ];
  });
}

function groupFields(fields: readonly Field[]): Map<string, Field[]> {
  const titleOf = ({ name, parent, required }: Field): string =>
    required && parent === ''
      ? FIRST_SUBJECT
      : (SUBJECTS.find(([, names]) => names.test(name))?.[0] ?? FIRST_SUBJECT);
  const subjects = Map.groupBy(
    fields.filter(({ parent }) => parent === ''),
    titleOf,
  );
  const inOrder = [FIRST_SUBJECT, ...SUBJECTS.map(([title]) => title)].flatMap((title) => {
    const some = subjects.get(title);
    return some === undefined ? [] : [[title, some] as const];
  });
  const nested = Map.groupBy(
    fields.filter(({ parent }) => parent !== ''),
    ({ parent }) => parent,
  );
  return new Map([...inOrder, ...nested]);
}

function toEntry({ path, name, schema, required }: Field, { id, kind }: FieldListOptions): Html {
  // Without the brackets of lists: docs.ts removes `[0]` from the path of a fault to find the field by this id.
  const target = `${id}.${path.replaceAll('[]', '').replace(/^\./, '')}`;
  const outer = path.slice(0, path.length - name.length);
  const marks = {
    request: required ? html` <span class="mark required">required</span>` : html``,
    answer: required ? html`` : html` <span class="mark">not always present</span>`,
  };
  return html`<div id="${target}" data-kind="Field"><dt><a class="anchor" href="#${target}"><code><span class="outer">${outer}</span>${name}</code></a> <span class="type">${typeText(schema)}</span>${marks[kind]}</dt><dd>${renderText(schema.description ?? '')}</dd></div>`;
}

/** The type of a field in words, with its limits. It leaves out null, which means absent (M6). */
function typeText(schema: JsonSchema): string {
  if (isDateSchema(schema)) return 'date';
  if (flagKind(schema) !== undefined) return 'true, false, 0, 1';
  if (schema.enum !== undefined) {
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(', ');
  }
  if (schema.maxProperties !== undefined) return 'object of numbers';
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const type = types.filter((one) => one !== 'null').join(' or ');
  return [type, ...limitsOf(schema)].filter((part) => part !== '').join(', ');
}

const NUMBER = new Intl.NumberFormat('en');
const at = (value: number): string => NUMBER.format(value);

function limitsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, exclusiveMinimum, maxLength, maxItems } = schema;
  const highest =
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`at most ${at(maximum)}`];
  return [
    ...(exclusiveMinimum === undefined ? [] : [`more than ${at(exclusiveMinimum)}`]),
    ...(minimum === undefined || highest.length === 0 ? highest : [`${at(minimum)} to ${at(maximum ?? 0)}`]),
    ...(maxLength === undefined ? [] : [`at most ${at(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${at(maxItems)} items`]),
  ];
}
