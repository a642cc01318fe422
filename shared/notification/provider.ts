import type { Channel, Outbound } from './command.ts';

/**
 * What came of handing a notification to a provider. `code` is stable, at most 64 characters of [A-Za-z0-9._-], and
 * never holds personal data or a secret. `transient`: surely not sent, may succeed later. `permanent`: surely not sent
 * and never will be. `misconfigured`: surely not sent, because of credentials or settings; the provider is set aside.
 * `unknown`: it may or may not have been sent (time-out after the bytes went out).
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly providerMessageId: string | undefined;
      /** Some copies (cc, bcc) were refused; absent when all were taken. */
      readonly code?: string;
    }
  | {
      readonly kind: 'transient';
      readonly code: string;
      readonly retryAfterMs?: number;
      /** Only this receiver cannot be served now (full mailbox, greylisted): says nothing about the provider. */
      readonly isAboutReceiver?: true;
    }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'misconfigured'; readonly code: string }
  | {
      readonly kind: 'unknown';
      readonly code: string;
      /** The provider answered, and what it said of this message cannot be told: says nothing about the provider. */
      readonly isAboutMessage?: true;
    };

/** A way out of the system for one channel. */
export interface Provider {
  /** As in the configuration, with `#2` and so on behind a repeated name; label of metrics. */
  readonly name: string;
  readonly channel: Channel;
  /** True where sending the same id twice delivers once: an unknown outcome may then be tried again. */
  readonly isIdempotent: boolean;
  /** Changes with any setting that decides who knows an id again, such as address and account. Absent: the name. */
  readonly identity?: string;
  /** Calls that it serves side by side; more wait inside it. Absent: any number. */
  readonly concurrency?: number;
  /** Never rejects and never logs the message. Ends within its own time-out; `signal` ends it earlier. */
  send(message: Outbound, signal: AbortSignal): Promise<SendResult>;
  /** Lets what is under way end, closes connections. Idempotent. */
  close(): Promise<void>;
}

/** Whether a provider may be asked now. */
export type ProviderAdmission =
  | { readonly kind: 'go' }
  /** Its rate limit is used up for so long. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Its circuit breaker is open; it is tried again after so long. */
  | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };

/** A provider behind its rate limit and its circuit breaker. */
export interface GuardedProvider extends Provider {
  /** Takes one call from the allowance when it answers `go`; each `go` is followed by one send(). */
  admit(): ProviderAdmission;
  health(): { readonly status: 'ready' | 'degraded'; readonly reason?: string };
}

/** The providers in force; replaced as a whole when the configuration changes. */
export interface Providers {
  /** In the order of the configuration (N2); empty: none for this channel. */
  of(channel: Channel): readonly GuardedProvider[];
}
