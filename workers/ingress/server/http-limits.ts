import type { Config } from '../../../shared/platform/load-config.ts';
import { ACCEPTANCE_RETENTION_MS } from '../../../shared/platform/retention.ts';

const KIB = 1_024;
const MIB = KIB * KIB;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** The limits of the HTTP server that are not settings. */
export const HTTP_LIMITS = {
  /** Bytes of request line and header fields; more get 431. An access token of 8 KiB fits. */
  headerBytes: 16 * KIB,
  connections: 10_000,
  /** Characters of one path parameter; a result id has up to 240. */
  pathParameterLength: 512,
  /** A refused body up to this length is read completely to keep the connection; after a longer one it is closed. */
  keptConnectionBodyBytes: 256 * KIB,
  /** Bytes of a longer body that are read and discarded, so that the client can read the response first. */
  discardedBodyBytes: 32 * MIB,
  drainBodyMs: 10 * SECOND_MS,
  correlationIdLength: 128,
} as const;

/** Time for a reply that was written just before its deadline to reach this instance. */
export const RESULT_TRAVEL_MS = 2 * SECOND_MS;

/** The default `Retry-After` of 503 and 429, and that of pending results. */
export const RETRY_AFTER_SECONDS = 1;

export type IngressOptions = ReturnType<typeof readIngressOptions>;

/** Reads the settings of the ingress from the configuration and adds the limits that tests shorten. */
export function readIngressOptions({ http, notification, ...config }: Config) {
  return {
    host: http.host,
    port: http.port,
    allowedHosts: http.allowedHosts,
    bodyLimitBytes: http.bodyLimitBytes,
    emailBodyLimitBytes: notification.emailBodyLimitBytes,
    rateLimitPerSecond: http.rateLimitPerSecond,
    replyTimeoutMs: config.replyTimeoutMs,
    asyncTimeoutMs: config.asyncTimeoutMs,
    topicPrefix: config.topicPrefix,
    /** The country of telephone numbers without a country code; if undefined, such numbers are refused. */
    defaultCountry: notification.defaultCountry,
    /** Time limit for receiving the headers, against slow-loris attacks. */
    headersTimeoutMs: 10 * SECOND_MS,
    /** Time limit for receiving headers and body: enough for 256 KiB over a slow mobile connection. */
    requestTimeoutMs: 30 * SECOND_MS,
    timeoutCheckMs: 1 * SECOND_MS,
    /** Longer than the 60 s of common load balancers, so that these close idle connections first. */
    keepAliveTimeoutMs: 72 * SECOND_MS,
    /** A client that does not read its response is disconnected this long after the maximum wait for a reply. */
    stalledResponseMs: 60 * SECOND_MS,
    resultRetentionMs: 60 * MINUTE_MS,
    resultStoreBytes: config.limits.resultBytes,
    notificationRetentionMs: ACCEPTANCE_RETENTION_MS,
  };
}
