/** The names of all message headers in one place; the Spring and NestJS names let their clients call the workers. */
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
  /** Epoch milliseconds as text, after which nobody waits for the reply. */
  deadline: 'plat-deadline',
  /** Epoch milliseconds as text: when the request first entered the log; kept over retries and redrives (D2). */
  originTimestamp: 'plat-origin-timestamp',
  /** Stable error code of an error reply. */
  errorCode: 'plat-error-code',
  /** `true` when the same request may succeed later, else `false`. */
  errorRetryable: 'plat-error-retryable',
  /** Comma list of `code;path` about members that had no effect (E3). */
  warnings: 'plat-warnings',
  /** Holiday calendar of an answer with its version: `RO;version=2026.1` (H2). */
  holidayCalendar: 'plat-holiday-calendar',
  /** W3C trace context. */
  traceParent: 'traceparent',
  traceState: 'tracestate',
  /** Notifications: the id, where the command itself does not hold it (retries, redrives). */
  notificationId: 'plat-notification-id',
  /** Rounds of delivery begun with this copy, counted from 1; absent: 1. A copy whose number is not above the known one is stale. */
  attempt: 'plat-attempt',
  /** Epoch milliseconds as text, before which a copy on a retry tier is not handled. */
  dueAt: 'plat-due-at',
  /** Topic and partition that a copy on a retry tier goes back to. */
  retryTopic: 'plat-retry-topic',
  retryPartition: 'plat-retry-partition',
  /** Epoch milliseconds as text: what the time limit of a copy counts from, where an operator has sent it again. */
  timeLimitFrom: 'plat-time-limit-from',
  /** JSON list of former attempts without personal data, newest last. */
  attemptHistory: 'plat-attempt-history',
  /** `true`: the acceptance of an id that came first, written again behind a later one. */
  firstAcceptance: 'plat-first-acceptance',
  /** Names one write of one process, by which it knows its own record again when it reads the topic. */
  write: 'plat-write',
  /** `true`: the message itself is on a retry tier, only its place in the order is kept. */
  heldElsewhere: 'plat-held-elsewhere',
  /** `true`: no command, but the word to go on with the messages held for this key. */
  holdWake: 'plat-hold-wake',
  /** How often an operator has sent this message again. */
  redriveCount: 'plat-redrive-count',
  /** `true`: an operator accepts that a notification of unknown outcome may be sent twice. */
  redriveUnknown: 'plat-redrive-unknown',
  /** Dead letters: where the message came from and why it ended there. */
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
