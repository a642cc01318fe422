import { VERIFICATIONS } from '../../../../shared/api/notification/verification-operations.ts';
import standard from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' };
import { Ajv, type AnySchema, type Options as AjvOptions } from 'ajv';
import formats from 'ajv-formats';
import avro, { type Schema } from 'avsc';
import { expect, test } from 'vitest';
import { MESSAGES } from '../../../../schemas/messages.ts';
import { ACTIONS } from '../../../../shared/api/actions/actions.ts';
import { asyncApiDocument } from '../../../../shared/api/documents/asyncapi.ts';
import { NOTIFICATIONS } from '../../../../shared/api/notification/send-operations.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import { createMessageCodec } from '../../../../shared/messaging/codec/message-codec.ts';
import { createErrorReply, createReply } from '../../../../shared/messaging/handler/reply-message.ts';
import { readRequest } from '../../../../shared/messaging/handler/request.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { topicName } from '../../../../shared/messaging/topics/topic-list.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

interface Reference {
  readonly $ref: string;
}
interface HeadersSchema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}
interface Message {
  readonly name: string;
  readonly contentType: string;
  readonly headers?: AnySchema & { readonly properties?: Readonly<Record<string, unknown>> };
  readonly payload: Reference | { readonly schemaFormat: string; readonly schema: AnySchema };
  readonly correlationId?: { readonly location: string };
  readonly examples?: readonly { readonly payload?: unknown; readonly headers?: unknown }[];
}
interface Operation {
  readonly action: 'receive' | 'send';
  readonly channel: Reference;
  readonly messages: readonly Reference[];
  readonly reply?: {
    readonly address: { readonly location: string };
    readonly channel: Reference;
    readonly messages: readonly Reference[];
  };
}
interface Channel {
  readonly address: string | null;
  readonly messages: Readonly<Record<string, Reference>>;
}
interface Document {
  readonly asyncapi: string;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    /** Of JSON messages. */
    readonly schemas: Readonly<Record<string, AnySchema>>;
  };
}

const AVRO = 'application/vnd.apache.avro;version=1.9.0';
const SETTINGS = { version: '1.2.3', topicPrefix: 'test.', broker: 'broker:9092' };
const document = asyncApiDocument(SETTINGS) as unknown as Document;
const channels = Object.values(document.channels);
const operations = Object.values(document.operations);
const messages = Object.entries(document.components.messages);

function newAjv(options: AjvOptions = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options });
  formats.default(ajv);
  return ajv;
}
/** The AsyncAPI schema contains the meta-schema of JSON Schema. */
const isStandard = newAjv({ meta: false, validateSchema: false }).compile(standard);

function faultsOf(value: Document): readonly string[] {
  const shape = isStandard(value)
    ? []
    : (isStandard.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message ?? ''}`);
  const unresolved = referencesOf(value).filter((reference) => resolve(value, reference) === undefined);
  return [
    ...shape,
    ...unresolved.map((reference) => `${reference}: not found`),
    ...operationFaults(value),
    ...Object.entries(value.components.messages).flatMap(([id, message]) => findMessageFaults(id, message)),
    ...Object.entries(value.components.schemas)
      .filter(([, schema]) => !schemas.validateSchema(schema))
      .map(([name]) => `${name}: ${schemas.errorsText()}`),
  ];
}

function referencesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('$ref' in value && typeof value.$ref === 'string') return [value.$ref];
  return Object.values(value).flatMap(referencesOf);
}

function resolve(value: Document, reference: string): unknown {
  let found: unknown = value;
  for (const part of reference.replace(/^#\//, '').split('/')) {
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[
      part.replaceAll('~1', '/').replaceAll('~0', '~')
    ];
  }
  return typeof found === 'object' && found !== null && '$ref' in found
    ? resolve(value, String(found.$ref))
    : found;
}

/** Messages must belong to the channel of their operation, which a schema cannot express. */
function operationFaults(value: Document): readonly string[] {
  return Object.entries(value.operations).flatMap(([name, { channel, messages: own, reply }]) =>
    [{ channel, messages: own }, ...(reply === undefined ? [] : [reply])].flatMap((side) =>
      side.messages
        .filter(({ $ref }) => !$ref.startsWith(`${side.channel.$ref}/messages/`))
        .map(({ $ref }) => `${name}: ${$ref} is not a message of ${side.channel.$ref}`),
    ),
  );
}

/** Validates schemas without compiling them, which is slow. */
const schemas = newAjv();

function findMessageFaults(id: string, { payload, headers, examples = [] }: Message): readonly string[] {
  try {
    if (!('$ref' in payload)) avro.Type.forSchema(payload.schema as Schema);
    const sent = examples.filter((example) => example.headers !== undefined);
    if (sent.length === 0)
      return schemas.validateSchema(headers ?? true) ? [] : [`${id}: ${schemas.errorsText()}`];
    const isHeaders = newAjv().compile(headers ?? true);
    return sent
      .filter((example) => !isHeaders(example.headers))
      .map(() => `${id}: an example has different headers`);
  } catch (error) {
    return [`${id}: ${String(error)}`];
  }
}

const idOf = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);

test('the document is valid AsyncAPI 3.0, and has the request topics of all actions', () => {
  expect(document.asyncapi).toBe('3.0.0');
  expect(faultsOf(document)).toEqual([]);
  const topics = ACTIONS.flatMap(({ topic, bulkTopic }) =>
    bulkTopic === undefined ? [topic] : [topic, bulkTopic],
  );
  const addresses = channels.map(({ address }) => address);
  expect(addresses).toEqual(expect.arrayContaining(topics.map((topic) => topicName('test.', topic))));
});

const RECORDS = ['NotificationAcceptance'];

test('all messages are documented in Avro, in JSON unless only the engine writes them, and belong to a channel', () => {
  const found = messages.map(([, message]) => `${message.name} ${message.contentType}`);
  const expected = MESSAGES.flatMap(({ type }) => [
    `${type} application/vnd.apache.avro`,
    ...(RECORDS.includes(type) ? [] : [`${type} application/json`]),
  ]);
  expect(found.toSorted()).toEqual(expected.toSorted());
  const used = new Set(channels.flatMap((channel) => Object.values(channel.messages).map(idOf)));
  expect([...used].toSorted()).toEqual(messages.map(([id]) => id).toSorted());
});

test('replies and records are documented, with the places of reply topics and correlation ids', () => {
  const withBulk = ACTIONS.filter(({ bulkTopic }) => bulkTopic !== undefined);
  const answered = operations.filter(({ reply }) => reply !== undefined);
  const commands = 2 * NOTIFICATIONS.length;
  const others = commands + VERIFICATIONS.length;
  expect(answered).toHaveLength(ACTIONS.length + withBulk.length + others);
  for (const operation of answered) {
    expect(operation.reply?.address.location).toBe(`$message.header#/${HEADER.replyTopic}`);
    const request = resolve(document, operation.messages[0]?.$ref ?? '') as Message | undefined;
    expect(request?.correlationId?.location).toBe(`$message.header#/${HEADER.correlationId}`);
    expect(Object.keys(request?.headers?.properties ?? {})).toContain(HEADER.replyTopic);
  }
  const sent = Object.entries(document.operations)
    .filter(([, { action }]) => action === 'send')
    .map(([name, { channel }]) => `${name} ${idOf(channel)}`);
  expect(sent).toEqual([
    'reply replies',
    'writeNotificationAcceptance notificationAcceptances',
    'writeNotificationOutcome notificationOutcomes',
  ]);
  const names = Object.keys(document.operations);
  expect(names).toEqual(expect.arrayContaining(['calculatePmt', 'calculatePmtInBulk', 'sendSmsUrgently']));
  expect(names.filter((name) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(name))).toEqual([]);
});

test('messages have the schemas of their types, which their examples match, and a wrong one does not', () => {
  const withExamples = messages.filter(([, { examples }]) => examples !== undefined);
  expect(withExamples).toHaveLength(MESSAGES.length - RECORDS.length);
  const ajv = newAjv().addSchema(document, 'document');
  for (const [, { name, examples = [] }] of withExamples) {
    const isValid = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    for (const example of examples)
      expect([name, isValid(example.payload), isValid.errors]).toEqual([name, true, null]);
    const wrong = { jsonParam: { Amount: '100' }, productCode: 100, limit: '1', displayPeriodicities: 'x' };
    expect(isValid(wrong)).toBe(false);
  }
  for (const [id, { name, payload }] of messages) {
    expect(payload).toMatchObject(
      id.endsWith('.json')
        ? { $ref: `#/components/schemas/${name}` }
        : { schemaFormat: AVRO, schema: { name } },
    );
  }
});

const typeOf = (id: string) => {
  const { properties = {}, required = [] } = (document.components.messages[id]?.headers ??
    {}) as HeadersSchema;
  return [properties[HEADER.messageType], required.includes(HEADER.messageType)];
};

test('a JSON message must state its type, an array of requests that of its items, and every reply states its own', () => {
  for (const { type, kind } of MESSAGES.filter((one) => !RECORDS.includes(one.type))) {
    const { replyType } = ACTIONS.find((action) => action.replyType === type) ?? {};
    const others = ['ProblemReply', 'ReplyBatch', 'VerificationReply'];
    const isReply = replyType !== undefined || others.includes(type);
    expect([type, kind, ...typeOf(`${type}.avro`)]).toMatchObject([type, kind, { const: type }, isReply]);
    if (type === 'RequestBatch') continue;
    expect(typeOf(`${type}.json`)).toMatchObject([{ const: type }, true]);
  }
  for (const type of RECORDS) expect(typeOf(`${type}.avro`)).toMatchObject([{ const: type }, false]);
  const bulkTypes = ACTIONS.flatMap(({ bulkTopic, requestType }) =>
    bulkTopic === undefined ? [] : [requestType],
  );
  expect(typeOf('RequestBatch.json')).toMatchObject([{ enum: bulkTypes }, true]);
});

const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });

test.each([
  ['avro', '1', [{ code: 'unknown-member', path: 'jsonParam.x' } as const]],
  ['json', undefined, []],
] as const)(
  'a reply and an error reply in %s have the headers of the document and no others',
  async (format, id, warnings) => {
    const headers = id === undefined ? {} : { [HEADER.correlationId]: id };
    const message = fakeMessage(0, {
      key: null,
      value: Buffer.from([format === 'avro' ? 0 : 0x7b]),
      headers,
    });
    const request = { ...readRequest(message, 1, new AbortController().signal), format, warnings };
    const to = { topic: 'replies', partition: 0 };
    const encoded = await codec.encode('ProblemReply', createProblem('unexpected'), format);
    const body = { type: 'CalculatePMTReply', payload: undefined, encoded };
    const replies = {
      CalculatePMTReply: await createReply(codec, request, to, body),
      ProblemReply: await createErrorReply(codec, request, to, createProblem('not-computable')),
    };
    for (const [type, reply] of Object.entries(replies)) {
      const schema = document.components.messages[`${type}.${format}`]?.headers as HeadersSchema;
      const sent = Object.fromEntries(
        Object.entries(reply.headers ?? {}).map(([name, value]) => [name, String(value)]),
      );
      const ajv = newAjv();
      const isValid = ajv.validate({ ...schema, additionalProperties: false }, sent);
      expect([type, isValid, ajv.errorsText()]).toEqual([type, true, 'No errors']);
    }
  },
);
