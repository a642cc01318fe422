import type { HeaderValue, MessageHeaders } from './message.ts';

/** The names of all message headers. The names of Spring and NestJS allow their clients to call the workers. */
export const HEADER = {
  /** Opaque bytes chosen by the requester, echoed unchanged on the reply. */
  correlationId: 'kafka_correlationId',
  replyTopic: 'kafka_replyTopic',
  /** Partition to which the reply is sent: 4 bytes big-endian (Spring) or decimal text (NestJS). */
  replyPartition: 'kafka_replyPartition',
  /** NestJS: marks the last (here: only) message of a reply. Set on every reply. */
  nestIsDisposed: 'kafka_nest-is-disposed',
  /** NestJS: the error text of an error reply. */
  nestError: 'kafka_nest-err',
  /** Message type of a JSON message: the name of the corresponding Avro record. */
  messageType: 'plat-message-type',
  /** `application/json` or `application/vnd.apache.avro`; must match the format that the first byte of the value indicates. */
  contentType: 'content-type',
  /** Epoch milliseconds as text: after this time the requester no longer waits for the reply. */
  deadline: 'plat-deadline',
  /** Epoch milliseconds as text: the time of the first publish. Retries and redrives keep it (D2). */
  originTimestamp: 'plat-origin-timestamp',
  errorCode: 'plat-error-code',
  /** `true` if the same request may succeed later, otherwise `false`. */
  errorRetryable: 'plat-error-retryable',
  /** Comma-separated list of `code;path`, for example of ignored fields (E3). */
  warnings: 'plat-warnings',
  /** Holiday calendar of the reply with its version: `RO;version=2026.1` (H2). */
  holidayCalendar: 'plat-holiday-calendar',
  traceParent: 'traceparent',
  /** Id of a notification whose command does not contain it (retries, redrives). */
  notificationId: 'plat-notification-id',
  /** Proves that the ingress wrote the command under its id. */
  commandProof: 'plat-command-proof',
  /** On states: the hash that shows whether another text was sent under the same id. */
  textHash: 'plat-text-hash',
  /** Number of the delivery round of this copy, from 1; absent: 1. A copy of an earlier round than the delivery log's is stale. */
  attempt: 'plat-attempt',
  /** Epoch milliseconds as text: a copy on a retry tier is not handled before this time. */
  dueAt: 'plat-due-at',
  /** The topic and (next header) partition to which a copy on a retry tier returns. */
  retryTopic: 'plat-retry-topic',
  retryPartition: 'plat-retry-partition',
  /** Epoch milliseconds as text: the time from which the time limit of a redriven copy is measured. */
  timeLimitFrom: 'plat-time-limit-from',
  /** JSON list of previous attempts without personal data, newest last. */
  attemptHistory: 'plat-attempt-history',
  /** `true`: the first acceptance of an id, republished because compaction would keep only a later one. */
  firstAcceptance: 'plat-first-acceptance',
  /** Identifies one write of one process, which recognises its own record by it when it reads the topic. */
  write: 'plat-write',
  /** `true`: the record is no command. The waiting messages of its key are processed. */
  holdWake: 'plat-hold-wake',
  /** `true`: the ingress has counted this notification for the quotas. The worker counts the others (N6). */
  quotaCounted: 'plat-quota-counted',
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

/** Every whole number with at most this many digits is exact. */
const EXACT_NUMBER = /^\d{1,15}$/;

/** Stands for a header without a value, which Kafka allows. kafkajs cannot write one: a copy of the message lacks the header. */
export const NO_HEADER_VALUE: HeaderValue = Buffer.alloc(0);

/** The value of a header without conversion; of a repeated header, its last value. A header without a value counts as absent. */
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

/** Sets a header, also one named `__proto__`: its assignment would replace the prototype. */
export function setHeader(
  headers: Record<string, HeaderValue | readonly HeaderValue[]>,
  name: string,
  value: HeaderValue | readonly HeaderValue[],
): void {
  if (name !== '__proto__') headers[name] = value;
  else Object.defineProperty(headers, name, { value, enumerable: true, writable: true, configurable: true });
}

export interface MessageContent {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/** Bytes of value and headers, without the key. */
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

/** The headers with their values replaced. An array with one element becomes that element. */
function mapValues(headers: MessageHeaders, change: (value: HeaderValue) => HeaderValue): MessageHeaders {
  const changed: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const name in headers) {
    const header = headers[name];
    const one = isList(header) && header.length < 2 ? header[0] : header;
    if (one !== undefined) setHeader(changed, name, isList(one) ? one.map(change) : change(one));
  }
  return changed;
}

/** Bytes of all names (as ASCII) and values. Called for each message, so it creates no objects. */
export function headersBytes(headers: MessageHeaders): number {
  let bytes = 0;
  for (const name in headers) {
    const header = headers[name];
    if (isList(header)) for (const one of header) bytes += name.length + Buffer.byteLength(one);
    else if (header !== undefined) bytes += name.length + Buffer.byteLength(header);
  }
  return bytes;
}

/** The headers as a broker stores them: text as bytes. */
export function storedHeaders(headers: MessageHeaders = {}): MessageHeaders {
  return mapValues(headers, (value) => (typeof value === 'string' ? Buffer.from(value) : value));
}

/** Copies value and headers into one buffer, because slices of a fetch response keep the whole response in memory. */
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
