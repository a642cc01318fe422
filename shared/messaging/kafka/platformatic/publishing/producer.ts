import { ProduceAcks, Producer, type Connection } from '@platformatic/kafka';
import {
  ACKS_TIMEOUT_MS,
  isLarge,
  type ConnectProducer,
  type PlacedRecord,
} from '../../common/publishing/record-sender.ts';
import { valuesOf, type OutgoingRecord } from '../../common/publishing/record.ts';
import { closeNow, ignoreConnectionErrors, type LibraryOptions } from '../connection/client.ts';
import { NO_HEADER_VALUE } from '../../../headers.ts';
import type { HeaderValue } from '../../../message.ts';

/** Connects producers of the library. */
export function platformaticProducers(libraryOptions: LibraryOptions): ConnectProducer {
  return async (clientId, onLost) => {
    const options = await libraryOptions(clientId);
    const producer = new Producer({ ...options, idempotent: false, retries: 0, timeout: ACKS_TIMEOUT_MS });
    ignoreConnectionErrors(producer);
    const open = new Set<Connection>();
    producer.on('client:broker:connect', ({ connection }) => {
      open.add(connection);
    });
    producer.on('client:broker:disconnect', ({ connection }) => {
      open.delete(connection);
      if (open.size === 0) onLost();
    });
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
      isConnected: () => open.size > 0,
      send: async (records) => {
        const compression = isLarge(records) ? 'gzip' : 'none';
        await producer.send({ messages: records.map(toMessage), acks: ProduceAcks.ALL, compression });
      },
      destroy,
    };
  };
}

function toMessage({ topic, partition, record: { key, value, headers, timestamp } }: PlacedRecord) {
  return {
    topic,
    partition,
    // Tombstones and records without a key: the library writes what is absent as null.
    key: toBuffer(key) as Buffer,
    value: toBuffer(value) as Buffer,
    headers: toHeaders(headers),
    timestamp: BigInt(timestamp ?? 0),
  };
}

/** A repeated header has a key of its own for each value: buffers are different keys of a map, also with the same bytes. */
function toHeaders(headers: OutgoingRecord['record']['headers'] = {}): Map<Buffer, Buffer> {
  const entries = new Map<Buffer, Buffer>();
  for (const name in headers) {
    for (const value of valuesOf(headers[name]))
      entries.set(Buffer.from(name), headerContent(value) as Buffer);
  }
  return entries;
}

function headerContent(value: HeaderValue): Buffer | null | undefined {
  return value === NO_HEADER_VALUE ? null : toBuffer(value);
}

function toBuffer(content: HeaderValue | null | undefined): Buffer | null | undefined {
  return typeof content === 'string' ? Buffer.from(content) : content;
}
