/** The names of all message headers. Those of Spring and NestJS allow their clients to call the workers. */
export const HEADER = {
  /** Opaque bytes chosen by the requester, echoed unchanged on the reply. */
  correlationId: 'kafka_correlationId',
  /** Topic to which the reply is sent. */
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
  /** Epoch milliseconds as text after which the requester no longer waits for the reply. */
  deadline: 'plat-deadline',
  /** Epoch milliseconds as text: the time of the first publish; retries and redrives keep it (D2). */
  originTimestamp: 'plat-origin-timestamp',
  /** Stable error code of an error reply. */
  errorCode: 'plat-error-code',
  /** `true` if the same request may succeed later, otherwise `false`. */
  errorRetryable: 'plat-error-retryable',
  /** Comma-separated list of `code;path`, for example of ignored fields (E3). */
  warnings: 'plat-warnings',
  /** Holiday calendar of the reply with its version: `RO;version=2026.1` (H2). */
  holidayCalendar: 'plat-holiday-calendar',
  /** W3C trace context. */
  traceParent: 'traceparent',
  /** Notifications: the id, where the command does not contain it (retries, redrives). */
  notificationId: 'plat-notification-id',
  /** Proves that the ingress wrote the command under its id. */
  commandProof: 'plat-command-proof',
  /** On states: recognises another text under the same id. */
  textHash: 'plat-text-hash',
  /**
   * Number of the delivery round that this copy starts, from 1; 1 if absent. A copy is stale if its round is earlier than
   * the one in the ledger.
   */
  attempt: 'plat-attempt',
  /** Epoch milliseconds as text before which a copy on a retry tier is not handled. */
  dueAt: 'plat-due-at',
  /** Topic and partition to which a copy on a retry tier returns. */
  retryTopic: 'plat-retry-topic',
  retryPartition: 'plat-retry-partition',
  /** Epoch milliseconds as text: the time from which the time limit of a redriven copy is measured. */
  timeLimitFrom: 'plat-time-limit-from',
  /** JSON list of previous attempts without personal data, newest last. */
  attemptHistory: 'plat-attempt-history',
  /** `true`: the first acceptance of an id, republished because compaction would keep only a later one. */
  firstAcceptance: 'plat-first-acceptance',
  /** Identifies one write of one process, so that it recognises its own record when it reads the topic. */
  write: 'plat-write',
  /** Id and round of the head that a new head on the hold topic replaces, such as `ID/2`; `none` if there was none. */
  replacedHead: 'plat-replaced-head',
  /** `true`: not a command but a signal to continue with the held messages of this key. */
  holdWake: 'plat-hold-wake',
  /** `true`: the ingress has counted this notification for the quotas; others are counted by the worker (N6). */
  quotaCounted: 'plat-quota-counted',
  /** How often this message was redriven. */
  redriveCount: 'plat-redrive-count',
  /** `true`: the operator accepts that a notification with an unknown outcome may be sent twice. */
  redriveUnknown: 'plat-redrive-unknown',
  /** Dead letters: the origin of the message, and the reason. */
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
