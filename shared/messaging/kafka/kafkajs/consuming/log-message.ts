import type { IHeaders, KafkaMessage } from 'kafkajs';
import { setHeader } from '../../../headers.ts';
import type { HeaderValue, LogMessage, MessageHeaders } from '../../../message.ts';

/** Converts a record of kafkajs to a message. */
export function toLogMessage(topic: string, partition: number, read: KafkaMessage): LogMessage {
  return {
    topic,
    partition,
    offset: Number(read.offset),
    key: read.key,
    value: read.value,
    headers: readHeaders(read.headers),
    timestampMs: Number(read.timestamp),
  };
}

/**
 * Kafka allows headers without a value; such a header counts as absent, since none of ours has a meaning without one. To a
 * header with the name of a property that all objects have, such as `constructor`, kafkajs adds the value of that property.
 */
function readHeaders(headers: IHeaders | undefined): MessageHeaders {
  if (headers === undefined) return {};
  for (const name in headers) {
    if (!Buffer.isBuffer(headers[name])) return withoutEmptyHeaders(headers);
  }
  return headers;
}

function withoutEmptyHeaders(headers: IHeaders): MessageHeaders {
  const kept: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const [name, header] of Object.entries(headers)) {
    const values = (Array.isArray(header) ? header : [header]).filter((value) => Buffer.isBuffer(value));
    const [only] = values;
    if (only !== undefined) setHeader(kept, name, values.length === 1 ? only : values);
  }
  return kept;
}
