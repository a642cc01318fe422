/** The AsyncAPI 3.0 document of the log: which worker reads and writes what, from the same definitions as the workers. */

import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../messaging/codec/request-batch.ts';
import { HEADER } from '../../messaging/header-names.ts';
import { topicName, type TopicKey } from '../../messaging/topics/topics.ts';
import { ACTIONS } from '../actions/actions.ts';
import { CATALOGUE_RECORD } from '../catalogue-files/catalogue-message.ts';
import type { Action } from '../json/action.ts';
import { NOTIFICATIONS, type NotificationContract } from '../notification/notifications.ts';
import {
  asyncApiMessages,
  kafkaBinding,
  messageReferences,
  NOTIFICATION_RECORDS,
} from './asyncapi-messages.ts';

export interface AsyncApiOptions {
  /** Version of the release. */
  readonly version: string;
  /** What every topic name begins with; empty by default. */
  readonly topicPrefix: string;
  /** First broker as `host:port`; absent with the embedded broker. */
  readonly broker?: string | undefined;
}

/** Channel of all replies: its address is chosen by each requester. */
const REPLIES = 'replies';
const DEFAULT_BROKER = 'localhost:9092';

/** The document as a plain object; made once at start. */
export function asyncApiDocument(options: AsyncApiOptions): Readonly<Record<string, unknown>> {
  const { version, topicPrefix, broker = DEFAULT_BROKER } = options;
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Banking product engine',
      version,
      description:
        'Requests may be produced straight to the log. A reply goes to the topic that the request names, with the ' +
        "request's correlation id, in the request's own format.",
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/vnd.apache.avro',
    servers: { kafka: { host: broker, protocol: 'kafka', description: 'Apache Kafka.' } },
    channels: channels(topicPrefix),
    operations: Object.fromEntries([
      ...ACTIONS.flatMap(actionOperations),
      ...NOTIFICATIONS.map((notification) => [notification.name, commandOperation(notification)] as const),
    ]),
    components: { messages: asyncApiMessages() },
  };
}

function channels(prefix: string): Record<string, object> {
  const topics = [...new Set(ACTIONS.flatMap(requestTopics))];
  const replyTypes = [...new Set(ACTIONS.map(({ replyType }) => replyType)), REPLY_BATCH, PROBLEM_TYPE];
  const catalogueRecords = channel(prefix, 'catalogueRecords', [CATALOGUE_RECORD], {
    title: 'Product catalogue',
    description:
      'The present catalogue, compacted: one record for each version, under the key kind/code in lower case/version. A ' +
      'message without a value deletes its record.',
  });
  return {
    ...Object.fromEntries(topics.map((topic) => [topic, channel(prefix, topic, typesOn(topic))])),
    [REPLIES]: {
      address: null,
      title: 'Replies',
      description: `The topic that header ${HEADER.replyTopic} of the request names.`,
      messages: messageReferences('#/components', replyTypes),
    },
    catalogueRecords,
    ...Object.fromEntries(
      NOTIFICATIONS.map(({ topic, commandType, summary }) => [
        topic,
        channel(prefix, topic, [commandType], { title: `${summary}: commands` }),
      ]),
    ),
    ...Object.fromEntries(
      NOTIFICATION_RECORDS.map(({ topic, type, summary, about }) => [
        topic,
        channel(prefix, topic, [type], { title: summary, description: about }),
      ]),
    ),
  };
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

/** Several requests in one message are taken where no caller waits for them. */
function typesOn(topic: TopicKey): readonly string[] {
  const actions = ACTIONS.filter((action) => requestTopics(action).includes(topic));
  const types = actions.map(({ requestType }) => requestType);
  return actions.some(({ bulkTopic }) => bulkTopic === topic) ? [...types, REQUEST_BATCH] : types;
}

/** One operation for each lane: interactive requests, and those that come by the thousand. */
function actionOperations(action: Action): [string, object][] {
  const { name, summary, description, topic, bulkTopic, requestType, replyType } = action;
  const replyAddress = 'Chosen by the requester.';
  const interactive = operation({
    summary,
    description,
    topic,
    requestTypes: [requestType],
    replyTypes: [replyType, PROBLEM_TYPE],
    replyAddress,
  });
  if (bulkTopic === undefined) return [[name, interactive]];
  const bulk = operation({
    summary: `${summary}, many at a time`,
    description,
    topic: bulkTopic,
    requestTypes: [requestType, REQUEST_BATCH],
    replyTypes: [replyType, REPLY_BATCH, PROBLEM_TYPE],
    replyAddress,
  });
  return [
    [name, interactive],
    [`${name}_Bulk`, bulk],
  ];
}

/** A command is carried out without an answer; only a refused one is answered where it names a reply topic. */
function commandOperation({ summary, description, topic, commandType }: NotificationContract): object {
  return operation({
    summary,
    description: `${description} A command that is refused is answered with the problem; others are not answered.`,
    topic,
    requestTypes: [commandType],
    replyTypes: [PROBLEM_TYPE],
    replyAddress: 'Chosen by the sender; without one a refused command becomes a dead letter.',
  });
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly topic: TopicKey;
  readonly requestTypes: readonly string[];
  readonly replyTypes: readonly string[];
  /** Description of the reply's address. */
  readonly replyAddress: string;
}

function operation(own: Operation): object {
  const { summary, description, topic, requestTypes, replyTypes, replyAddress } = own;
  return {
    action: 'receive',
    summary,
    description,
    channel: { $ref: `#/channels/${topic}` },
    messages: Object.values(messageReferences(`#/channels/${topic}`, requestTypes)),
    reply: {
      address: { location: `$message.header#/${HEADER.replyTopic}`, description: replyAddress },
      channel: { $ref: `#/channels/${REPLIES}` },
      messages: Object.values(messageReferences(`#/channels/${REPLIES}`, replyTypes)),
    },
    bindings: kafkaBinding(),
  };
}
