/** Every limit and time-out of the HTTP side that is not a setting, with its reason. */
const KIB = 1_024;
const MIB = KIB * KIB;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const HTTP_LIMITS = {
  /** All header lines with the request line; beyond: 431. An access token of 8 KiB still fits. */
  headerBytes: 16 * KIB,
  /** A client that has not sent its headers by then is not one (slow loris). */
  headersTimeoutMs: 10 * SECOND_MS,
  /** Headers and body together: 256 KiB in that time is a slow mobile line. */
  requestTimeoutMs: 30 * SECOND_MS,
  /** A client that takes nothing of its answer for so long, beyond the time that a reply may take, is let go. */
  stalledAnswerMs: 60 * SECOND_MS,
  /** How often Node looks for connections beyond the two limits above. */
  timeoutCheckMs: 1 * SECOND_MS,
  /** Longer than the 60 s of common load balancers, so that they and not this side close idle connections. */
  keepAliveTimeoutMs: 72 * SECOND_MS,
  /** Connections held at once; further ones are dropped by Node. */
  connections: 10_000,
  /** Characters of one path parameter; a result id has up to 240. */
  pathParameterLength: 512,
  /** A refused body up to this length is read to its end, which keeps the connection; beyond, the connection ends. */
  keptConnectionBodyBytes: 256 * KIB,
  /** Bytes read and thrown away of a longer one, so that its sender gets to read the answer. */
  discardedBodyBytes: 32 * MIB,
  /** The longest that such a rest is read. */
  lingerMs: 10 * SECOND_MS,
  /** Characters of a correlation id taken over from the caller. */
  correlationIdLength: 128,
} as const;

/** Result addresses are kept so long after the deadline of their request (E6, results topic retention). */
export const RESULT_RETENTION_MS = 60 * MINUTE_MS;

/** Bytes of results one instance keeps; the oldest go first. */
export const RESULT_STORE_BYTES = 64 * MIB;

/** Bodies of notifications in memory at once: some 25 of the largest e-mails; parsed and encoded they take four times that. */
export const BODY_BUDGET_BYTES = 256 * MIB;

/** Acceptances of notifications that one instance keeps: some 150,000; the oldest go first. */
export const ACCEPTANCE_STORE_BYTES = 64 * MIB;

/** States of notifications that one instance keeps: some 200,000 that went well; the oldest go first. */
export const NOTIFICATION_STORE_BYTES = 96 * MIB;

/** As long as the log keeps the states of notifications, which is longer than an Idempotency-Key counts. */
export const NOTIFICATION_RETENTION_MS = 72 * 60 * MINUTE_MS;

/** A reply written just before its deadline still needs this long to be read here. */
export const RESULT_TRAVEL_MS = 2 * SECOND_MS;

/** What callers are told to wait before they try again (503, 429, pending results). */
export const RETRY_AFTER_SECONDS = 1;
