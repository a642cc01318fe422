/** Keys of the topics for requests, commands and state in shared/messaging/topics/topic-list.ts. */
export type MessageTopic =
  | 'catalogueRecords'
  | 'emailCommands'
  | 'emailUrgentCommands'
  | 'notificationAcceptances'
  | 'notificationOutcomes'
  | 'productRequests'
  | 'scheduleBulkRequests'
  | 'scheduleRequests'
  | 'simulationRequests'
  | 'smsCommands'
  | 'smsUrgentCommands'
  | 'verificationRequests';

interface MessageBase {
  /** Record name of the Avro schema, unique among the messages, and value of header plat-message-type. */
  readonly type: string;
  /** Folder of the schema and second part of its namespace. */
  readonly context: string;
  /** Incremented by an incompatible change. Every version is a separate message. */
  readonly version: number;
  /** Schema id that is used without a registry. Every change to a schema takes the next free id; no id is reused. */
  readonly localSchemaId: number;
}

interface RequestDefinition extends MessageBase {
  readonly kind: 'request';
  /** Type of the reply, unless the request is refused or fails: then it is PROBLEM_TYPE. */
  readonly replyType: string;
  readonly requestTopic: MessageTopic;
  readonly bulkRequestTopic?: MessageTopic;
}

/** Tells a worker to do something. Only a refused command gets a reply, of type PROBLEM_TYPE. */
interface CommandDefinition extends MessageBase {
  readonly kind: 'command';
  readonly commandTopic: MessageTopic;
  readonly urgentCommandTopic: MessageTopic;
}

interface ReplyDefinition extends MessageBase {
  readonly kind: 'reply' | 'error';
}

/** Contains the current state of what the message key identifies. A message without a value deletes that state. */
interface StateDefinition extends MessageBase {
  readonly kind: 'state';
  readonly stateTopic: MessageTopic;
}

interface BatchDefinition extends MessageBase {
  readonly kind: 'batch';
}

export type MessageDefinition =
  | RequestDefinition
  | CommandDefinition
  | ReplyDefinition
  | StateDefinition
  | BatchDefinition;

/** First schema id used without a registry. Registries count from 1 and never reach it. */
export const FIRST_LOCAL_SCHEMA_ID = 2 ** 30;

type Topics = Pick<RequestDefinition, 'requestTopic' | 'bulkRequestTopic'>;

const SCHEDULE: Topics = { requestTopic: 'scheduleRequests', bulkRequestTopic: 'scheduleBulkRequests' };
const PRODUCT: Topics = { requestTopic: 'productRequests' };
const SIMULATION: Topics = { requestTopic: 'simulationRequests' };

const VERIFICATION_REPLY = 'VerificationReply';

/** All messages. The numbers are the local schema ids, counted from {@link FIRST_LOCAL_SCHEMA_ID}. */
export const MESSAGES: readonly MessageDefinition[] = [
  ...requestAndReply('schedule', 'CalculateRepaymentSchedule', [67, 66], SCHEDULE),
  ...requestAndReply('schedule', 'CalculatePMT', [3, 4], SCHEDULE),
  ...requestAndReply('schedule', 'CalculateRate', [5, 6], SCHEDULE),
  ...requestAndReply('product', 'GetBankingProductByCode', [40, 41], PRODUCT),
  ...requestAndReply('product', 'GetBankingProductDetails', [42, 43], PRODUCT),
  ...requestAndReply('product', 'GetProductInsuranceList', [44, 45], PRODUCT),
  ...requestAndReply('product', 'GetProductDocuments', [46, 47], PRODUCT),
  ...requestAndReply('product', 'GetProductList', [48, 49], PRODUCT),
  ...requestAndReply('product', 'GetSimulationOptions', [50, 51], PRODUCT),
  ...requestAndReply('product', 'GetReferenceLists', [36, 37], PRODUCT),
  ...requestAndReply('simulation', 'Simulate', [25, 24], SIMULATION),
  ...requestAndReply('simulation', 'CreateOfferDocument', [76, 77], SIMULATION),
  { ...firstVersion('common', 'ProblemReply', 2), kind: 'error' },
  { ...firstVersion('common', 'RequestBatch', 120), kind: 'batch' },
  { ...firstVersion('common', 'ReplyBatch', 121), kind: 'batch' },
  {
    ...firstVersion('notification', 'SendSmsCommand', 102),
    kind: 'command',
    commandTopic: 'smsCommands',
    urgentCommandTopic: 'smsUrgentCommands',
  },
  {
    ...firstVersion('notification', 'SendEmailCommand', 103),
    kind: 'command',
    commandTopic: 'emailCommands',
    urgentCommandTopic: 'emailUrgentCommands',
  },
  {
    ...firstVersion('notification', 'NotificationAcceptance', 113),
    kind: 'state',
    stateTopic: 'notificationAcceptances',
  },
  { ...firstVersion('catalogue', 'CatalogueRecord', 80), kind: 'state', stateTopic: 'catalogueRecords' },
  ...['Start', 'Check', 'Resend', 'Get', 'Cancel'].map((name, index): RequestDefinition => ({
    ...firstVersion('notification', `${name}VerificationRequest`, 130 + index),
    kind: 'request',
    replyType: VERIFICATION_REPLY,
    requestTopic: 'verificationRequests',
  })),
  { ...firstVersion('notification', VERIFICATION_REPLY, 135), kind: 'reply' },
  {
    ...firstVersion('notification', 'NotificationState', 114),
    kind: 'state',
    stateTopic: 'notificationOutcomes',
  },
];

function firstVersion(context: string, type: string, id: number): MessageBase {
  return { type, context, version: 1, localSchemaId: FIRST_LOCAL_SCHEMA_ID + id };
}

function requestAndReply(
  context: string,
  name: string,
  [requestId, replyId]: readonly [number, number],
  topics: Topics,
): readonly [RequestDefinition, ReplyDefinition] {
  const replyType = `${name}Reply`;
  return [
    { ...firstVersion(context, `${name}Request`, requestId), kind: 'request', replyType, ...topics },
    { ...firstVersion(context, replyType, replyId), kind: 'reply' },
  ];
}

/** Type of every reply to a request or command that is refused or fails. Its payload is a Problem. */
export const PROBLEM_TYPE = 'ProblemReply';

const BY_TYPE: ReadonlyMap<string, MessageDefinition> = new Map(
  MESSAGES.map((message) => [message.type, message]),
);

export function messageDefinition(type: string): MessageDefinition | undefined {
  return BY_TYPE.get(type);
}

/** Full name of the record, and its subject in a registry (RecordNameStrategy). */
export function recordName(message: MessageDefinition): string {
  return `plat.${message.context}.v${message.version}.${message.type}`;
}
