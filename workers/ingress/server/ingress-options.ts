import type { Config } from '../../../shared/platform/config.ts';
import {
  ACCEPTANCE_STORE_BYTES,
  BODY_BUDGET_BYTES,
  HTTP_LIMITS,
  NOTIFICATION_STORE_BYTES,
  RESULT_RETENTION_MS,
  RESULT_STORE_BYTES,
} from './http-limits.ts';

/** The settings of one ingress instance. */
export interface IngressOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Names of this instance beside those of loopback, in lower case (host-names.ts). */
  readonly allowedHosts: readonly string[];
  /** What stands before `/platapi`, e.g. `/bank`; empty by default. */
  readonly basePath: string;
  readonly bodyLimitBytes: number;
  /** Per caller; 0: no limit. */
  readonly rateLimitPerSecond: number;
  /** The longest a synchronous caller waits (E6). */
  readonly replyTimeoutMs: number;
  /** The longest an asynchronous request may take. */
  readonly asyncTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** A client that takes nothing of its answer is let go so long after the longest wait for a reply. */
  readonly stalledAnswerMs: number;
  readonly resultRetentionMs: number;
  readonly resultStoreBytes: number;
  readonly topicPrefix: string;
  readonly emailBodyLimitBytes: number;
  /** Country of telephone numbers without a country code; undefined: they are refused. */
  readonly defaultCountry: string | undefined;
  /** Bodies of notifications that may be in memory at once. */
  readonly bodyBudgetBytes: number;
  readonly acceptanceStoreBytes: number;
  readonly notificationStoreBytes: number;
}

/** Takes from the configuration what concerns the ingress; the rest are constants with their reasons in http-limits.ts. */
export function ingressOptions(config: Config): IngressOptions {
  return {
    host: config.http.host,
    port: config.http.port,
    allowedHosts: config.http.allowedHosts,
    basePath: config.http.basePath,
    bodyLimitBytes: config.http.bodyLimitBytes,
    rateLimitPerSecond: config.http.rateLimitPerSecond,
    replyTimeoutMs: config.replyTimeoutMs,
    asyncTimeoutMs: config.asyncTimeoutMs,
    headersTimeoutMs: HTTP_LIMITS.headersTimeoutMs,
    requestTimeoutMs: HTTP_LIMITS.requestTimeoutMs,
    keepAliveTimeoutMs: HTTP_LIMITS.keepAliveTimeoutMs,
    stalledAnswerMs: HTTP_LIMITS.stalledAnswerMs,
    resultRetentionMs: RESULT_RETENTION_MS,
    resultStoreBytes: RESULT_STORE_BYTES,
    topicPrefix: config.topicPrefix,
    emailBodyLimitBytes: config.notification.emailBodyLimitBytes,
    defaultCountry: config.notification.defaultCountry,
    bodyBudgetBytes: Math.max(BODY_BUDGET_BYTES, config.notification.emailBodyLimitBytes),
    acceptanceStoreBytes: ACCEPTANCE_STORE_BYTES,
    notificationStoreBytes: NOTIFICATION_STORE_BYTES,
  };
}
