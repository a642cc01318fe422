import type { KafkaMessage } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { recordName, messageDefinition, MESSAGES } from '../../../schemas/messages.ts';
import { ACTION_NAMES, type ActionName } from '../../../shared/client/actions.ts';
import { decimalBytes, decimalText } from '../../../shared/client/kafka/decimals.ts';
import {
  CLIENT_TOPICS,
  MESSAGE_HEADER,
  readReplyValue,
  REQUEST_MESSAGES,
} from '../../../shared/client/kafka/messages.ts';
import { findAction } from '../../../shared/contract/actions/actions.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { createProblem } from '../../../shared/platform/problem.ts';

const parseJson = (text: string): unknown => JSON.parse(text);
const replyWith = (value: Buffer | string, headers: Record<string, string> = {}): KafkaMessage => ({
  key: null,
  value: Buffer.from(value),
  headers,
  timestamp: '0',
  attributes: 0,
  offset: '0',
});

const read = (one: KafkaMessage, records?: Record<number, unknown>) =>
  readReplyValue(one, {
    correlationId: 'loan-4711',
    reader: {
      parseJson,
      registry: records && {
        getLatestSchemaId: async () => 1,
        encode: async () => Buffer.of(0),
        decode: async (value) => records[value[4] ?? -1],
      },
    },
  });

describe('the messages of the client', () => {
  it.each(Object.keys(ACTION_NAMES) as ActionName[])('has type, topic and subject of %s', (name) => {
    const action = findAction(ACTION_NAMES[name])!;
    expect(REQUEST_MESSAGES[name]).toEqual({
      type: action.requestType,
      topic: TOPIC[action.topic],
      subject: recordName(messageDefinition(action.requestType)!),
    });
  });

  it('has the topics and headers of the engine', () => {
    const commands = MESSAGES.flatMap((message) =>
      message.kind === 'command' ? [message.commandTopic, message.urgentCommandTopic] : [],
    );
    const topics = ['scheduleBulkRequests', ...commands, 'notificationOutcomes'] as const;
    expect(Object.values(CLIENT_TOPICS)).toEqual(topics.map((topic) => TOPIC[topic]));
    for (const name of Object.keys(MESSAGE_HEADER) as (keyof typeof MESSAGE_HEADER)[]) {
      expect(MESSAGE_HEADER[name]).toBe(HEADER[name]);
    }
  });
});

describe('reading a reply', () => {
  it('returns JSON, and records of the registry', async () => {
    expect(await read(replyWith('{"PMTValue":256.28}'))).toEqual({ PMTValue: 256.28 });
    expect(await read(replyWith(Buffer.of(0, 0, 0, 0, 7)), { 7: { PMTValue: 1 } })).toEqual({ PMTValue: 1 });
  });

  it('rejects with a problem in JSON or Avro', async () => {
    const problem = createProblem('not-computable', {
      errors: [{ path: 'jsonParam.Amount', code: 'out-of-range', message: 'must be above zero' }],
    });
    const headers = { [HEADER.errorCode]: 'not-computable' };
    const expected = {
      code: 'not-computable',
      status: 422,
      faults: problem.errors,
      correlationId: 'loan-4711',
    };
    await expect(read(replyWith(JSON.stringify(problem), headers))).rejects.toMatchObject(expected);
    const record = { ...problem, detail: null, instance: null, correlationId: null };
    await expect(read(replyWith(Buffer.of(0, 0, 0, 0, 7), headers), { 7: record })).rejects.toMatchObject(
      expected,
    );
  });

  it.each([
    ['what is neither JSON nor Avro', replyWith('{')],
    ['Avro without a registry', replyWith(Buffer.of(0, 0, 0, 0, 7))],
    ['an error without a problem', replyWith('{}', { [HEADER.errorCode]: 'unexpected' })],
  ])('reports %s as unreadable', async (_, one) => {
    await expect(read(one)).rejects.toMatchObject({ code: 'unreadable-answer' });
  });
});

describe('decimals of Avro', () => {
  it.each([
    ['0.00', 2, '00'],
    ['1.27', 2, '7f'],
    ['1.28', 2, '0080'],
    ['-1.28', 2, '80'],
    ['-1.29', 2, 'ff7f'],
    ['100', 0, '64'],
    ['12345678901234567890.12', 2, '42ed123b0bd8203a14'],
  ])('writes and reads %s with scale %d', (text, scale, hex) => {
    expect(decimalBytes(text, scale).toString('hex')).toBe(hex);
    expect(decimalText(Buffer.from(hex, 'hex'), scale)).toBe(text);
  });

  it('refuses more decimals than the scale, and other text', () => {
    for (const text of ['1.005', '1e3', '', '1.']) expect(() => decimalBytes(text, 2)).toThrow(RangeError);
  });
});
