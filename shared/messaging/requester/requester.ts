import type { Problem } from '../../platform/problem.ts';
import type { AnswerHeaders } from '../answer-headers.ts';

/** One request to a worker. */
export interface OutgoingRequest {
  readonly topic: string;
  /** Record name in the catalogue of messages. */
  readonly type: string;
  readonly payload: unknown;
  /** Partition key; absent: the correlation id, which spreads requests evenly. */
  readonly key?: string;
  /** Partition of the request topic; absent: the key decides. */
  readonly partition?: number;
  /** Travels as header plat-origin-timestamp, epoch milliseconds (D2); absent: the moment of sending. */
  readonly originTimestampMs?: number;
  /** The longest time the caller waits; travels as header plat-deadline. */
  readonly timeoutMs: number;
  /** Correlation id shown to the caller; absent: a new UUID. */
  readonly correlationId?: string;
  readonly traceParent?: string;
}

/** What came back: the typed payload, or the worker's problem. */
export type Reply =
  | {
      readonly kind: 'reply';
      readonly type: string;
      readonly payload: unknown;
      /** The answer as JSON text, where it was rendered elsewhere; the payload is undefined then. */
      readonly body?: Uint8Array;
      readonly warnings?: string;
      /** What else the answer tells beside its body: ASCII, of limited length. */
      readonly headers?: AnswerHeaders;
    }
  | { readonly kind: 'problem'; readonly problem: Problem };

/**
 * Request-reply over the log. Infrastructure trouble is answered as a problem too: broker-unavailable (not on the log
 * as far as is known; a request that waited may still get there, and its reply is dropped), reply-timeout, not-ready (reply consumer not assigned), overloaded (too many pending). Never rejects for those.
 */
export interface Requester {
  /** Resolves when replies can be received: the reply consumer is assigned and positioned. */
  start(): Promise<void>;
  isReady(): boolean;
  request(request: OutgoingRequest): Promise<Reply>;
  /** Number of requests that wait for a reply. */
  pending(): number;
  /** Waits for pending replies at most `timeoutMs`, then closes. */
  stop(timeoutMs: number): Promise<void>;
}

export interface RequesterStats {
  readonly sent: number;
  readonly replied: number;
  readonly timedOut: number;
  /** Replies that nobody waited for: late, repeated, or of another instance on the same partition. */
  readonly unknownReplies: number;
  readonly pending: number;
}
