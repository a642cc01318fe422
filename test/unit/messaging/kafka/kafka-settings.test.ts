import { expect, onTestFinished, test, vi } from 'vitest';
import { kafkajsClients } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import { rotateRandomly } from '../../../../shared/messaging/kafka/kafka-settings.ts';

test.each(['localhost', 'host:', ':9092', 'a:b:9092', 'host:9092 ', 'host:123456', ' host:9092'])(
  'rejects address "%s" and names the setting',
  (address) => {
    expect(() => kafkajsClients({ brokers: ['h:1', address] })).toThrow(
      `KAFKA_BROKERS: "${address}" does not have the form host:port`,
    );
  },
);

test.each([
  ['KAFKA_SSL_CA_FILE', { caFile: '/missing.pem' }],
  ['KAFKA_SSL_CERT_FILE', { certFile: '/missing.pem' }],
  ['KAFKA_SSL_KEY_FILE', { keyFile: '/missing.pem' }],
])('rejects an unreadable file of %s', (setting, ssl) => {
  expect(() => kafkajsClients({ brokers: ['h:1'], ssl })).toThrow(`${setting}: the file cannot be read`);
});

test('rotates the brokers at random and keeps their order', () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const brokers = ['a:1', 'b:2', 'c:3'];
  vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(0.99);
  const orders = Array.from({ length: 3 }, () => rotateRandomly(brokers));
  expect(orders).toEqual([brokers, ['b:2', 'c:3', 'a:1'], ['c:3', 'a:1', 'b:2']]);
});
