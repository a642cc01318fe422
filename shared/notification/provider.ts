import type { Channel, Outbound, Priority } from './notification-command.ts';

/**
 * Of the failures, only with `unknown` may the message have been sent. `transient` may succeed later, `permanent` never.
 * `misconfigured` (credentials, settings) opens the breaker. `code` is stable, without personal data or secrets, and has at
 * most 64 characters of [A-Za-z0-9._-].
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly providerMessageId: string | undefined;
      /** The first rejection of a copy (cc, bcc); absent if all were accepted. */
      readonly code?: string;
    }
  | {
      readonly kind: 'transient';
      readonly code: string;
      readonly retryAfterMs?: number;
      /** The failure concerns this receiver only (mailbox full, greylisted), so it is not one of the provider. */
      readonly isAboutReceiver?: true;
      /** The provider was not called, because it had no free connection. The result says nothing about the provider. */
      readonly isUncalled?: true;
    }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'misconfigured'; readonly code: string }
  | {
      readonly kind: 'unknown';
      readonly code: string;
      /** The provider answered, but not clearly about this message, so this is not a failure of the provider. */
      readonly isAboutMessage?: true;
    };

export interface Provider {
  /** As in the configuration, with `#2` and so on after a repeated name. It is a label of metrics. */
  readonly name: string;
  readonly channel: Channel;
  /** True if sending the same id twice delivers once, so that an unknown outcome may be retried. */
  readonly isIdempotent: boolean;
  /** Most concurrent calls. Further calls wait inside the provider. Absent: unlimited. */
  readonly concurrency?: number | undefined;
  /** Never rejects, and never logs the message. Ends within the provider's time limit, or earlier by `signal`. */
  send(message: Outbound, signal: AbortSignal, priority?: Priority): Promise<SendResult>;
  /** Waits for the calls in progress, then closes the connections. Idempotent. */
  close(): Promise<void>;
}

/** `wait`: the rate limit is used up. `open`: the circuit breaker is open, after failures with `code`. */
export type ProviderAdmission =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };

export interface GuardedProvider extends Provider {
  /** Identifies settings such as URL and account, and so the system that recognises an id. Absent: use the name. */
  readonly identity?: string | undefined;
  /** `go` takes one call of the rate limit, and one send() must follow. A part of the limit is reserved for urgent messages. */
  admit(priority?: Priority): ProviderAdmission;
  health(): { readonly status: 'ready' | 'degraded'; readonly reason?: string };
}

export interface Providers {
  /** In the order of the configuration (N2). Empty: the channel has no provider. */
  of(channel: Channel): readonly GuardedProvider[];
}
