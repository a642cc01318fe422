/** The AsyncAPI 3.0 document of the log: who writes what where, made from the same definitions as the workers. */

import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { HEADER } from '../../messaging/header-names.ts';
import { CATALOGUE_RECORD } from '../catalogue-files/catalogue-message.ts';
import { topicName, type TopicKey } from '../../messaging/topics/topics.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../messaging/codec/request-batch.ts';
import { ACTIONS } from '../actions/actions.ts';
import { BATCH_KINDS } from './asyncapi-batches.ts';
import { asyncApiMessages, KAFKA_BINDING_VERSION, messageNames } from './asyncapi-messages.ts';
import { notificationChannels, notificationKinds, notificationOperations } from './asyncapi-notifications.ts';
import type { Action } from '../json/action.ts';

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
    operations: Object.fromEntries([...ACTIONS.flatMap(operationsOf), ...notificationOperations(REPLIES)]),
    components: { messages: asyncApiMessages(ACTIONS, [...BATCH_KINDS, ...notificationKinds()]) },
  };
}

function requestTopics({ topic, bulkTopic }: Action): readonly TopicKey[] {
  return bulkTopic === undefined ? [topic] : [topic, bulkTopic];
}

function channels(prefix: string): Record<string, object> {
  const topics = [...new Set(ACTIONS.flatMap(requestTopics))];
  const replyTypes = [...new Set(ACTIONS.map(({ replyType }) => replyType)), REPLY_BATCH, PROBLEM_TYPE];
  const replies = {
    address: null,
    title: 'Replies',
    description: `The topic that header ${HEADER.replyTopic} of the request names.`,
    messages: messageReferences(replyTypes),
  };
  return {
    ...Object.fromEntries(topics.map((topic) => [topic, channel(prefix, topic)])),
    [REPLIES]: replies,
    catalogueRecords: catalogueChannel(topicName(prefix, 'catalogueRecords')),
    ...notificationChannels(prefix),
  };
}

/** Workers read it, `npm run catalogue` writes it; whoever else writes to it says what products there are. */
function catalogueChannel(address: string): object {
  return {
    address,
    title: 'Product catalogue',
    description:
      'The present catalogue, compacted: one record for each version, under the key kind/code in lower case/version. A ' +
      'message without a value deletes its record.',
    messages: messageReferences([CATALOGUE_RECORD]),
    bindings: { kafka: { topic: address, bindingVersion: KAFKA_BINDING_VERSION } },
  };
}

function channel(prefix: string, topic: TopicKey): object {
  const types = ACTIONS.filter((action) => requestTopics(action).includes(topic)).map(
    (one) => one.requestType,
  );
  const address = topicName(prefix, topic);
  return {
    address,
    messages: messageReferences(takesBatches(topic) ? [...types, REQUEST_BATCH] : types),
    bindings: { kafka: { topic: address, bindingVersion: KAFKA_BINDING_VERSION } },
  };
}

/** Several requests in one message are taken where nobody waits for them. */
function takesBatches(topic: TopicKey): boolean {
  return ACTIONS.some(({ bulkTopic }) => bulkTopic === topic);
}

function messageReferences(types: readonly string[]): Record<string, { $ref: string }> {
  const names = types.flatMap((type) => messageNames(type));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

/** One operation for each lane: live requests, and those that come by the thousand. */
function operationsOf(action: Action): [string, object][] {
  const { name, summary, topic, bulkTopic } = action;
  const live: [string, object] = [name, operation(action, topic, summary)];
  if (bulkTopic === undefined) return [live];
  return [live, [`${name}_Bulk`, operation(action, bulkTopic, `${summary}, many at a time`)]];
}

function operation(action: Action, topic: TopicKey, summary: string): object {
  const isBulk = takesBatches(topic);
  const requestTypes = [action.requestType, ...(isBulk ? [REQUEST_BATCH] : [])];
  const replyTypes = [action.replyType, ...(isBulk ? [REPLY_BATCH] : []), PROBLEM_TYPE];
  return {
    action: 'receive',
    summary,
    description: action.description,
    channel: { $ref: `#/channels/${topic}` },
    messages: references(topic, requestTypes),
    reply: {
      address: {
        location: `$message.header#/${HEADER.replyTopic}`,
        description: 'Chosen by the requester.',
      },
      channel: { $ref: `#/channels/${REPLIES}` },
      messages: references(REPLIES, replyTypes),
    },
    bindings: { kafka: { bindingVersion: KAFKA_BINDING_VERSION } },
  };
}

function references(owner: string, types: readonly string[]): { $ref: string }[] {
  return types
    .flatMap((type) => messageNames(type))
    .map((name) => ({ $ref: `#/channels/${owner}/messages/${name}` }));
}
