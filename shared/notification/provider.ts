import type { Channel, Outbound } from './command.ts';

/**
 * The result of a call of a provider. `code` is stable, at most 64 characters of [A-Za-z0-9._-], and never contains
 * personal data or a secret. `transient`: surely not sent, may succeed later. `permanent`: surely not sent and never will
 * be. `misconfigured`: surely not sent, because of credentials or settings; the provider is set aside. `unknown`: may or
 * may not have been sent (time-out after bytes were written).
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly providerMessageId: string | undefined;
      /** Some copies (cc, bcc) were rejected; absent when all were accepted. */
      readonly code?: string;
    }
  | {
      readonly kind: 'transient';
      readonly code: string;
      readonly retryAfterMs?: number;
      /** Only this receiver cannot be served now (full mailbox, greylisted): does not count against the provider. */
      readonly isAboutReceiver?: true;
    }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'misconfigured'; readonly code: string }
  | {
      readonly kind: 'unknown';
      readonly code: string;
      /** The provider answered, but its result for this message is unclear: does not count against the provider. */
      readonly isAboutMessage?: true;
    };

/** Sends the messages of one channel. */
export interface Provider {
  /** As in the configuration, with `#2` and so on after a repeated name; label of metrics. */
  readonly name: string;
  readonly channel: Channel;
  /** True where sending the same id twice delivers once: an unknown outcome may then be retried. */
  readonly isIdempotent: boolean;
  /** Changes with each setting that decides which system recognises an id, such as URL and account. Absent: the name. */
  readonly identity?: string;
  /** Concurrent calls that it serves; more wait inside it. Absent: any number. */
  readonly concurrency?: number;
  /** Never rejects and never logs the message. Ends within its own time-out; `signal` ends it earlier. */
  send(message: Outbound, signal: AbortSignal): Promise<SendResult>;
  /** Lets calls in progress end, closes connections. Idempotent. */
  close(): Promise<void>;
}

/** Whether a provider may be called now. */
export type ProviderAdmission =
  | { readonly kind: 'go' }
  /** Its rate limit is used up for this time. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Its circuit breaker is open for this time. */
  | { readonly kind: 'open'; readonly afterMs: number; readonly code: string };

/** A provider behind its rate limit and its circuit breaker. */
export interface GuardedProvider extends Provider {
  /** `go` takes one call from the allowance, and is followed by one send(). */
  admit(): ProviderAdmission;
  health(): { readonly status: 'ready' | 'degraded'; readonly reason?: string };
}

/** The providers in force; replaced as a whole when the configuration changes. */
export interface Providers {
  /** In the order of the configuration (N2); empty: no provider for this channel. */
  of(channel: Channel): readonly GuardedProvider[];
}
