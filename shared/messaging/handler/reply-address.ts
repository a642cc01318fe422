import { HEADER } from '../header-names.ts';
import { headerText, headerValue } from '../headers.ts';
import type { HeaderValue, MessageHeaders } from '../message.ts';

/** Where a requester wants its reply, as its headers say; whether the topic exists is not known yet. */
export type ReplyAddress =
  | { readonly kind: 'none' }
  | { readonly kind: 'given'; readonly topic: string; readonly partition: number | undefined }
  | { readonly kind: 'unusable'; readonly code: 'reply-topic-unknown' | 'reply-partition-invalid' };

/** What Kafka takes as the name of a topic. */
const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const DECIMAL = /^\d{1,9}$/;
const INT32_BYTES = 4;

/** Reads kafka_replyTopic and kafka_replyPartition. */
export function readReplyAddress(headers: MessageHeaders): ReplyAddress {
  const topic = headerText(headers, HEADER.replyTopic);
  if (topic === undefined || topic === '') return { kind: 'none' };
  if (!TOPIC_NAME.test(topic) || topic === '.' || topic === '..') {
    return { kind: 'unusable', code: 'reply-topic-unknown' };
  }
  const given = headerValue(headers, HEADER.replyPartition);
  if (given === undefined || given.length === 0) return { kind: 'given', topic, partition: undefined };
  const partition = readPartition(given);
  return partition === undefined
    ? { kind: 'unusable', code: 'reply-partition-invalid' }
    : { kind: 'given', topic, partition };
}

/**
 * Decimal text (NestJS) or four bytes big-endian (Spring). Four digits cannot be meant as bytes: that would be a
 * partition beyond 800 million.
 */
function readPartition(given: HeaderValue): number | undefined {
  const text = given.toString();
  if (DECIMAL.test(text)) return Number(text);
  const bytes = Buffer.from(given);
  if (bytes.length !== INT32_BYTES) return undefined;
  const partition = bytes.readInt32BE();
  return partition < 0 ? undefined : partition;
}
