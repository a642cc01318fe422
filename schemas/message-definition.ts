import type { TopicKey } from '../shared/messaging/topics/topic-names.ts';

/** One message that travels on the log. */
interface MessageBase {
  /** Record name of the Avro schema and value of header plat-message-type; unique in the catalogue. */
  readonly type: string;
  /** Folder of the schema and second part of its namespace. */
  readonly context: string;
  /** Grows with a change that older readers or writers cannot take part in; such a version is a message of its own. */
  readonly version: number;
  /**
   * Id on the wire where no registry is configured. Every change of a schema takes the next free id; an id is never
   * given to anything else, so that a message stays readable for as long as it is kept.
   */
  readonly localSchemaId: number;
}

/** Asks a worker for something. */
export interface RequestDefinition extends MessageBase {
  readonly kind: 'request';
  /** Type of the answer to it; a refusal is answered with the one type of kind `error`. */
  readonly replyType: string;
  readonly requestTopic: TopicKey;
  /** Lane of its own for mass traffic. */
  readonly bulkRequestTopic?: TopicKey;
}

/** Tells a worker to do something; only a refusal is answered, with the one type of kind `error`. */
export interface CommandDefinition extends MessageBase {
  readonly kind: 'command';
  readonly commandTopic: TopicKey;
}

/** Answers a request. */
export interface ReplyDefinition extends MessageBase {
  readonly kind: 'reply' | 'error';
}

/** Tells the present state of something, by the key of its message; without a value the thing is gone. */
export interface StateDefinition extends MessageBase {
  readonly kind: 'state';
  readonly stateTopic: TopicKey;
}

/** Carries many requests of whatever types, or the answers to them, in one message. */
export interface BatchDefinition extends MessageBase {
  readonly kind: 'batch';
}

export type MessageDefinition =
  | RequestDefinition
  | CommandDefinition
  | ReplyDefinition
  | StateDefinition
  | BatchDefinition;

/** Full name of the record, and its subject in a registry (RecordNameStrategy). */
export function recordName(message: MessageDefinition): string {
  return `plat.${message.context}.v${message.version}.${message.type}`;
}
