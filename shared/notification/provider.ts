import type { Channel, Outbound, Priority } from './notification-command.ts';

/**
 * Of the failures, only `unknown` may mean that the message was sent. `transient` may succeed later, `permanent` never.
 * `misconfigured` (credentials, settings) opens the circuit breaker. `code` is stable, without personal data or
 * secrets, and has at most 64 characters of [A-Za-z0-9._-].
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly providerMessageId: string | undefined;
      /** Code of the first rejected copy (cc, bcc); absent if all were accepted. */
      readonly code?: string;
    }
  | {
      readonly kind: 'transient';
      readonly code: string;
      readonly retryAfterMs?: number;
      /** The failure concerns this receiver only (mailbox full, greylisted). It does not count against the provider. */
      readonly isAboutReceiver?: true;
      /** The provider was not called, because it had no free connection. The result says nothing about the provider. */
      readonly isUncalled?: true;
    }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'misconfigured'; readonly code: string }
  | {
      readonly kind: 'unknown';
      readonly code: string;
      /** The answer leaves open whether the provider sent this message. It does not count against the provider. */
      readonly isAboutMessage?: true;
    };

export interface Provider {
  /** As in the configuration, with `#2` and so on after a repeated name. It is a label of metrics. */
  readonly name: string;
  readonly channel: Channel;
  /** True if sending the same id twice delivers once, so an unknown outcome may be retried. */
  readonly isIdempotent: boolean;
  /** The provider makes codes (N10) and sends nothing else. These calls have the code as text and its reference as id. */
  readonly codes?: Readonly<Record<'check' | 'cancel' | 'replace', Provider | undefined>> | undefined;
  /** Maximum number of concurrent calls. Further calls wait inside the provider. Absent if unlimited. */
  readonly concurrency?: number | undefined;
  /** Never rejects, and never logs the message. Ends at the latest when its time limits are over or `signal` aborts. */
  send(message: Outbound, signal: AbortSignal, priority?: Priority): Promise<SendResult>;
  /** Waits for the calls in progress, then closes the connections. Idempotent. */
  close(): Promise<void>;
}

/** `wait`: the rate limit is used up. `open`: a result with `code` opened the circuit breaker. */
export type ProviderAdmission =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };

export interface GuardedProvider extends Provider {
  /** Identifies settings such as URL and account, and so the system that recognises an id. If absent, the name does. */
  readonly identity?: string | undefined;
  /** `go` counts a call against the rate limit; one send() must follow. Part of it is for urgent messages only. */
  admit(priority?: Priority): ProviderAdmission;
  health(): { readonly status: 'ready' | 'degraded'; readonly reason?: string };
}

export interface Providers {
  /** In the order of the configuration (N2). Empty if the channel has no provider. */
  of(channel: Channel): readonly GuardedProvider[];
}
