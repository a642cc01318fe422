/** The messages of the engine: types, topics, headers, and how values are read and written. */
import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { ActionName } from '../actions.ts';
import { readWarnings, type AnswerWarning } from '../answer.ts';
import { EngineError, isProblem, problemText } from '../engine-error.ts';

interface RequestMessage {
  readonly type: string;
  readonly topic: string;
  /** The subject of its schema in a registry. */
  readonly subject: string;
}

/** The request message of each action; topics without prefix. */
export const REQUEST_MESSAGES: Readonly<Record<ActionName, RequestMessage>> = {
  calculateRepaymentSchedule: requestMessage('schedule', 'CalculateRepaymentScheduleRequest'),
  calculatePmt: requestMessage('schedule', 'CalculatePMTRequest'),
  calculateRate: requestMessage('schedule', 'CalculateRateRequest'),
  getBankingProductByCode: requestMessage('product', 'GetBankingProductByCodeRequest'),
  getBankingProductDetails: requestMessage('product', 'GetBankingProductDetailsRequest'),
  getProductInsuranceList: requestMessage('product', 'GetProductInsuranceListRequest'),
  getProductDocuments: requestMessage('product', 'GetProductDocumentsRequest'),
  simulate: requestMessage('simulation', 'SimulateRequest'),
};

/** Topics without prefix. */
export const CLIENT_TOPICS = {
  bulk: 'plat.schedule.requests.bulk.v1',
  sms: 'plat.notification.commands.sms.v1',
  smsUrgent: 'plat.notification.commands.sms.urgent.v1',
  email: 'plat.notification.commands.email.v1',
  emailUrgent: 'plat.notification.commands.email.urgent.v1',
  outcomes: 'plat.notification.outcomes.v1',
} as const;

export const MESSAGE_HEADER = {
  correlationId: 'kafka_correlationId',
  replyTopic: 'kafka_replyTopic',
  messageType: 'plat-message-type',
  deadline: 'plat-deadline',
  originTimestamp: 'plat-origin-timestamp',
  errorCode: 'plat-error-code',
  errorRetryable: 'plat-error-retryable',
  warnings: 'plat-warnings',
  holidayCalendar: 'plat-holiday-calendar',
} as const;

/** The part of `SchemaRegistry` of @kafkajs/confluent-schema-registry that Avro messages need. */
export interface AvroRegistry {
  getLatestSchemaId(subject: string): Promise<number>;
  encode(schemaId: number, record: unknown): Promise<Buffer>;
  decode(value: Buffer): Promise<unknown>;
}

/** How the values of messages are read. */
export interface ValueReader {
  readonly registry: AvroRegistry | undefined;
  readonly parseJson: (text: string) => unknown;
}

/** The text of a header; undefined if it is absent. */
export function textHeader(headers: IHeaders | undefined, name: string): string | undefined {
  const value = headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first?.toString();
}

/** What the headers of a reply say about it, over HTTP those of the answer. */
export function aboutReply(headers: IHeaders | undefined): {
  readonly warnings: readonly AnswerWarning[];
  readonly holidayCalendar: string | undefined;
} {
  return {
    warnings: readWarnings(textHeader(headers, MESSAGE_HEADER.warnings)),
    holidayCalendar: textHeader(headers, MESSAGE_HEADER.holidayCalendar),
  };
}

/** Reads the value of a message: Avro if its first byte is zero, else JSON. */
export async function readValue(
  value: Buffer | null,
  { registry, parseJson }: ValueReader,
): Promise<unknown> {
  if (value?.[0] !== 0) return parseJson(value?.toString('utf8') ?? '');
  if (registry === undefined) throw new Error('the message is in Avro, and the client has no registry');
  return registry.decode(value);
}

/** Reads a reply. Rejects with an {@link EngineError} if it is a problem or cannot be read. */
export async function readReplyValue(
  { headers, value }: KafkaMessage,
  { correlationId, reader }: { readonly correlationId: string; readonly reader: ValueReader },
): Promise<unknown> {
  const known = { correlationId, attempts: 1 };
  const read = await readValue(value, reader).catch((error: unknown) => {
    const text = `The reply cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new EngineError(text, { ...known, code: 'unreadable-answer', cause: error });
  });
  if (textHeader(headers, MESSAGE_HEADER.errorCode) === undefined) return read;
  // In Avro a field that does not apply is null.
  const body: unknown = Object.fromEntries(Object.entries(read ?? {}).filter(([, field]) => field !== null));
  if (!isProblem(body))
    throw new EngineError('The reply is no problem document', { ...known, code: 'unreadable-answer', body });
  throw new EngineError(problemText(body), { ...known, code: body.code, status: body.status, problem: body });
}

function requestMessage(context: string, type: string): RequestMessage {
  return { type, topic: `plat.${context}.requests.v1`, subject: `plat.${context}.v1.${type}` };
}
