/** Generates the AsyncAPI 3.0 document of the Kafka topics and messages from the definitions that the workers use. */

import { z } from 'zod';
import { messageDefinition, PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { readSchema } from '../../../schemas/schema-files.ts';
import {
  MAX_BATCH_ITEMS,
  MAX_ID_CHARACTERS,
  REPLY_BATCH,
  REQUEST_BATCH,
} from '../../messaging/codec/request-batch.ts';
import { HEADER } from '../../messaging/headers.ts';
import { createProblem } from '../../platform/problem.ts';
import { REQUEST_ACTIONS as ACTIONS } from '../actions/actions.ts';
import { CATALOGUE_RECORD } from '../../product/storage/catalogue-message.ts';
import { CATALOGUE_RECORD_EXAMPLE, catalogueRecordForm } from '../actions/catalogue-record-form.ts';
import { publishedSchemas, schemaReference } from '../json/json-schema.ts';
import { problemShape } from '../json/problem-document.ts';
import { NOTIFICATIONS, type NotificationDefinition } from '../notification/send-operations.ts';
import { STATE_TYPE, stateForm } from '../notification/state-record.ts';
import EXAMPLES from '../notification/examples.json' with { type: 'json' };
import { CALCULATE_PMT } from '../actions/pmt-action.ts';
import {
  CATALOGUE_MESSAGE_HEADERS,
  COMMAND_MESSAGE_HEADERS,
  ERROR_MESSAGE_HEADERS,
  RECORD_MESSAGE_HEADERS,
  headersSchema,
  replyMessageHeaders,
  REQUEST_MESSAGE_HEADERS,
  type MessageHeader,
  type StatedType,
} from './documented-headers.ts';
import { topicName, type TopicKey } from '../../messaging/topics/topic-list.ts';
import type { Action } from '../json/action-definition.ts';
import { methodName } from './api-operation.ts';
import { namedObject } from '../json/field-kinds.ts';
import TEXTS from './asyncapi-texts.json' with { type: 'json' };

const KAFKA_BINDING_VERSION = '0.5.0';
const AVRO_FORMAT = 'application/vnd.apache.avro;version=1.9.0';

function kafkaBinding(binding: object = {}): object {
  return { kafka: { ...binding, bindingVersion: KAFKA_BINDING_VERSION } };
}

function messageReferences(place: string, types: readonly string[]): Record<string, { $ref: string }> {
  const names = types.flatMap((type) => {
    return type === ACCEPTANCE.type ? [`${type}.avro`] : [`${type}.avro`, `${type}.json`];
  });
  return Object.fromEntries(names.map((name) => [name, { $ref: `${place}/messages/${name}` }]));
}

function asyncApiComponents() {
  const types = [...actionTypes(), PROBLEM, CATALOGUE, ...BATCHES, ...commandTypes(), OUTCOME];
  const messages = [
    ...types.flatMap((one) => [
      [`${one.type}.avro`, avroMessage(one)] as const,
      [`${one.type}.json`, jsonMessage(one)] as const,
    ]),
    [`${ACCEPTANCE.type}.avro`, avroMessage(ACCEPTANCE)] as const,
  ];
  const bodies = Object.fromEntries(types.map(({ type, body }) => [type, body]));
  return { messages: Object.fromEntries(messages), schemas: publishedSchemas(bodies) };
}

interface MessageType {
  readonly type: string;
  readonly summary: string;
  readonly headers: readonly MessageHeader[];
  /** The values that header `plat-message-type` of the JSON message may have. @default [type] */
  readonly jsonTypes?: readonly string[];
  readonly body: z.ZodType;
  readonly example: unknown;
}

function actionTypes(): MessageType[] {
  return ACTIONS.flatMap(({ name, summary, requestType, replyType, examples: [example], ...action }) => [
    {
      type: requestType,
      summary,
      headers: REQUEST_MESSAGE_HEADERS,
      body: action.request.body,
      example: example.request,
    },
    {
      type: replyType,
      summary: `Reply of ${name}`,
      headers: replyMessageHeaders(action.answerHeaders),
      body: action.replyShape,
      example: example.reply,
    },
  ]);
}

const PROBLEM: MessageType = {
  type: PROBLEM_TYPE,
  summary: 'Reply to a request that was refused or failed',
  headers: ERROR_MESSAGE_HEADERS,
  body: problemShape,
  example: createProblem('not-computable'),
};

const CATALOGUE: MessageType = {
  type: CATALOGUE_RECORD,
  summary: 'A version of a record of the product catalogue',
  headers: CATALOGUE_MESSAGE_HEADERS,
  body: catalogueRecordForm,
  example: CATALOGUE_RECORD_EXAMPLE,
};

const [{ request: EXAMPLE_REQUEST, reply: EXAMPLE_REPLY }] = CALCULATE_PMT.examples;

const batchId = z.union([z.string().min(1).max(MAX_ID_CHARACTERS), z.int()]).meta({ id: 'BatchItemId' });

const BATCHES: readonly MessageType[] = [
  {
    type: REQUEST_BATCH,
    summary:
      `1 to ${MAX_BATCH_ITEMS} requests in one message. In JSON, an array with the type of its items in header ` +
      `${HEADER.messageType}; in Avro, each item is a complete message value of any request type.`,
    headers: REQUEST_MESSAGE_HEADERS,
    jsonTypes: ACTIONS.filter(({ bulkTopic }) => bulkTopic !== undefined).map(
      ({ requestType }) => requestType,
    ),
    body: z
      .array(
        namedObject('RequestBatchItem', {
          id: batchId.describe('Id that the requester chooses; the reply repeats it.').optional(),
          jsonParam: z.looseObject({}).describe('The input, as in a single request.'),
        }),
      )
      .min(1)
      .max(MAX_BATCH_ITEMS),
    example: [{ id: 'c-1', ...EXAMPLE_REQUEST }],
  },
  {
    type: REPLY_BATCH,
    summary: 'The replies to the requests of one message, in their order.',
    headers: replyMessageHeaders().filter(({ name }) => name !== HEADER.warnings),
    body: z
      .array(
        namedObject('ReplyBatchItem', {
          id: batchId.describe('The id of the request; absent if it had none.').optional(),
          status: z.int().min(200).max(599).describe('200, or the status of the problem.'),
          headers: namedObject('ReplyBatchHeaders', {
            [HEADER.warnings]: z.string().optional(),
            [HEADER.holidayCalendar]: z.string().optional(),
          })
            .describe(
              `The headers ${HEADER.warnings} and ${HEADER.holidayCalendar} of a single reply; absent if the reply has neither.`,
            )
            .optional(),
          body: z.unknown().describe('The answer, or a problem document.'),
        }),
      )
      .max(MAX_BATCH_ITEMS),
    example: [
      { id: 'c-1', status: 200, body: EXAMPLE_REPLY },
      { id: 'c-2', status: 422, body: createProblem('not-computable') },
    ],
  },
];

const ACCEPTANCE = {
  topic: 'notificationAcceptances',
  type: 'NotificationAcceptance',
  headers: RECORD_MESSAGE_HEADERS,
  ...TEXTS.acceptance,
} as const;

const OUTCOME = {
  topic: 'notificationOutcomes',
  type: STATE_TYPE,
  headers: RECORD_MESSAGE_HEADERS,
  body: stateForm,
  example: EXAMPLES.stateRecord,
  ...TEXTS.outcome,
} as const;

const NOTIFICATION_RECORDS = [ACCEPTANCE, OUTCOME];

function commandTypes(): MessageType[] {
  return NOTIFICATIONS.map(({ commandType, summary, commandShape, example }) => ({
    type: commandType,
    summary,
    headers: COMMAND_MESSAGE_HEADERS,
    body: commandShape,
    example,
  }));
}

function avroMessage(one: Omit<MessageType, 'body' | 'example'>): object {
  const definition = messageDefinition(one.type);
  if (definition === undefined) throw new Error(`the list of messages has no ${one.type}`);
  const schema: unknown = JSON.parse(readSchema(definition));
  return {
    ...message(one, {
      types: [one.type],
      required: one.headers.some(({ name }) => name === HEADER.nestIsDisposed),
      format: 'avro',
    }),
    title: `${one.type} in Avro`,
    contentType: 'application/vnd.apache.avro',
    payload: { schemaFormat: AVRO_FORMAT, schema },
    'x-schema-id-without-registry': definition.localSchemaId,
    bindings: kafkaBinding({
      schemaIdLocation: 'payload',
      schemaIdPayloadEncoding: 'confluent',
      schemaLookupStrategy: 'RecordNameStrategy',
    }),
  };
}

function jsonMessage(one: MessageType): object {
  return {
    ...message(one, { types: one.jsonTypes ?? [one.type], required: true, format: 'json' }),
    title: `${one.type} in JSON`,
    contentType: 'application/json',
    payload: schemaReference(one.type),
    bindings: kafkaBinding(),
    examples: [{ name: one.type, summary: one.summary, payload: one.example }],
  };
}

function message(
  { type, summary, headers }: Pick<MessageType, 'type' | 'summary' | 'headers'>,
  stated: StatedType,
): object {
  const isCorrelated = headers.some(({ name }) => name === HEADER.correlationId);
  return {
    name: type,
    summary,
    headers: headersSchema(headers, stated),
    ...(isCorrelated ? { correlationId: { location: `$message.header#/${HEADER.correlationId}` } } : {}),
  };
}

interface AsyncApiOptions {
  /** Version of the engine, as in package.json. */
  readonly version: string;
  /** Prefix of all topic names, including its separator; may be empty. */
  readonly topicPrefix: string;
  /** The broker that the document names, as `host:port`. @default localhost:9092 */
  readonly broker?: string | undefined;
}

/** The channel of all replies. It has no address: each requester names its own topic for replies. */
const REPLIES = 'replies';
const REPLY_TYPES = [...new Set(ACTIONS.map(({ replyType }) => replyType)), REPLY_BATCH, PROBLEM_TYPE];
const DEFAULT_BROKER = 'localhost:9092';

export function asyncApiDocument(options: AsyncApiOptions): Readonly<Record<string, unknown>> {
  const { version, topicPrefix, broker = DEFAULT_BROKER } = options;
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Banking product engine',
      version,
      description: TEXTS.info,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/vnd.apache.avro',
    servers: { kafka: { host: broker, protocol: 'kafka', description: 'Apache Kafka.' } },
    channels: channels(topicPrefix),
    operations: Object.fromEntries([
      ...ACTIONS.flatMap(actionOperations),
      ...NOTIFICATIONS.flatMap(commandOperations),
      [
        'readCatalogueRecords',
        act('receive', TEXTS.readCatalogue, onChannel('catalogueRecords', [CATALOGUE_RECORD])),
      ],
      ['reply', act('send', TEXTS.reply, onChannel(REPLIES, REPLY_TYPES))],
      ...NOTIFICATION_RECORDS.map((record) => [
        record.operationId,
        act('send', record, onChannel(record.topic, [record.type])),
      ]),
    ]),
    components: asyncApiComponents(),
  };
}

function channels(prefix: string): Record<string, object> {
  const requests = [...new Set(ACTIONS.flatMap(requestTopics))];
  const replies = {
    address: null,
    title: 'Replies',
    description: `The topic that header ${HEADER.replyTopic} of the request names.`,
    messages: messageReferences('#/components', REPLY_TYPES),
  };
  return Object.fromEntries([
    ...requests.map((topic) => [topic, channel(prefix, topic, typesOn(topic))] as const),
    [REPLIES, replies],
    ['catalogueRecords', channel(prefix, 'catalogueRecords', [CATALOGUE_RECORD], TEXTS.catalogue)],
    ...NOTIFICATIONS.flatMap(({ topic, urgentTopic, commandType, summary }) => {
      const titles = [
        [topic, `${summary}: commands`],
        [urgentTopic, `${summary}: urgent commands`],
      ] as const;
      return titles.map(([key, title]) => [key, channel(prefix, key, [commandType], { title })] as const);
    }),
    ...NOTIFICATION_RECORDS.map(
      ({ topic, type, summary: title, description }) =>
        [topic, channel(prefix, topic, [type], { title, description })] as const,
    ),
  ]);
}

function channel(prefix: string, topic: TopicKey, types: readonly string[], about: object = {}): object {
  const address = topicName(prefix, topic);
  const messages = messageReferences('#/components', types);
  return { address, ...about, messages, bindings: kafkaBinding({ topic: address }) };
}

function requestTopics({ topic, bulkTopic }: Action): readonly TopicKey[] {
  return bulkTopic === undefined ? [topic] : [topic, bulkTopic];
}

function typesOn(topic: TopicKey): readonly string[] {
  const types = ACTIONS.filter((action) => requestTopics(action).includes(topic)).map(
    ({ requestType }) => requestType,
  );
  return ACTIONS.some(({ bulkTopic }) => bulkTopic === topic) ? [...types, REQUEST_BATCH] : types;
}

function actionOperations(action: Action): [string, object][] {
  const { summary, description, topic, bulkTopic, requestType, replyType } = action;
  const name = methodName(requestType);
  const about = { description, replyAddress: 'Chosen by the requester.' };
  const replyTypes = [replyType, PROBLEM_TYPE];
  const single = operation({ ...about, summary, topic, requestTypes: [requestType], replyTypes });
  if (bulkTopic === undefined) return [[name, single]];
  const bulk = operation({
    ...about,
    summary: `${summary}, in bulk`,
    topic: bulkTopic,
    requestTypes: [requestType, REQUEST_BATCH],
    replyTypes: [replyType, REPLY_BATCH, PROBLEM_TYPE],
  });
  return [
    [name, single],
    [`${name}InBulk`, bulk],
  ];
}

/** A command gets a reply only if it is refused and names a reply topic. */
function commandOperations(notification: NotificationDefinition): [string, object][] {
  const { summary, description, topic, urgentTopic, commandType } = notification;
  const name = methodName(notification.name);
  const about = {
    description: `${description} ${TEXTS.command.description}`,
    requestTypes: [commandType],
    replyTypes: [PROBLEM_TYPE],
    replyAddress: TEXTS.command.replyAddress,
  };
  return [
    [name, operation({ ...about, summary, topic })],
    [`${name}Urgently`, operation({ ...about, summary: `${summary}, urgently`, topic: urgentTopic })],
  ];
}

function act(
  action: 'send' | 'receive',
  { summary, description }: Readonly<Record<'summary' | 'description', string>>,
  place: object,
): object {
  return { action, summary, description, ...place, bindings: kafkaBinding() };
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly topic: TopicKey;
  readonly requestTypes: readonly string[];
  readonly replyTypes: readonly string[];
  readonly replyAddress: string;
}

function operation(definition: Operation): object {
  const { topic, requestTypes, replyTypes, replyAddress } = definition;
  const address = { location: `$message.header#/${HEADER.replyTopic}`, description: replyAddress };
  const reply = { address, ...onChannel(REPLIES, replyTypes) };
  return act('receive', definition, { ...onChannel(topic, requestTypes), reply });
}

function onChannel(name: TopicKey | typeof REPLIES, types: readonly string[]): object {
  const place = `#/channels/${name}`;
  return { channel: { $ref: place }, messages: Object.values(messageReferences(place, types)) };
}
