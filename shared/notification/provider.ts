import type { Channel, Outbound, Priority } from './notification-command.ts';

/**
 * The result of a call of a provider. `code` is stable, at most 64 characters of [A-Za-z0-9._-], and never contains
 * personal data or a secret. `transient`: not sent, a later attempt may succeed. `permanent`: not sent, no attempt will
 * succeed. `misconfigured`: not sent, because of credentials or settings; opens the provider's circuit breaker. `unknown`:
 * may have been sent (timeout after bytes were written).
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly providerMessageId: string | undefined;
      /** The first rejection of a copy (cc, bcc); absent when all were accepted. */
      readonly code?: string;
    }
  | {
      readonly kind: 'transient';
      readonly code: string;
      readonly retryAfterMs?: number;
      /** Affects this receiver only (mailbox full, greylisted): does not count as a failure of the provider. */
      readonly isAboutReceiver?: true;
      /** The provider was not called, since none of its connections was free: says nothing about the provider. */
      readonly isUncalled?: true;
    }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'misconfigured'; readonly code: string }
  | {
      readonly kind: 'unknown';
      readonly code: string;
      /** The provider answered, but not clearly about this message: does not count as a failure of the provider. */
      readonly isAboutMessage?: true;
    };

/** Sends the messages of one channel. */
export interface Provider {
  /** As in the configuration, with `#2` and so on after a repeated name; label of metrics. */
  readonly name: string;
  readonly channel: Channel;
  /** Whether sending the same id twice delivers once, so that an unknown outcome may be retried. */
  readonly isIdempotent: boolean;
  /** Maximum number of concurrent calls; further ones wait inside the provider. Absent: unlimited. */
  readonly concurrency?: number;
  /**
   * Never rejects and never logs the message. Ends within the provider's own timeout, or earlier by `signal`. An urgent
   * message does not wait for normal ones; the default is normal.
   */
  send(message: Outbound, signal: AbortSignal, priority?: Priority): Promise<SendResult>;
  /** Waits for the calls in progress, then closes the connections. Idempotent. */
  close(): Promise<void>;
}

/** Whether a provider may be called now. */
export type ProviderAdmission =
  | { readonly kind: 'go' }
  /** The rate limit is exhausted for this time. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Its circuit breaker is open for this time. */
  | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };

/** A provider behind its rate limit and its circuit breaker. */
export interface GuardedProvider extends Provider {
  /** Identifies its settings, such as URL and account, and so the system that recognises an id. Absent: the name. */
  readonly identity?: string;
  /**
   * `go` consumes one call of the rate limit, and must be followed by one send(). A part of the rate limit is reserved for
   * urgent messages; the default is normal.
   */
  admit(priority?: Priority): ProviderAdmission;
  health(): { readonly status: 'ready' | 'degraded'; readonly reason?: string };
}

/** The current providers; all are replaced together when the configuration changes. */
export interface Providers {
  /** In the order of the configuration (N2); empty: no provider for this channel. */
  of(channel: Channel): readonly GuardedProvider[];
}
