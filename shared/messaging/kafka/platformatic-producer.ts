import { isIP } from 'node:net';
import { parseBroker, ProduceAcks, Producer, type Broker, type SASLOptions } from '@platformatic/kafka';
import { NO_HEADER_VALUE, valuesOf } from '../headers.ts';
import { partitionId } from '../message.ts';
import {
  checkAddress,
  createTokenProvider,
  LIMITS,
  readCertificates,
  rotateRandomly,
} from './kafka-settings.ts';
import type { KafkaSettings } from './kafka-settings.ts';
import { ACKS_TIMEOUT_MS, checkConfirmed, isLarge } from './kafka-publisher.ts';
import type { ConnectProducer, OutgoingRecord } from './kafka-publisher.ts';

/** Sends each topic on its own: with several, the library throws a TypeError if it has lost the metadata of one. */
export function platformaticProducers(settings: KafkaSettings): ConnectProducer {
  const brokers = settings.brokers.map((address) => parseBroker(checkAddress(address)));
  const security = securityOptions(settings, brokers);
  return async (clientId) => {
    const producer = new Producer({
      clientId,
      // The library keeps asking the first broker, even if that accepts connections but never answers.
      bootstrapBrokers: rotateRandomly(brokers),
      requestTimeout: LIMITS.requestMs,
      ...security,
      idempotent: false,
      retries: 0,
      // Otherwise the library forgets the metadata of all topics, and crashes in a send that waits for another topic.
      repeatOnStaleMetadata: false,
      timeout: ACKS_TIMEOUT_MS,
    });
    // Errors of a connection also reject its pending calls. Without a listener, a second error would end the process.
    producer.connections.on('connecting', ({ connection }) => connection.on('error', () => undefined));
    const destroy = () => {
      for (const [, connection] of producer.connections) connection.socket?.destroy();
      producer.close().catch(() => undefined);
    };
    try {
      await producer.metadata({ topics: [], forceUpdate: true });
    } catch (error) {
      destroy();
      throw error;
    }
    return {
      send: async (records) => {
        const compression = isLarge(records) ? 'gzip' : 'none';
        const sends = [...Map.groupBy(records, ({ topic }) => topic).values()].map((own) =>
          producer.send({ messages: own.map(toMessage), acks: ProduceAcks.ALL, compression }),
        );
        const confirmed: string[] = [];
        for (const end of await Promise.allSettled(sends)) {
          if (end.status === 'rejected') throw end.reason;
          for (const { topic, partition } of end.value.offsets ?? [])
            confirmed.push(partitionId(topic, partition));
        }
        // The library writes to another partition if its metadata lacks the chosen one.
        checkConfirmed(records, confirmed);
      },
      destroy,
    };
  };
}

function securityOptions({ ssl, sasl }: KafkaSettings, brokers: readonly Broker[]) {
  // An IP address must not be sent as a server name (RFC 6066).
  const tlsServerName = brokers.every(({ host }) => isIP(host) === 0);
  const tls = ssl === undefined ? {} : { tls: readCertificates(ssl), tlsServerName };
  if (sasl === undefined) return { connectTimeout: LIMITS.connectMs, ...tls };
  const { username, password } = sasl;
  const mechanism = sasl.mechanism.toUpperCase() as SASLOptions['mechanism'];
  const token = createTokenProvider(sasl);
  return { connectTimeout: LIMITS.loginMs, ...tls, sasl: { mechanism, username, password, token } };
}

/** Gives each value of a repeated header a key: two buffers are different keys of a map even with the same bytes. */
function toMessage({ topic, partition, key, value, headers = {}, timestampMs }: OutgoingRecord) {
  const entries = Object.entries(headers).flatMap(([name, header]) => {
    const values = valuesOf(header).map((one) => toBuffer(one === NO_HEADER_VALUE ? null : one));
    return values.map((one) => [Buffer.from(name), one] as const);
  });
  const record = { key: toBuffer(key), value: toBuffer(value), headers: new Map(entries) };
  return { topic, partition, ...record, timestamp: BigInt(timestampMs) };
}

/** The library accepts null for what is absent, although its types do not. */
function toBuffer(content: Buffer | string | null): Buffer {
  return (typeof content === 'string' ? Buffer.from(content) : content) as Buffer;
}
