import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import kafkajs, { type Kafka, type KafkaConfig } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { kafkajsClients } from '../../../../../../shared/messaging/kafka/kafkajs/connection/client.ts';
import type { KafkaSettings } from '../../../../../../shared/messaging/kafka/common/connection/settings.ts';

const created: KafkaConfig[] = [];

beforeEach(() => {
  created.length = 0;
  vi.spyOn(kafkajs, 'Kafka').mockImplementation(function Kafka(config) {
    created.push(config);
    return {} as Kafka;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

function createClient(settings: Partial<KafkaSettings> = {}) {
  kafkajsClients({ brokers: ['h:1'], ...settings })({ clientId: 'c', retry: { retries: 7 } });
  const config = created.at(-1);
  if (config === undefined) throw new Error('kafkajs was not called');
  return { config };
}

describe('kafkajsClients()', () => {
  test.each(['localhost', 'host:', ':9092', 'a:b:9092', 'host:9092 ', 'host:123456', ' host:9092'])(
    'rejects address "%s" and names the setting',
    (address) => {
      expect(() => kafkajsClients({ brokers: ['h:1', address] })).toThrow(
        `KAFKA_BROKERS: "${address}" does not have the form host:port`,
      );
    },
  );

  test('passes the time limits and the retries to kafkajs', () => {
    expect(createClient().config).toMatchObject({
      clientId: 'c',
      retry: { retries: 7 },
      connectionTimeout: 3_000,
      authenticationTimeout: 10_000,
      requestTimeout: 5_000,
      enforceRequestTimeout: true,
    });
    expect(createClient().config).not.toHaveProperty('ssl');
    expect(createClient().config).not.toHaveProperty('sasl');
  });

  test('passes the credentials to kafkajs', () => {
    const sasl = { mechanism: 'plain', username: 'u', password: 'p' } as const;
    expect(createClient({ sasl }).config.sasl).toEqual(sasl);
  });

  test('rotates the brokers at random and keeps their order', () => {
    const brokers = ['a:1', 'b:2', 'c:3'];
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(0.99);
    const orders = Array.from({ length: 3 }, () => createClient({ brokers }).config.brokers);
    expect(orders).toEqual([brokers, ['b:2', 'c:3', 'a:1'], ['c:3', 'a:1', 'b:2']]);
  });

  test('reads the given certificates', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'certificates-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [caFile, certFile, keyFile] = ['ca', 'cert', 'key'].map((name) => {
      const file = path.join(folder, name);
      writeFileSync(file, `the ${name}`);
      return file;
    });
    expect(createClient({ ssl: { caFile, certFile, keyFile } }).config.ssl).toEqual({
      ca: 'the ca',
      cert: 'the cert',
      key: 'the key',
    });
    expect(createClient({ ssl: {} }).config.ssl).toEqual({});
  });

  test.each([
    ['KAFKA_SSL_CA_FILE', { caFile: '/missing.pem' }],
    ['KAFKA_SSL_CERT_FILE', { certFile: '/missing.pem' }],
    ['KAFKA_SSL_KEY_FILE', { keyFile: '/missing.pem' }],
  ])('rejects an unreadable file of %s', (setting, ssl) => {
    expect(() => kafkajsClients({ brokers: ['h:1'], ssl })).toThrow(`${setting}: the file cannot be read`);
  });
});
