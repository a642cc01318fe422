/** The AsyncAPI 3.0 document of the Kafka topics and messages, generated from the definitions that the workers use. */

import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../messaging/codec/request-batch.ts';
import { HEADER } from '../../messaging/header-names.ts';
import { topicName, type TopicKey } from '../../messaging/topics/topics.ts';
import { ACTIONS } from '../actions/actions.ts';
import { CATALOGUE_RECORD } from '../../product/storage/catalogue-message.ts';
import type { Action } from '../json/action-definition.ts';
import { NOTIFICATIONS, type NotificationContract } from '../notification/notifications.ts';
import {
  asyncApiComponents,
  kafkaBinding,
  messageReferences,
  NOTIFICATION_RECORDS,
} from './asyncapi-messages.ts';
import { methodName } from './method-name.ts';

export interface AsyncApiOptions {
  /** Version of the release. */
  readonly version: string;
  /** Prefix of all topic names; empty by default. */
  readonly topicPrefix: string;
  /** First broker as `host:port`; absent with the embedded broker. */
  readonly broker?: string | undefined;
}

/** Channel of all replies; each requester chooses its address. */
const REPLIES = 'replies';
const REPLY_TYPES = [...new Set(ACTIONS.map(({ replyType }) => replyType)), REPLY_BATCH, PROBLEM_TYPE];
const DEFAULT_BROKER = 'localhost:9092';

/** Creates the document as a plain object. */
export function asyncApiDocument(options: AsyncApiOptions): Readonly<Record<string, unknown>> {
  const { version, topicPrefix, broker = DEFAULT_BROKER } = options;
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Banking product engine',
      version,
      description:
        'Clients may produce requests to Kafka. The reply goes to the topic that the request names, with the ' +
        "request's correlation id, in the format of the request.",
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/vnd.apache.avro',
    servers: { kafka: { host: broker, protocol: 'kafka', description: 'Apache Kafka.' } },
    channels: channels(topicPrefix),
    operations: Object.fromEntries([
      ...ACTIONS.flatMap(actionOperations),
      ...NOTIFICATIONS.flatMap(commandOperations),
      ['readCatalogueRecords', readCatalogue()],
      ...sendOperations(),
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
  const catalogue = {
    title: 'Product catalogue',
    description:
      'The current catalogue, compacted: one record for each version, with the key kind/code in lower case/version. A ' +
      'tombstone deletes its record.',
  };
  return Object.fromEntries([
    ...requests.map((topic) => [topic, channel(prefix, topic, typesOn(topic))] as const),
    [REPLIES, replies],
    ['catalogueRecords', channel(prefix, 'catalogueRecords', [CATALOGUE_RECORD], catalogue)],
    ...NOTIFICATIONS.flatMap(({ topic, urgentTopic, commandType, summary }) => {
      const titles = [
        [topic, `${summary}: commands`],
        [urgentTopic, `${summary}: urgent commands`],
      ] as const;
      return titles.map(([key, title]) => [key, channel(prefix, key, [commandType], { title })] as const);
    }),
    ...NOTIFICATION_RECORDS.map(
      ({ topic, type, summary: title, about: description }) =>
        [topic, channel(prefix, topic, [type], { title, description })] as const,
    ),
  ]);
}

function channel(prefix: string, topic: TopicKey, types: readonly string[], about: object = {}): object {
  const address = topicName(prefix, topic);
  return {
    address,
    ...about,
    messages: messageReferences('#/components', types),
    bindings: kafkaBinding({ topic: address }),
  };
}

function requestTopics({ topic, bulkTopic }: Action): readonly TopicKey[] {
  return bulkTopic === undefined ? [topic] : [topic, bulkTopic];
}

/** Bulk topics also carry several requests in one message. */
function typesOn(topic: TopicKey): readonly string[] {
  const types = ACTIONS.filter((action) => requestTopics(action).includes(topic)).map(
    ({ requestType }) => requestType,
  );
  return ACTIONS.some(({ bulkTopic }) => bulkTopic === topic) ? [...types, REQUEST_BATCH] : types;
}

/** One operation for each lane: interactive and, where the action has it, bulk. */
function actionOperations(action: Action): [string, object][] {
  const { summary, description, topic, bulkTopic, requestType, replyType } = action;
  const name = methodName(requestType);
  const about = { description, replyAddress: 'Chosen by the requester.' };
  const replyTypes = [replyType, PROBLEM_TYPE];
  const interactive = operation({ ...about, summary, topic, requestTypes: [requestType], replyTypes });
  if (bulkTopic === undefined) return [[name, interactive]];
  const bulk = operation({
    ...about,
    summary: `${summary}, in bulk`,
    topic: bulkTopic,
    requestTypes: [requestType, REQUEST_BATCH],
    replyTypes: [replyType, REPLY_BATCH, PROBLEM_TYPE],
  });
  return [
    [name, interactive],
    [`${name}InBulk`, bulk],
  ];
}

/**
 * One operation for each priority. A command gets no reply, except an error reply if it is refused and names a reply topic.
 */
function commandOperations(notification: NotificationContract): [string, object][] {
  const { summary, description, topic, urgentTopic, commandType } = notification;
  const name = methodName(notification.name);
  const about = {
    description: `${description} A refused command gets an error reply; other commands have no reply.`,
    requestTypes: [commandType],
    replyTypes: [PROBLEM_TYPE],
    replyAddress: 'Chosen by the sender; a refused command without it becomes a dead letter.',
  };
  return [
    [name, operation({ ...about, summary, topic })],
    [`${name}Urgently`, operation({ ...about, summary: `${summary}, urgently`, topic: urgentTopic })],
  ];
}

function readCatalogue(): object {
  return {
    action: 'receive',
    summary: 'Reads the product catalogue',
    description: 'Each process with products reads the whole topic at its start, then each change.',
    ...onChannel('catalogueRecords', [CATALOGUE_RECORD]),
    bindings: kafkaBinding(),
  };
}

/** What the engine writes: replies, which also belong to their requests, and the records of notifications. */
function sendOperations(): [string, object][] {
  const reply = {
    summary: 'Replies to a request',
    about:
      'In the format of the request, to the topic that it names, with its key. A refused request gets a ProblemReply.',
  };
  return [
    ['reply', send(reply, onChannel(REPLIES, REPLY_TYPES))],
    ...NOTIFICATION_RECORDS.map((record): [string, object] => [
      record.operationId,
      send(record, onChannel(record.topic, [record.type])),
    ]),
  ];
}

function send(
  { summary, about: description }: { readonly summary: string; readonly about: string },
  place: object,
): object {
  return { action: 'send', summary, description, ...place, bindings: kafkaBinding() };
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly topic: TopicKey;
  readonly requestTypes: readonly string[];
  readonly replyTypes: readonly string[];
  /** Description of the address of replies. */
  readonly replyAddress: string;
}

function operation(definition: Operation): object {
  const { summary, description, topic, requestTypes, replyTypes, replyAddress } = definition;
  return {
    action: 'receive',
    summary,
    description,
    ...onChannel(topic, requestTypes),
    reply: {
      address: { location: `$message.header#/${HEADER.replyTopic}`, description: replyAddress },
      ...onChannel(REPLIES, replyTypes),
    },
    bindings: kafkaBinding(),
  };
}

/** The channel of an operation, and its messages. */
function onChannel(name: TopicKey | typeof REPLIES, types: readonly string[]): object {
  const place = `#/channels/${name}`;
  return { channel: { $ref: place }, messages: Object.values(messageReferences(place, types)) };
}
