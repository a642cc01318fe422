import type { Config } from '../../../shared/platform/load-config.ts';

/** Every limit and timeout of the HTTP side, with its reason; those that are settings come from the configuration. */
const KIB = 1_024;
const MIB = KIB * KIB;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const HTTP_LIMITS = {
  /** All header lines with the request line; beyond: 431. An access token of 8 KiB still fits. */
  headerBytes: 16 * KIB,
  /** How often Node checks connections against the headers and request timeouts. */
  timeoutCheckMs: 1 * SECOND_MS,
  /** Open connections; Node drops further ones. */
  connections: 10_000,
  /** Characters of one path parameter; a result id has up to 240. */
  pathParameterLength: 512,
  /** A refused body up to this length is read to its end, which keeps the connection; beyond, the connection ends. */
  keptConnectionBodyBytes: 256 * KIB,
  /** Bytes read and discarded of a longer body, so that its sender gets to read the response. */
  discardedBodyBytes: 32 * MIB,
  /** The longest time for which such a body is drained. */
  drainBodyMs: 10 * SECOND_MS,
  /** Characters of a correlation id accepted from the caller. */
  correlationIdLength: 128,
} as const;

/** A reply written just before its deadline still needs this long to be read here. */
export const RESULT_TRAVEL_MS = 2 * SECOND_MS;

/** The `Retry-After` of 503, 429 and pending results. */
export const RETRY_AFTER_SECONDS = 1;

/** Bodies of notifications in memory at once: some 25 of the largest e-mails; parsed and encoded they take four times that. */
const BODY_BUDGET_BYTES = 256 * MIB;

/** The settings of one ingress instance. */
export type IngressOptions = ReturnType<typeof readIngressOptions>;

/** Reads the settings of the ingress from the configuration and adds the limits that tests shorten. */
export function readIngressOptions({ http, notification, ...config }: Config) {
  return {
    host: http.host,
    /** 0: a free one. */
    port: http.port,
    /** Names of this instance beside those of loopback, in lower case (host-names.ts). */
    allowedHosts: http.allowedHosts,
    /** The prefix of all paths, for example `/bank`; empty by default. */
    basePath: http.basePath,
    bodyLimitBytes: http.bodyLimitBytes,
    emailBodyLimitBytes: notification.emailBodyLimitBytes,
    /** Per caller; 0: no limit. */
    rateLimitPerSecond: http.rateLimitPerSecond,
    /** The longest a synchronous caller waits (E6). */
    replyTimeoutMs: config.replyTimeoutMs,
    /** The longest an asynchronous request may take. */
    asyncTimeoutMs: config.asyncTimeoutMs,
    topicPrefix: config.topicPrefix,
    /** Country of telephone numbers without a country code; undefined: they are refused. */
    defaultCountry: notification.defaultCountry,
    /** A client that has not sent its headers by then is not one (slow loris). */
    headersTimeoutMs: 10 * SECOND_MS,
    /** Headers and body together: 256 KiB in that time is a slow mobile line. */
    requestTimeoutMs: 30 * SECOND_MS,
    /** Longer than the 60 s of common load balancers, so that they and not this side close idle connections. */
    keepAliveTimeoutMs: 72 * SECOND_MS,
    /** A client that reads nothing of its response is disconnected this long after the longest wait for a reply. */
    stalledResponseMs: 60 * SECOND_MS,
    /** Results are kept this long after the deadline of their request (E6, results topic retention). */
    resultRetentionMs: 60 * MINUTE_MS,
    /** Bytes of results one instance keeps; the oldest are evicted first. */
    resultStoreBytes: 64 * MIB,
    bodyBudgetBytes: Math.max(BODY_BUDGET_BYTES, notification.emailBodyLimitBytes),
    /** As long as the log keeps the states of notifications, which is longer than an Idempotency-Key counts. */
    notificationRetentionMs: 72 * 60 * MINUTE_MS,
    /** Acceptances of notifications that one instance keeps: some 150,000; the oldest are evicted first. */
    acceptanceStoreBytes: 64 * MIB,
    /** States of notifications that one instance keeps: some 200,000 that went well; the oldest are evicted first. */
    notificationStoreBytes: 96 * MIB,
  };
}
