import { AuthenticationError, NetworkError, ProtocolError, ResponseError } from '@platformatic/kafka';
import kafkajs from 'kafkajs';
import { describe, expect, test } from 'vitest';
import {
  brokerErrorType,
  isGenerationOver,
  isMaybeStored,
  refusedRecord,
  toMessagingError,
} from '../../../../shared/messaging/kafka/kafka-errors.ts';

const { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = kafkajs;

function protocolError(type: string, retriable = true) {
  return new KafkaJSProtocolError(Object.assign(new Error(type), { type, retriable, code: 0 }));
}

const disconnected = (code: string) => new KafkaJSConnectionError('gone', { broker: 'b', code });

function codeOf(error: unknown) {
  const { code, canRetry } = toMessagingError('call', error);
  return [code, canRetry];
}

const wrapped = (error: Error) => new KafkaJSNumberOfRetriesExceeded(error, { retryCount: 0, retryTime: 0 });

describe('classification of kafkajs errors', () => {
  test('finds the Kafka error name below the wrapper for exceeded retries', () => {
    const type = 'NOT_LEADER_FOR_PARTITION';
    expect(brokerErrorType(wrapped(protocolError(type)))).toBe(type);
  });

  test('treats three errors as the end of the generation, and a lost connection not', () => {
    for (const type of ['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])
      expect(isGenerationOver(protocolError(type, false))).toBe(true);
    expect(isGenerationOver(disconnected('ECONNRESET'))).toBe(false);
  });

  test.each<[string, boolean, (type: string) => Error]>([
    ['NOT_ENOUGH_REPLICAS', false, protocolError],
    ['TOPIC_AUTHORIZATION_FAILED', false, protocolError],
    ['CORRUPT_MESSAGE', false, protocolError],
    ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', true, protocolError],
    ['REQUEST_TIMED_OUT', true, protocolError],
    ['NOT_LEADER_FOR_PARTITION', true, protocolError],
    ['UNKNOWN_TOPIC_OR_PARTITION', true, protocolError],
    ['ECONNRESET', true, disconnected],
    // A refused connection may be that of a later query.
    ['ECONNREFUSED', true, disconnected],
  ])('reports records as possibly stored after %s: %s', (type, isPossible, errorOf) => {
    expect(isMaybeStored(wrapped(errorOf(type)))).toBe(isPossible);
  });

  test('maps errors of topics, permissions and connections to stable codes', () => {
    expect(codeOf(protocolError('UNKNOWN_TOPIC_OR_PARTITION'))).toEqual(['topic-unknown', false]);
    expect(codeOf(protocolError('GROUP_AUTHORIZATION_FAILED', false))).toEqual(['broker-refused', false]);
    const loginRefused = Object.assign(new Error('no'), { name: 'KafkaJSSASLAuthenticationError' });
    expect(codeOf(loginRefused)).toEqual(['broker-refused', false]);
    expect(codeOf(new Error('anything'))).toEqual(['broker-unavailable', true]);
  });

  test('rejects a record only for errors that concern the record', () => {
    expect(refusedRecord(protocolError('MESSAGE_TOO_LARGE', false))?.code).toBe('message-too-large');
    const invalid = refusedRecord(protocolError('INVALID_RECORD', false));
    expect(invalid).toMatchObject({ code: 'not-sent', canRetry: false });
    expect(refusedRecord(new TypeError('cannot be encoded'))?.code).toBe('not-sent');
    expect(refusedRecord(protocolError('NOT_ENOUGH_REPLICAS'))).toBeUndefined();
  });
});

function login(cause: Error): Error {
  const failed = new AuthenticationError('SASL authentication failed.', { cause });
  return new NetworkError('Connection to b:1 failed.', { cause: failed });
}

describe('classification of errors of @platformatic/kafka', () => {
  test('finds the Kafka error name in a response with errors, and names it in the text', () => {
    const error = new ResponseError(2, 6, { '/topics/0': [6, null] }, {});
    expect(brokerErrorType(error)).toBe('NOT_LEADER_OR_FOLLOWER');
    expect(toMessagingError('offsets', error).message).toMatch(/^offsets: .*\(NOT_LEADER_OR_FOLLOWER\)$/);
    expect(codeOf(new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION'))).toEqual(['topic-unknown', false]);
    expect(codeOf(new ProtocolError('GROUP_AUTHORIZATION_FAILED'))).toEqual(['broker-refused', false]);
  });

  test('treats a rejected login as a refusal, but not one that ended with its connection', () => {
    expect(codeOf(login(new ProtocolError('SASL_AUTHENTICATION_FAILED')))).toEqual(['broker-refused', false]);
    expect(codeOf(login(new NetworkError('Connection closed')))).toEqual(['broker-unavailable', true]);
  });
});
