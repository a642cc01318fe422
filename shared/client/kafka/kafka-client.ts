/** A typed client of the engine over Kafka, for Node with kafkajs. */
import type { Kafka } from 'kafkajs';
import type { ActionName, ReplyOf, RequestOf } from '../actions.ts';
import type { Answer } from '../answer.ts';
import type { Schemas } from '../typed-call.ts';
import { createExchanges, type ExchangeOptions, type Exchanges, type RequestToSend } from './exchange.ts';
import { kafkaClientSystem, type KafkaClientSystem } from './kafka-system.ts';
import {
  calculateMany,
  type BulkAction,
  type BulkOptions,
  type BulkRequest,
  type BulkResult,
} from './many-requests.ts';
import {
  aboutReply,
  CLIENT_TOPICS,
  MESSAGE_HEADER,
  readReplyValue,
  REQUEST_MESSAGES,
  type AvroRegistry,
  type ValueReader,
} from './messages.ts';
import { followOutcomes, type NotificationOutcome, type OutcomeOptions } from './outcomes.ts';
import { readReplyTopic } from './reply-topic.ts';

export type { ActionName, ReplyOf, RequestOf } from '../actions.ts';
export type { Answer, AnswerWarning } from '../answer.ts';
export { EngineError } from '../engine-error.ts';
export type { Schemas } from '../typed-call.ts';
export { decimalBytes, decimalText } from './decimals.ts';
export type { ExchangeOptions } from './exchange.ts';
export type { BulkAction, BulkOptions, BulkRequest, BulkResult } from './many-requests.ts';
export type { AvroRegistry } from './messages.ts';
export type { NotificationOutcome, OutcomeOptions } from './outcomes.ts';

export interface KafkaClientOptions {
  /** The caller's kafkajs, with its brokers and security. */
  readonly kafka: Kafka;
  /** Topic of the replies to this client; created unless it exists. Not one of the engine's. */
  readonly replyTopic: string;
  /** `SchemaRegistry` of @kafkajs/confluent-schema-registry: for messages in Avro, and for outcomes of notifications. */
  readonly registry?: AvroRegistry;
  /** Before the names of the engine's topics: its KAFKA_TOPIC_PREFIX. */
  readonly topicPrefix?: string;
  /** How long a request waits for its reply, in milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
  /** Replaces `JSON.parse` for replies, for example by a parser that keeps all decimals of a number. */
  readonly parseJson?: (text: string) => unknown;
}

export interface RequestOptions extends ExchangeOptions {
  /** Message key: requests of one key are processed in order. By default the correlation id. */
  readonly key?: string;
}

export interface CommandOptions {
  /** The same for all messages to a receiver, which keeps their order. No personal data: a customer number, not an address. */
  readonly key: string;
  /** UUID; a command with a known id is not sent again. By default a new one. */
  readonly notificationId?: string;
  /** For one-time passwords and other messages that must not wait behind others. */
  readonly isUrgent?: boolean;
}

/** Methods that wait for a reply reject with an EngineError, or with the reason of the signal in their options. */
export interface EngineKafkaClient {
  /** Sends a request in JSON and returns its reply. */
  request<Name extends ActionName>(
    action: Name,
    request: RequestOf<Name>,
    options?: RequestOptions,
  ): Promise<Answer<ReplyOf<Name>>>;
  /**
   * Sends a request as a record of its Avro schema, with the registry, and returns the record of the reply. Amounts are
   * bytes: see `decimalBytes`.
   */
  requestRecord(action: ActionName, record: object, options?: RequestOptions): Promise<Answer<unknown>>;
  /** Sends many requests, several in a message, and yields their results as they come. */
  calculateMany<Name extends BulkAction>(
    action: Name,
    requests: AsyncIterable<BulkRequest<Name>> | Iterable<BulkRequest<Name>>,
    options?: BulkOptions,
  ): AsyncGenerator<BulkResult<Name>, undefined>;
  /** Sends the command for an SMS; resolves when Kafka has stored it. A refused one becomes a dead letter. */
  sendSms(sms: Schemas['SendSms'], options: CommandOptions): Promise<{ readonly notificationId: string }>;
  /** Sends the command for an e-mail; resolves when Kafka has stored it. A refused one becomes a dead letter. */
  sendEmail(
    email: Schemas['SendEmail'],
    options: CommandOptions,
  ): Promise<{ readonly notificationId: string }>;
  /** Passes the outcomes of notifications to `handle`, at least once each; returns what stops it. Needs the registry. */
  followOutcomes(
    options: OutcomeOptions,
    handle: (outcome: NotificationOutcome) => Promise<void> | void,
  ): Promise<() => Promise<void>>;
  /** Ends what still waits with code `closed`, and disconnects. Followers of outcomes are stopped too. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** Connects a client. Resolves when its reply topic is read. `system` is for tests. */
export async function connectKafkaClient(
  options: KafkaClientOptions,
  system: KafkaClientSystem = kafkaClientSystem,
): Promise<EngineKafkaClient> {
  const { kafka, replyTopic, topicPrefix = '', timeoutMs = TIMEOUT_MS } = options;
  const reader: ValueReader = {
    registry: options.registry,
    parseJson: options.parseJson ?? ((text) => JSON.parse(text) as unknown),
  };
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  const exchanges = createExchanges(producer, { replyTopic, timeoutMs, system });
  const stops = new Set<() => Promise<void>>([() => producer.disconnect()]);
  const close = async (): Promise<void> => {
    exchanges.end('closed');
    await Promise.all([...stops].map((stop) => stop()));
  };
  try {
    await producer.connect();
    const groupId = `${replyTopic}.${system.newId()}`;
    const onBroken = (error: Error): void => exchanges.end('unreachable', error);
    stops.add(
      await readReplyTopic({ kafka, topic: replyTopic, groupId, onReply: exchanges.take, onBroken, system }),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...requestMethods({ exchanges, reader, system, topicPrefix, timeoutMs }),
    ...commandMethods(exchanges, system, topicPrefix),
    followOutcomes: async (following, handle) => {
      const topic = topicPrefix + CLIENT_TOPICS.outcomes;
      const stop = await followOutcomes(kafka, following, { topic, reader }, handle);
      stops.add(stop);
      return async () => {
        stops.delete(stop);
        await stop();
      };
    },
    close,
  };
}

interface RequestParts {
  readonly exchanges: Exchanges;
  readonly reader: ValueReader;
  readonly system: KafkaClientSystem;
  readonly topicPrefix: string;
  readonly timeoutMs: number;
}

function requestMethods(
  parts: RequestParts,
): Pick<EngineKafkaClient, 'request' | 'requestRecord' | 'calculateMany'> {
  const { exchanges, reader, system, topicPrefix } = parts;
  const ask = async <Reply>(
    action: ActionName,
    value: string | Buffer,
    { key, ...options }: RequestOptions,
  ): Promise<Answer<Reply>> => {
    const { topic, type } = REQUEST_MESSAGES[action];
    const { timeoutMs = parts.timeoutMs, correlationId = system.newUuid() } = options;
    const headers = {
      [MESSAGE_HEADER.messageType]: type,
      [MESSAGE_HEADER.deadline]: String(Math.ceil(system.epochMs() + timeoutMs)),
    };
    const request: RequestToSend = {
      topic: topicPrefix + topic,
      key: key ?? correlationId,
      value,
      headers,
    };
    const message = await exchanges.exchange(request, { ...options, timeoutMs, correlationId });
    const reply = (await readReplyValue(message, { correlationId, reader })) as Reply;
    return { reply, ...aboutReply(message.headers), correlationId, attempts: 1 };
  };
  const schemaIds = new Map<string, number>();
  const schemaIdOf = async (registry: AvroRegistry, subject: string): Promise<number> => {
    const id = schemaIds.get(subject) ?? (await registry.getLatestSchemaId(subject));
    schemaIds.set(subject, id);
    return id;
  };
  return {
    request: (action, request, options = {}) => ask(action, JSON.stringify(request), options),
    requestRecord: async (action, record, options = {}) => {
      const { registry } = reader;
      if (registry === undefined) throw new TypeError('messages in Avro need the option registry');
      const schemaId = await schemaIdOf(registry, REQUEST_MESSAGES[action].subject);
      return ask(action, await registry.encode(schemaId, record), options);
    },
    calculateMany: (action, requests, options = {}) =>
      calculateMany(
        { exchanges, reader, system, topic: topicPrefix + CLIENT_TOPICS.bulk },
        action,
        requests,
        options,
      ),
  };
}

function commandMethods(
  exchanges: Exchanges,
  system: KafkaClientSystem,
  topicPrefix: string,
): Pick<EngineKafkaClient, 'sendSms' | 'sendEmail'> {
  const sendTo =
    (type: string, topic: string, urgentTopic: string) =>
    async (body: object, { key, notificationId = system.newUuid(), isUrgent = false }: CommandOptions) => {
      const value = JSON.stringify({ ...body, notificationId });
      const headers = { [MESSAGE_HEADER.messageType]: type };
      const request = { topic: topicPrefix + (isUrgent ? urgentTopic : topic), key, value, headers };
      await exchanges.send(request, notificationId);
      return { notificationId };
    };
  return {
    sendSms: sendTo('SendSmsCommand', CLIENT_TOPICS.sms, CLIENT_TOPICS.smsUrgent),
    sendEmail: sendTo('SendEmailCommand', CLIENT_TOPICS.email, CLIENT_TOPICS.emailUrgent),
  };
}
