import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import kafkajs from 'kafkajs';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  brokerErrorType,
  isGenerationOver,
  isMaybeStored,
  refusedRecord,
  toMessagingError,
} from '../../../../../shared/messaging/kafka/connection/errors.ts';
import { kafkaClients } from '../../../../../shared/messaging/kafka/connection/client.ts';
import { silentLog } from '../../../../../shared/platform/log.ts';

const { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = kafkajs;

function protocolError(type: string, retriable = true) {
  return new KafkaJSProtocolError(Object.assign(new Error(type), { type, retriable, code: 0 }));
}

function codeOf(error: unknown) {
  const { code, canRetry } = toMessagingError('call', error);
  return [code, canRetry];
}

function wrapped(error: Error) {
  return new KafkaJSNumberOfRetriesExceeded(error, { retryCount: 0, retryTime: 0 });
}

describe('errors of kafkajs', () => {
  test('the type of the broker is found below the wrapper of exceeded retries', () => {
    expect(brokerErrorType(wrapped(protocolError('NOT_LEADER_FOR_PARTITION')))).toBe(
      'NOT_LEADER_FOR_PARTITION',
    );
  });

  test.each(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])(
    '%s ends the generation',
    (type) => {
      expect(isGenerationOver(protocolError(type, false))).toBe(true);
    },
  );

  test('a lost connection does not end the generation', () => {
    expect(isGenerationOver(new KafkaJSConnectionError('gone', { broker: 'b', code: 'ECONNRESET' }))).toBe(
      false,
    );
  });

  test('nothing is stored when no connection could be made; a connection that broke leaves it open', () => {
    const refused = new KafkaJSConnectionError('no', { broker: 'b', code: 'ECONNREFUSED' });
    const reset = new KafkaJSConnectionError('gone', { broker: 'b', code: 'ECONNRESET' });
    expect(isMaybeStored('lost', wrapped(refused))).toBe(false);
    expect(isMaybeStored('lost', wrapped(reset))).toBe(true);
    for (const fate of ['not-asked', 'left-out', 'unwritable'] as const) {
      expect(isMaybeStored(fate, wrapped(reset))).toBe(false);
    }
  });

  test.each([
    ['NOT_ENOUGH_REPLICAS', false],
    ['TOPIC_AUTHORIZATION_FAILED', false],
    ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', true],
    ['REQUEST_TIMED_OUT', true],
    ['NOT_LEADER_FOR_PARTITION', true],
    ['UNKNOWN_TOPIC_OR_PARTITION', true],
  ])('a leader that answers %s may have stored the records: %s', (type, isMaybe) => {
    expect(isMaybeStored('answered', protocolError(type))).toBe(isMaybe);
    expect(isMaybeStored('lost', wrapped(protocolError(type)))).toBe(true);
  });

  test('what the broker says of a topic, of permissions and of itself become stable codes', () => {
    expect(codeOf(protocolError('UNKNOWN_TOPIC_OR_PARTITION'))).toEqual(['topic-unknown', false]);
    expect(codeOf(protocolError('GROUP_AUTHORIZATION_FAILED', false))).toEqual(['broker-refused', false]);
    expect(codeOf(new Error('anything'))).toEqual(['broker-unavailable', true]);
  });

  test('only an answer about a record refuses it; all else is repeated', () => {
    expect(refusedRecord(protocolError('MESSAGE_TOO_LARGE', false))?.code).toBe('message-too-large');
    expect(refusedRecord(protocolError('INVALID_RECORD', false))).toMatchObject({
      code: 'not-sent',
      canRetry: false,
    });
    expect(refusedRecord(new TypeError('cannot be encoded'))?.code).toBe('not-sent');
    expect(refusedRecord(protocolError('NOT_ENOUGH_REPLICAS'))).toBeUndefined();
  });
});

describe('settings of the Kafka client', () => {
  test.each(['localhost', 'host:', ':9092', 'a:b:9092', 'host:9092 '])(
    'address "%s" is refused by name',
    (address) => {
      expect(() => kafkaClients({ brokers: [address] }, silentLog)).toThrow(/KAFKA_BROKERS.*host:port/);
    },
  );

  test('clients do not all begin with the same broker, which may be frozen', async () => {
    const first: number[] = [];
    const servers = [0, 1].map((index) =>
      createServer((socket) => {
        first.push(index);
        socket.destroy();
      }).listen(0, '127.0.0.1'),
    );
    onTestFinished(() => servers.forEach((server) => server.close()));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const brokers = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
    const createClient = kafkaClients({ brokers }, silentLog);
    for (let client = 0; client < 24; client += 1) {
      const { kafka } = createClient({ clientId: 'test', retry: { retries: 0 } });
      await kafka
        .admin()
        .connect()
        .catch(() => undefined);
    }
    expect(new Set(first)).toEqual(new Set([0, 1]));
  });

  test('a certificate that cannot be read is refused by the name of its setting', () => {
    const ssl = { caFile: '/nowhere/ca.pem' };
    expect(() => kafkaClients({ brokers: ['h:1'], ssl }, silentLog)).toThrow(/KAFKA_SSL_CA_FILE/);
  });
});
