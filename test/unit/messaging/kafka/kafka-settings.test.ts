import { expect, onTestFinished, test, vi } from 'vitest';
import { kafkajsClients } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import { rotateRandomly } from '../../../../shared/messaging/kafka/kafka-settings.ts';

const MALFORMED = ['localhost', 'host:', ':9092', 'a:b:9092', 'host:9092 ', 'host:123456', ' host:9092'];
test.each(MALFORMED)('rejects address "%s" and names the setting', (address) => {
  const text = `KAFKA_BROKERS: "${address}" does not have the form host:port`;
  expect(() => kafkajsClients({ brokers: ['h:1', address] })).toThrow(text);
});

test.each(['ca', 'cert', 'key'])('rejects an unreadable file of KAFKA_SSL_*_FILE: %s', (name) => {
  const ssl = { [`${name}File`]: '/missing.pem' };
  const text = `KAFKA_SSL_${name.toUpperCase()}_FILE: the file cannot be read`;
  expect(() => kafkajsClients({ brokers: ['h:1'], ssl })).toThrow(text);
});

test('rotates the brokers at random and keeps their order', () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const brokers = ['a:1', 'b:2', 'c:3'];
  vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(0.99);
  const orders = Array.from({ length: 3 }, () => rotateRandomly(brokers));
  expect(orders).toEqual([brokers, ['b:2', 'c:3', 'a:1'], ['c:3', 'a:1', 'b:2']]);
});
