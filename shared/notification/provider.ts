import type { Channel, Outbound, Priority } from './notification-command.ts';

/**
 * `code` is stable, without personal data or secrets: at most 64 characters of [A-Za-z0-9._-]. Of the failures only
 * `unknown` may have been sent. `transient` may succeed later, `permanent` never; `misconfigured` (credentials, settings)
 * opens the breaker.
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

export interface Provider {
  /** As in the configuration, with `#2` and so on after a repeated name; label of metrics. */
  readonly name: string;
  readonly channel: Channel;
  /** Whether sending the same id twice delivers once, so that an unknown outcome may be retried. */
  readonly isIdempotent: boolean;
  /** Maximum number of concurrent calls; further ones wait inside the provider. Absent: unlimited. */
  readonly concurrency?: number | undefined;
  /** Never rejects, never logs the message. Ends within the provider's time limit, or earlier by `signal`. */
  send(message: Outbound, signal: AbortSignal, priority?: Priority): Promise<SendResult>;
  /** Waits for the calls in progress, then closes the connections. Idempotent. */
  close(): Promise<void>;
}

export type ProviderAdmission =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };

export interface GuardedProvider extends Provider {
  /** Identifies its settings, such as URL and account, and so the system that recognises an id. Absent: the name. */
  readonly identity?: string | undefined;
  /** `go` consumes one call of the rate limit, a part of which is reserved for urgent messages. One send() must follow. */
  admit(priority?: Priority): ProviderAdmission;
  health(): { readonly status: 'ready' | 'degraded'; readonly reason?: string };
}

export interface Providers {
  /** In the order of the configuration (N2); empty: no provider for this channel. */
  of(channel: Channel): readonly GuardedProvider[];
}
