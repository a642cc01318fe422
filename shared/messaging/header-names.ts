/** The names of all message headers; the names of Spring and NestJS let their clients call the workers. */
export const HEADER = {
  /** Opaque bytes chosen by the requester, echoed unchanged on the reply. */
  correlationId: 'kafka_correlationId',
  /** Topic that the reply goes to. */
  replyTopic: 'kafka_replyTopic',
  /** Partition that the reply goes to: 4 bytes big-endian (Spring) or decimal text (NestJS). */
  replyPartition: 'kafka_replyPartition',
  /** NestJS: marks the last (here: only) message of an answer. Always written on replies. */
  nestIsDisposed: 'kafka_nest-is-disposed',
  /** NestJS: the error text of an error reply. */
  nestError: 'kafka_nest-err',
  /** Message type of a JSON message: the record name of its Avro sibling. */
  messageType: 'plat-message-type',
  /** `application/json` or `application/vnd.apache.avro`; only confirms what the first byte says. */
  contentType: 'content-type',
  /** Epoch milliseconds as text, after which the requester no longer waits for the reply. */
  deadline: 'plat-deadline',
  /** Epoch milliseconds as text: when the request first entered the log; kept over retries and redrives (D2). */
  originTimestamp: 'plat-origin-timestamp',
  /** Stable error code of an error reply. */
  errorCode: 'plat-error-code',
  /** `true` when the same request may succeed later, else `false`. */
  errorRetryable: 'plat-error-retryable',
  /** Comma list of `code;path` of ignored fields and the like (E3). */
  warnings: 'plat-warnings',
  /** Holiday calendar of an answer with its version: `RO;version=2026.1` (H2). */
  holidayCalendar: 'plat-holiday-calendar',
  /** W3C trace context. */
  traceParent: 'traceparent',
  traceState: 'tracestate',
  /** Notifications: the id, where the command itself does not contain it (retries, redrives). */
  notificationId: 'plat-notification-id',
  /** Delivery rounds started with this copy, counted from 1; absent: 1. A copy whose number does not exceed the known one is stale. */
  attempt: 'plat-attempt',
  /** Epoch milliseconds as text, before which a copy on a retry tier is not handled. */
  dueAt: 'plat-due-at',
  /** Topic and partition that a copy on a retry tier goes back to. */
  retryTopic: 'plat-retry-topic',
  retryPartition: 'plat-retry-partition',
  /** Epoch milliseconds as text: start of the time limit of a copy that an operator has redriven. */
  timeLimitFrom: 'plat-time-limit-from',
  /** JSON list of former attempts without personal data, newest last. */
  attemptHistory: 'plat-attempt-history',
  /** `true`: the first acceptance of an id, written again after a later one. */
  firstAcceptance: 'plat-first-acceptance',
  /** Identifies one write of one process, which recognises its own record when it reads the topic. */
  write: 'plat-write',
  /** `true`: the message itself is on a retry tier, and this record only keeps its place in the order. */
  heldElsewhere: 'plat-held-elsewhere',
  /** `true`: not a command but the signal to continue with the messages held for this key. */
  holdWake: 'plat-hold-wake',
  /** How often an operator has redriven this message. */
  redriveCount: 'plat-redrive-count',
  /** `true`: an operator accepts that a notification of unknown outcome may be sent twice. */
  redriveUnknown: 'plat-redrive-unknown',
  /** Dead letters: where the message came from, and why it is dead. */
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
