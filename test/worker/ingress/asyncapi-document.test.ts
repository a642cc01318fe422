import { Parser } from '@asyncapi/parser';
import avro, { type Schema } from 'avsc';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MESSAGES } from '../../../schemas/catalogue.ts';
import { ACTIONS } from '../../../shared/contract/actions.ts';
import { asyncApiDocument } from '../../../shared/contract/documents/asyncapi-document.ts';
import { NOTIFICATIONS } from '../../../shared/contract/notifications.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { topicName } from '../../../shared/messaging/topic-names.ts';

const AVRO = 'application/vnd.apache.avro;version=1.9.0';
/** The parser compiles every schema of the standard first, which takes seconds on a busy machine. */
const PARSER_TIMEOUT_MS = 30_000;
const ERROR = 0;
const WARNING = 1;
const document = asyncApiDocument({ version: '1.2.3', topicPrefix: 'test.', broker: 'broker:9092' });
const severityOf = (diagnostic: { readonly severity: number }) => diagnostic.severity;
type Parsed = Awaited<ReturnType<Parser['parse']>>;

function parse(value: unknown): Promise<Parsed> {
  const parser = new Parser();
  parser.registerSchemaParser({
    getMimeTypes: () => [AVRO],
    validate: ({ data, path }) => {
      try {
        avro.Type.forSchema(data as Schema);
        return [];
      } catch (error) {
        return [{ message: String(error), path: [...path] }];
      }
    },
    parse: ({ data }) => data as object,
  });
  return parser.parse(JSON.stringify(value));
}

describe('the document', () => {
  let parsed: Parsed;
  beforeAll(async () => {
    parsed = await parse(document);
  }, PARSER_TIMEOUT_MS);

  test('is valid AsyncAPI 3.0, its Avro schemas and examples included', () => {
    const troubles = parsed.diagnostics.filter((diagnostic) => severityOf(diagnostic) <= WARNING);
    expect(troubles.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual([]);
    expect(parsed.document?.version()).toBe('3.0.0');
  });

  test('has the request topics of every action as channels, with their prefix', () => {
    const addresses = parsed.document
      ?.channels()
      .all()
      .map((channel) => channel.address());
    const topics = ACTIONS.flatMap(({ topic, bulkTopic }) =>
      bulkTopic === undefined ? [topic] : [topic, bulkTopic],
    );
    expect(addresses).toEqual(expect.arrayContaining(topics.map((topic) => topicName('test.', topic))));
  });

  test('has the topics of the notifications as channels, with their prefix', () => {
    const addresses = parsed.document
      ?.channels()
      .all()
      .map((channel) => channel.address());
    const topics = [
      'smsCommands',
      'emailCommands',
      'notificationAcceptances',
      'notificationOutcomes',
    ] as const;
    expect(addresses).toEqual(expect.arrayContaining(topics.map((topic) => topicName('test.', topic))));
  });

  test('has every message of the catalogue in Avro and in JSON', () => {
    const messages = parsed.document?.components().messages().all() ?? [];
    const found = messages.map((message) => `${message.name()} ${message.contentType()}`);
    const expected = MESSAGES.flatMap(({ type }) => [
      `${type} application/vnd.apache.avro`,
      `${type} application/json`,
    ]);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  test('lists the holiday calendar with replies that may tell one only', () => {
    const messages = parsed.document?.components().messages().all() ?? [];
    const telling = messages
      .filter((message) => HEADER.holidayCalendar in (message.headers()?.properties() ?? {}))
      .map((message) => message.id());
    expect(telling.toSorted()).toEqual([
      'CalculateRepaymentScheduleReply.avro',
      'CalculateRepaymentScheduleReply.json',
    ]);
  });

  test('has several requests in one message, and their answers, on the bulk channel only', () => {
    const ofChannel = (topic: 'scheduleRequests' | 'scheduleBulkRequests') =>
      parsed.document
        ?.channels()
        .all()
        .find((channel) => channel.address() === topicName('test.', topic))
        ?.messages()
        .all()
        .map((message) => message.id());
    expect(ofChannel('scheduleBulkRequests')).toEqual(
      expect.arrayContaining(['RequestBatch.avro', 'RequestBatch.json']),
    );
    expect(ofChannel('scheduleRequests')).not.toContain('RequestBatch.json');
    const bulk = parsed.document?.operations().get('PLAT_BP_CalculatePMT_Bulk');
    const replies = bulk?.reply()?.messages().all();
    expect(replies?.map((message) => message.id())).toContain('ReplyBatch.json');
  });

  test('tells where replies go and how they are matched', () => {
    const operations = parsed.document?.operations().all() ?? [];
    const withBulk = ACTIONS.filter(({ bulkTopic }) => bulkTopic !== undefined);
    expect(operations).toHaveLength(ACTIONS.length + withBulk.length + NOTIFICATIONS.length);
    for (const operation of operations) {
      expect(operation.reply()?.address()?.location()).toBe(`$message.header#/${HEADER.replyTopic}`);
      const [request] = operation.messages().all();
      expect(request?.correlationId()?.location()).toBe(`$message.header#/${HEADER.correlationId}`);
      expect(Object.keys(request?.headers()?.properties() ?? {})).toContain(HEADER.replyTopic);
    }
  });
});

interface JsonMessage {
  readonly payload: { readonly schema: z.core.JSONSchema.BaseSchema };
  readonly examples?: readonly { readonly payload: unknown }[];
}

test('the examples of JSON messages fit their schemas, and a wrong one would not', () => {
  const { messages } = document['components'] as { messages: Readonly<Record<string, JsonMessage>> };
  const withExamples = Object.values(messages).filter(({ examples }) => examples !== undefined);
  expect(withExamples).toHaveLength(MESSAGES.length);
  for (const { payload, examples = [] } of withExamples) {
    const schema = z.fromJSONSchema(payload.schema);
    for (const example of examples)
      expect(schema.safeParse(example.payload)).toMatchObject({ success: true });
    expect(schema.safeParse({ jsonParam: { Amount: '100' }, productCode: 100 }).success).toBe(false);
  }
});

test(
  'a broken Avro schema would be found',
  async () => {
    const text = JSON.stringify(document).replaceAll(
      '"logicalType":"date"',
      '"logicalType":"date","type":"none"',
    );
    const { diagnostics } = await parse(JSON.parse(text));
    expect(diagnostics.some((diagnostic) => severityOf(diagnostic) === ERROR)).toBe(true);
  },
  PARSER_TIMEOUT_MS,
);
