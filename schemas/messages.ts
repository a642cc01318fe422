/** Topics of requests, commands and state, by their keys in shared/messaging/topics/topics.ts. */
export type MessageTopic =
  | 'catalogueRecords'
  | 'emailCommands'
  | 'notificationAcceptances'
  | 'notificationOutcomes'
  | 'productRequests'
  | 'scheduleBulkRequests'
  | 'scheduleRequests'
  | 'simulationRequests'
  | 'smsCommands';

/** The common part of all message definitions. */
interface MessageBase {
  /** Record name of the Avro schema and value of header plat-message-type; unique among the messages. */
  readonly type: string;
  /** Folder of the schema and second part of its namespace. */
  readonly context: string;
  /** Incremented by an incompatible change; every version is a separate message. */
  readonly version: number;
  /**
   * Schema id on the wire without a registry. Every change of a schema takes the next free id, and ids are never reused, so
   * that a message stays readable during its whole retention.
   */
  readonly localSchemaId: number;
}

/** Requests an answer from a worker. */
export interface RequestDefinition extends MessageBase {
  readonly kind: 'request';
  /** Type of its reply; a refusal is replied to with the only type of kind `error`. */
  readonly replyType: string;
  readonly requestTopic: MessageTopic;
  /** Separate topic for bulk traffic. */
  readonly bulkRequestTopic?: MessageTopic;
}

/** Orders a worker to do something; only a refusal is replied to, with the only type of kind `error`. */
export interface CommandDefinition extends MessageBase {
  readonly kind: 'command';
  readonly commandTopic: MessageTopic;
}

/** The reply to a request. */
export interface ReplyDefinition extends MessageBase {
  readonly kind: 'reply' | 'error';
}

/** Reports the present state of something, by the key of its message; a message without a value deletes it. */
export interface StateDefinition extends MessageBase {
  readonly kind: 'state';
  readonly stateTopic: MessageTopic;
}

/** Many requests of any types, or their replies, in one message. */
export interface BatchDefinition extends MessageBase {
  readonly kind: 'batch';
}

export type MessageDefinition =
  | RequestDefinition
  | CommandDefinition
  | ReplyDefinition
  | StateDefinition
  | BatchDefinition;

/** First schema id of the range without a registry; registries count from 1 and never reach it. */
export const FIRST_LOCAL_SCHEMA_ID = 2 ** 30;

/** All messages. */
export const MESSAGES: readonly MessageDefinition[] = [
  {
    type: 'CalculateRepaymentScheduleRequest',
    context: 'schedule',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID,
    replyType: 'CalculateRepaymentScheduleReply',
    requestTopic: 'scheduleRequests',
    bulkRequestTopic: 'scheduleBulkRequests',
  },
  {
    type: 'CalculateRepaymentScheduleReply',
    context: 'schedule',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 21,
  },
  {
    type: 'CalculatePMTRequest',
    context: 'schedule',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 3,
    replyType: 'CalculatePMTReply',
    requestTopic: 'scheduleRequests',
    bulkRequestTopic: 'scheduleBulkRequests',
  },
  {
    type: 'CalculatePMTReply',
    context: 'schedule',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 4,
  },
  {
    type: 'CalculateRateRequest',
    context: 'schedule',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 5,
    replyType: 'CalculateRateReply',
    requestTopic: 'scheduleRequests',
    bulkRequestTopic: 'scheduleBulkRequests',
  },
  {
    type: 'CalculateRateReply',
    context: 'schedule',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 6,
  },
  {
    type: 'GetBankingProductByCodeRequest',
    context: 'product',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 40,
    replyType: 'GetBankingProductByCodeReply',
    requestTopic: 'productRequests',
  },
  {
    type: 'GetBankingProductByCodeReply',
    context: 'product',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 41,
  },
  {
    type: 'GetBankingProductDetailsRequest',
    context: 'product',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 42,
    replyType: 'GetBankingProductDetailsReply',
    requestTopic: 'productRequests',
  },
  {
    type: 'GetBankingProductDetailsReply',
    context: 'product',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 43,
  },
  {
    type: 'GetProductInsuranceListRequest',
    context: 'product',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 44,
    replyType: 'GetProductInsuranceListReply',
    requestTopic: 'productRequests',
  },
  {
    type: 'GetProductInsuranceListReply',
    context: 'product',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 45,
  },
  {
    type: 'GetProductDocumentsRequest',
    context: 'product',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 46,
    replyType: 'GetProductDocumentsReply',
    requestTopic: 'productRequests',
  },
  {
    type: 'GetProductDocumentsReply',
    context: 'product',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 47,
  },
  {
    type: 'SimulateRequest',
    context: 'simulation',
    version: 1,
    kind: 'request',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 60,
    replyType: 'SimulateReply',
    requestTopic: 'simulationRequests',
  },
  {
    type: 'SimulateReply',
    context: 'simulation',
    version: 1,
    kind: 'reply',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 61,
  },
  {
    type: 'ProblemReply',
    context: 'common',
    version: 1,
    kind: 'error',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 2,
  },
  {
    type: 'RequestBatch',
    context: 'common',
    version: 1,
    kind: 'batch',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 120,
  },
  {
    type: 'ReplyBatch',
    context: 'common',
    version: 1,
    kind: 'batch',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 121,
  },
  {
    type: 'SendSmsCommand',
    context: 'notification',
    version: 1,
    kind: 'command',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 100,
    commandTopic: 'smsCommands',
  },
  {
    type: 'SendEmailCommand',
    context: 'notification',
    version: 1,
    kind: 'command',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 101,
    commandTopic: 'emailCommands',
  },
  {
    type: 'NotificationAcceptance',
    context: 'notification',
    version: 1,
    kind: 'state',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 111,
    stateTopic: 'notificationAcceptances',
  },
  {
    type: 'CatalogueRecord',
    context: 'catalogue',
    version: 1,
    kind: 'state',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 80,
    stateTopic: 'catalogueRecords',
  },
  {
    type: 'NotificationState',
    context: 'notification',
    version: 1,
    kind: 'state',
    localSchemaId: FIRST_LOCAL_SCHEMA_ID + 112,
    stateTopic: 'notificationOutcomes',
  },
];

/** Type of every refusal and failure; its payload is a Problem. */
export const PROBLEM_TYPE = 'ProblemReply';

const BY_TYPE: ReadonlyMap<string, MessageDefinition> = new Map(
  MESSAGES.map((message) => [message.type, message]),
);

/** The definition of a type; undefined when no message has that type. */
export function messageDefinition(type: string): MessageDefinition | undefined {
  return BY_TYPE.get(type);
}

/** Full name of the record, and its subject in a registry (RecordNameStrategy). */
export function recordName(message: MessageDefinition): string {
  return `plat.${message.context}.v${message.version}.${message.type}`;
}
