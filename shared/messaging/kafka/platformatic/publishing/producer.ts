import { ProduceAcks, Producer } from '@platformatic/kafka';
import { ACKS_TIMEOUT_MS, type ConnectProducer } from '../../common/publishing/publisher.ts';
import { isLarge, valuesOf, type OutgoingRecord } from '../../common/publishing/record.ts';
import { closeNow, ignoreConnectionErrors, type LibraryOptions } from '../connection/client.ts';
import { NO_HEADER_VALUE } from '../../../headers.ts';

/** Connects producers of the library. */
export function platformaticProducers(libraryOptions: LibraryOptions): ConnectProducer {
  return async (clientId) => {
    const limits = { idempotent: false, retries: 0, timeout: ACKS_TIMEOUT_MS };
    const producer = new Producer({ ...libraryOptions(clientId), ...limits });
    ignoreConnectionErrors(producer);
    const destroy = () => {
      closeNow(producer);
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
        await producer.send({ messages: records.map(toMessage), acks: ProduceAcks.ALL, compression });
      },
      destroy,
    };
  };
}

/** Each value of a repeated header has a key of its own: buffers are different keys of a map, also with the same bytes. */
function toMessage({ topic, partition, key, value, headers = {}, timestampMs }: OutgoingRecord) {
  const entries = Object.entries(headers).flatMap(([name, header]) =>
    valuesOf(header).map(
      (one) => [Buffer.from(name), toBuffer(one === NO_HEADER_VALUE ? null : one)] as const,
    ),
  );
  const timestamp = BigInt(timestampMs);
  return {
    topic,
    partition,
    key: toBuffer(key),
    value: toBuffer(value),
    headers: new Map(entries),
    timestamp,
  };
}

/** The library writes null for what is absent, which its types omit. */
function toBuffer(content: Buffer | string | null): Buffer {
  return (typeof content === 'string' ? Buffer.from(content) : content) as Buffer;
}
