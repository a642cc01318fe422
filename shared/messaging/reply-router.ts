import { isPromise, type MaybePromise } from './maybe-promise.ts';
import type { MessageHeaders } from './message.ts';
import type { Publisher } from './ports.ts';
import { readReplyAddress } from './reply-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { TopicDirectory } from './topic-directory.ts';

/** Why a reply cannot be delivered; also the code of the dead letter. */
export type ReplyFault =
  | 'no-reply-address'
  | 'reply-topic-unknown'
  | 'reply-topic-refused'
  | 'reply-partition-invalid'
  | 'reply-undeliverable';

/** Where a reply goes and by which publisher, or why it cannot go anywhere. */
export type ReplyRoute =
  | {
      readonly kind: 'route';
      readonly topic: string;
      readonly partition: number | undefined;
      readonly publisher: Publisher;
      /** The topic is not ours: it may be broken without anything being wrong here. */
      readonly isForeign: boolean;
    }
  | { readonly kind: 'fault'; readonly code: ReplyFault };

export interface ReplyRouterOptions {
  readonly replies: Publisher;
  readonly foreignReplies: Publisher;
  readonly ownReplyTopics: readonly string[];
  readonly internalTopics: readonly string[];
  readonly directory: TopicDirectory;
  readonly clock: Clock;
}

/** A foreign topic that took no reply is spared for this time: each send to it would wait for its whole deadline. */
const FAILING_MS = 30_000;

const fault = (code: ReplyFault): ReplyRoute => ({ kind: 'fault', code });

/**
 * Finds the way of replies. Our own internal topics (requests, commands, dead letters) are refused, else anyone could
 * make us feed ourselves; replies to foreign topics go by a publisher of their own, so that a broken one holds up
 * nobody else's.
 */
export class ReplyRouter {
  readonly #options: ReplyRouterOptions;
  readonly #own: ReadonlySet<string>;
  readonly #internal: ReadonlySet<string>;
  /** Foreign topics that took no reply, with the time until which they are spared. */
  readonly #failing = new Map<string, number>();

  constructor(options: ReplyRouterOptions) {
    this.#options = options;
    this.#own = new Set(options.ownReplyTopics);
    this.#internal = new Set(options.internalTopics);
  }

  /** Synchronous for topics that were met before. Rejects on lost infrastructure. */
  find(headers: MessageHeaders): MaybePromise<ReplyRoute> {
    const address = readReplyAddress(headers);
    if (address.kind === 'none') return fault('no-reply-address');
    if (address.kind === 'unusable') return fault(address.code);
    const { topic, partition } = address;
    // Double underscores: the broker's own topics.
    if (this.#internal.has(topic) || topic.startsWith('__')) return fault('reply-topic-refused');
    const count = this.#options.directory.partitions(topic, partition);
    if (!isPromise(count)) return this.#route(topic, partition, count);
    return count.then((late) => this.#route(topic, partition, late));
  }

  /** The foreign topic took no reply although our own broker connection is well. */
  markFailing(topic: string): void {
    this.#failing.set(topic, this.#options.clock.now() + FAILING_MS);
  }

  #isFailing(topic: string): boolean {
    const untilMs = this.#failing.get(topic);
    if (untilMs === undefined) return false;
    if (this.#options.clock.now() < untilMs) return true;
    this.#failing.delete(topic);
    return false;
  }

  #route(topic: string, partition: number | undefined, count: number | undefined): ReplyRoute {
    if (count === undefined) return fault('reply-topic-unknown');
    if (partition !== undefined && partition >= count) return fault('reply-partition-invalid');
    const isForeign = !this.#own.has(topic);
    if (isForeign && this.#isFailing(topic)) return fault('reply-undeliverable');
    const publisher = isForeign ? this.#options.foreignReplies : this.#options.replies;
    return { kind: 'route', topic, partition, publisher, isForeign };
  }
}
