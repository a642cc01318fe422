/**
 * The JSON bodies of the admin endpoint, by which a command on the same machine reads and writes the log of a process with the
 * embedded broker. Bytes are encoded in base64.
 */

import { z } from 'zod';
import type { HeaderValue, LogMessage, MessageHeaders, OutgoingMessage } from './message.ts';

/** Paths of the endpoint; all calls are POST and need the token. */
export const ADMIN_PATH = {
  /** {topics} -> {ranges}: the retained offsets of each partition; topics that do not exist are left out. */
  ranges: '/admin/v1/ranges',
  /** {range} -> {messages, next}: some messages of the range; `next` is the offset at which to continue. */
  read: '/admin/v1/read',
  /** {messages} -> {}: publishes the messages; the response follows after the acknowledgement. */
  publish: '/admin/v1/publish',
} as const;

/** Limits on one call. */
const MAX_TOPICS = 1_000;
const MAX_BATCH = 1_000;

const topic = z.string().min(1).max(249);
const partition = z.int().min(0).max(1_000_000);
const offset = z.int().min(0);
const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
/** Headers become properties of an object, in which this name would set the prototype. */
const headerName = z.string().refine((name) => name !== '__proto__');
const headers = z
  .array(z.tuple([headerName, z.array(bytes).min(1)]))
  .transform((entries): MessageHeaders => Object.fromEntries(entries.map(([name, all]) => [name, one(all)])));
const content = { topic, key: bytes.nullable(), value: bytes.nullable(), headers };
const rangeShape = z.object({ topic, partition, from: offset, to: offset });
const logMessage = z.object({ ...content, partition, offset, timestampMs: z.number() });
const outgoingMessage = z.object({ ...content, partition: partition.optional() });

/** The request and response bodies, validated. */
export const ADMIN_BODY = {
  rangesCall: z.object({ topics: z.array(topic).max(MAX_TOPICS) }),
  rangesAnswer: z.object({ ranges: z.array(rangeShape) }),
  readCall: z.object({ range: rangeShape }),
  readAnswer: z.object({ messages: z.array(logMessage), next: offset }),
  publishCall: z.object({ messages: z.array(outgoingMessage).min(1).max(MAX_BATCH) }),
  publishAnswer: z.object({}),
  /** The response to every failed call. */
  fault: z.object({ code: z.string(), message: z.string(), canRetry: z.boolean() }),
} as const;

/** The content of the admin file: the address of the endpoint of a running process. */
export const adminFileShape = z.object({ url: z.url(), token: z.string().min(1), pid: z.int() });
export type AdminFile = z.infer<typeof adminFileShape>;

/** Converts a message from the log to JSON. */
export function logMessageJson(message: LogMessage): unknown {
  const { partition: number, offset: at, timestampMs } = message;
  return { ...contentJson(message), partition: number, offset: at, timestampMs };
}

/** Converts a message to be published to JSON. Its timestamp is omitted: the broker sets the time of publishing. */
export function outgoingMessageJson(message: OutgoingMessage): unknown {
  return { ...contentJson(message), partition: message.partition };
}

function contentJson(message: OutgoingMessage | LogMessage) {
  return {
    topic: message.topic,
    key: base64(message.key),
    value: base64(message.value),
    headers: Object.entries(message.headers ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, allOf(value).map((each) => base64(each))]],
    ),
  };
}

function base64(value: HeaderValue | null): string | null {
  return value === null ? null : Buffer.from(value).toString('base64');
}

function allOf(value: HeaderValue | readonly HeaderValue[]): readonly HeaderValue[] {
  return typeof value === 'string' || Buffer.isBuffer(value) ? [value] : value;
}

function one(all: readonly Buffer[]): Buffer | readonly Buffer[] {
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : all;
}
