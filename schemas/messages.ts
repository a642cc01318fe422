import type { MessageDefinition } from './message-definition.ts';

/** First schema id of the range that needs no registry; registries count from 1 and never come near it. */
export const FIRST_LOCAL_SCHEMA_ID = 2 ** 30;

/** The one catalogue of messages. */
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

/** The definition of a type; undefined when the catalogue has none. */
export function messageDefinition(type: string): MessageDefinition | undefined {
  return BY_TYPE.get(type);
}
