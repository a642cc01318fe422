import type { HeaderValue, MessageHeaders } from './message.ts';

/** All message headers of this system. Those of Spring and NestJS let their clients call the workers. */
export const HEADER = {
  /** Any bytes that the requester chooses. The reply repeats them unchanged. */
  correlationId: 'kafka_correlationId',
  replyTopic: 'kafka_replyTopic',
  /** Partition to which the reply is sent: 4 bytes big-endian (Spring) or decimal text (NestJS). */
  replyPartition: 'kafka_replyPartition',
  /** NestJS: marks the last message of a reply. Our replies have one message, so each has it. */
  nestIsDisposed: 'kafka_nest-is-disposed',
  /** NestJS: the error text of an error reply. */
  nestError: 'kafka_nest-err',
  /** Name of the Avro record without namespace. A JSON message needs it, because its value does not name the type. */
  messageType: 'plat-message-type',
  /** Such as `application/json` or `application/vnd.apache.avro`. Must not contradict the first byte of the value. */
  contentType: 'content-type',
  /** Epoch milliseconds as text: after this time the requester no longer waits for the reply. */
  deadline: 'plat-deadline',
  /** Epoch milliseconds as text: the time of the first publish. Retries and redrives keep it (D2). */
  originTimestamp: 'plat-origin-timestamp',
  errorCode: 'plat-error-code',
  /** `true` if the same request may succeed later, otherwise `false`. */
  errorRetryable: 'plat-error-retryable',
  /** Comma-separated list of `code;path`, for example for ignored fields (E3). */
  warnings: 'plat-warnings',
  /** Holiday calendar of the reply with its version: `RO;version=2026.1` (H2). */
  holidayCalendar: 'plat-holiday-calendar',
  /** Versions of what an answer was calculated with and from: `engine=0.1.0, rules=1, day=2026-05-15` (E7). */
  versions: 'plat-versions',
  traceParent: 'traceparent',
  /** Id of a notification. It counts if the command itself contains none. */
  notificationId: 'plat-notification-id',
  /** Proves that the ingress, or an operator's redrive, wrote the command under its id. */
  commandProof: 'plat-command-proof',
  /** Who sent a notification: the hash of a caller over HTTP, or the name that an upstream system chooses (N13). */
  sender: 'plat-sender',
  /** On callbacks: the id that their receiver sees, and by which it recognises a repeat. */
  callbackId: 'webhook-id',
  /** On states of notifications: a hash of the text. It shows whether another text came under the same id. */
  textHash: 'plat-text-hash',
  /** Delivery round of this copy, from 1 (default). A copy of an earlier round than the delivery log has is stale. */
  attempt: 'plat-attempt',
  /** Epoch milliseconds as text: a copy stays on its retry tier until this time. */
  dueAt: 'plat-due-at',
  /** The topic, and in the next header the partition, to which a copy on a retry tier returns. */
  retryTopic: 'plat-retry-topic',
  retryPartition: 'plat-retry-partition',
  /** Epoch milliseconds as text: the time from which the time limit of a redriven copy is measured. */
  timeLimitFrom: 'plat-time-limit-from',
  /** JSON list of previous attempts without personal data, newest last. */
  attemptHistory: 'plat-attempt-history',
  /** `true`: the first acceptance of an id, republished because compaction would keep only a later one. */
  firstAcceptance: 'plat-first-acceptance',
  /** Identifies a write of a process, which thereby recognises its own record when it reads the topic. */
  write: 'plat-write',
  /** `true`: the record is not a command, but starts the processing of the messages that wait for its key. */
  holdWake: 'plat-hold-wake',
  /** `true`: the ingress has counted this notification for the quotas (N6). Otherwise the worker counts it. */
  quotaCounted: 'plat-quota-counted',
  /** Who asked for a message of a verification, for the quotas (N6). */
  quotaCaller: 'plat-quota-caller',
  /** Id of a verification and number of its message (N10). */
  verification: 'plat-verification',
  /** Digits of the code that replaces {{code}} in the text just before a provider is called (N10). */
  codeDigits: 'plat-code-digits',
  redriveCount: 'plat-redrive-count',
  /** `true`: the operator accepts that a notification with an unknown outcome may be sent twice. */
  redriveUnknown: 'plat-redrive-unknown',
  /** This and the following headers: the origin of a dead letter, and its reason. */
  deadLetterTopic: 'plat-dead-letter-original-topic',
  deadLetterPartition: 'plat-dead-letter-original-partition',
  deadLetterOffset: 'plat-dead-letter-original-offset',
  deadLetterTimestamp: 'plat-dead-letter-original-timestamp',
  deadLetterGroup: 'plat-dead-letter-group',
  deadLetterCode: 'plat-dead-letter-code',
  deadLetterReason: 'plat-dead-letter-reason',
  deadLetterAttempts: 'plat-dead-letter-attempts',
  deadLetterAt: 'plat-dead-letter-at',
} as const;

/** A whole number with at most 15 digits is always exact. */
const EXACT_NUMBER = /^\d{1,15}$/;

/** Stands for a header without a value, which Kafka allows. kafkajs cannot write one: a copy lacks the header. */
export const NO_HEADER_VALUE: HeaderValue = Buffer.alloc(0);

/** The last value of a header, not converted. A header without a value counts as absent. */
export function headerValue(headers: MessageHeaders, name: string): HeaderValue | undefined {
  const header = headers[name];
  if (isList(header)) return header.findLast((one) => one !== NO_HEADER_VALUE);
  return header === NO_HEADER_VALUE ? undefined : header;
}

export function headerText(headers: MessageHeaders, name: string): string | undefined {
  return headerValue(headers, name)?.toString();
}

/** A whole number of at most 15 digits as decimal text, e.g. epoch milliseconds. Any other value counts as absent. */
export function headerNumber(headers: MessageHeaders, name: string): number | undefined {
  const text = headerText(headers, name) ?? '';
  return EXACT_NUMBER.test(text) ? Number(text) : undefined;
}

/** Sets a header, even one named `__proto__`: a plain assignment would replace the prototype of `headers`. */
export function setHeader(
  headers: Record<string, HeaderValue | readonly HeaderValue[]>,
  name: string,
  value: HeaderValue | readonly HeaderValue[],
): void {
  if (name !== '__proto__') headers[name] = value;
  else Object.defineProperty(headers, name, { value, enumerable: true, configurable: true });
}

export interface MessageContent {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

export function contentBytes({ value, headers }: MessageContent): number {
  return value.length + headersBytes(headers);
}

export function valuesOf(header: MessageHeaders[string]): readonly HeaderValue[] {
  if (header === undefined) return [];
  return isList(header) ? header : [header];
}

function isList(header: MessageHeaders[string]): header is readonly HeaderValue[] {
  return Array.isArray(header);
}

/** Changes each value. An array with one element becomes that element, and an empty one is left out. */
function mapValues(headers: MessageHeaders, change: (value: HeaderValue) => HeaderValue): MessageHeaders {
  const changed: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const name in headers) {
    const header = headers[name];
    const one = isList(header) && header.length < 2 ? header[0] : header;
    if (one !== undefined) setHeader(changed, name, isList(one) ? one.map(change) : change(one));
  }
  return changed;
}

/** Bytes of all names (taken as ASCII) and values. Creates no objects, because it is called for each message. */
export function headersBytes(headers: MessageHeaders): number {
  let bytes = 0;
  for (const name in headers) {
    const header = headers[name];
    if (isList(header)) for (const one of header) bytes += name.length + Buffer.byteLength(one);
    else if (header !== undefined) bytes += name.length + Buffer.byteLength(header);
  }
  return bytes;
}

/** The headers as a broker stores them, with text as UTF-8 bytes. */
export function storedHeaders(headers: MessageHeaders = {}): MessageHeaders {
  return mapValues(headers, (value) => (typeof value === 'string' ? Buffer.from(value) : value));
}

/** Copies value and headers to one buffer, because a slice of a fetch response keeps the whole response in memory. */
export function copyContent({ value, headers }: MessageContent): MessageContent {
  const buffers = Object.values(headers)
    .flatMap(valuesOf)
    .filter((header) => typeof header !== 'string');
  const own = Buffer.allocUnsafeSlow(buffers.reduce((sum, { length }) => sum + length, value.length));
  let used = 0;
  const copy = (bytes: Buffer): Buffer => {
    const start = used;
    used += bytes.copy(own, start);
    return own.subarray(start, used);
  };
  const copied = mapValues(headers, (header) =>
    typeof header === 'string' || header === NO_HEADER_VALUE ? header : copy(header),
  );
  return { value: copy(value), headers: copied };
}
