import { InfrastructureError, MessagingError } from '../../platform/errors.ts';
import { isPassingFailure } from '../processing-result.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import { partitionId, type LogMessage, type OutgoingMessage } from '../message.ts';
import { abandon, type Outcome } from '../outcome.ts';
import type { Policy } from './policy.ts';
import type { Publisher } from '../ports.ts';
import { readReplyAddress } from './reply-address.ts';
import type { Request } from './request.ts';
import { SilentPartitions } from './silent-partitions.ts';
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
      readonly partition: number;
      readonly publisher: Publisher;
    }
  | { readonly kind: 'fault'; readonly code: ReplyFault };

type Route = Extract<ReplyRoute, { kind: 'route' }>;

export interface ReplyRouterOptions {
  readonly replies: Publisher;
  readonly foreignReplies: Publisher;
  /** Carries replies to partitions that took none last time: their silence holds up none of the others'. */
  readonly probes: Publisher;
  /** Carries large replies to our own topics: the small ones that come after them go their way meanwhile. */
  readonly largeReplies: Publisher;
  readonly ownReplyTopics: readonly string[];
  readonly internalTopics: readonly string[];
  readonly directory: TopicDirectory;
}

/**
 * Replies to foreign topics that take longer than this are slow; as long as so many are under way and the first of them is,
 * further requests with foreign reply topics wait on their topic. The other places are for those of our own ingress.
 */
const SLOW_REPLY_MS = 500;
const MAX_SLOW_REPLIES = 16;

/** Such a reply takes some 10 ms to be written and sent, in bytes. */
const LARGE_REPLY_BYTES = 1_048_576;

const fault = (code: ReplyFault): ReplyRoute => ({ kind: 'fault', code });

/**
 * Finds the way of replies. Our own internal topics (requests, commands, dead letters) are refused, else anyone could
 * make us feed ourselves; replies to foreign topics have a publisher of their own, so that a broken one holds up
 * nobody else's, and so do those to partitions that were silent.
 */
export class ReplyRouter {
  readonly #options: ReplyRouterOptions;
  readonly #own: ReadonlySet<string>;
  readonly #internal: ReadonlySet<string>;
  readonly #silent = new SilentPartitions();
  /** Foreign replies under way, the oldest first; each with when it began (monotonic milliseconds). */
  readonly #foreignSends = new Set<{ readonly beganMs: number }>();

  constructor(options: ReplyRouterOptions) {
    this.#options = options;
    this.#own = new Set(options.ownReplyTopics);
    this.#internal = new Set(options.internalTopics);
  }

  /**
   * Lets a request pass unless its reply could not be sent now. Of those for a silent partition one at a time finds out
   * whether it answers again (`probeEnded` must follow), and the others wait on their topic before they are computed.
   */
  readonly admit: Policy = (request) => {
    const isSlow = this.#isSlow();
    if (this.#silent.isEmpty && !isSlow) return undefined;
    const route = this.find(request.message);
    return isPromise(route)
      ? route.then((late) => this.#admit(request, late, isSlow))
      : this.#admit(request, route, isSlow);
  };

  /** The request has ended, or waits for another attempt. */
  probeEnded(request: Request): void {
    if (request.probedPartition !== undefined) this.#silent.probeEnded(request.probedPartition);
    request.probedPartition = undefined;
  }

  /** Synchronous for topics that were met before. Rejects on lost infrastructure. */
  find(message: LogMessage): MaybePromise<ReplyRoute> {
    const address = readReplyAddress(message.headers);
    if (address.kind === 'none') return fault('no-reply-address');
    if (address.kind === 'unusable') return fault(address.code);
    const { topic, partition } = address;
    // Double underscores: the broker's own topics.
    if (this.#internal.has(topic) || topic.startsWith('__')) return fault('reply-topic-refused');
    const count = this.#options.directory.partitions(topic, partition);
    if (!isPromise(count)) return this.#route(message, { topic, partition }, count);
    return count.then((late) => this.#route(message, { topic, partition }, late));
  }

  /** Sends a reply, and keeps in mind whether its partition answers. Rejects as publishers do. */
  async publish(route: Route, reply: OutgoingMessage): Promise<void> {
    const id = partitionId(route.topic, route.partition);
    const send = { beganMs: performance.now() };
    if (!this.#own.has(route.topic)) this.#foreignSends.add(send);
    try {
      await this.#publisherOf(route, reply).publish([reply]);
      this.#silent.answered(id);
    } catch (error) {
      if (!isPassingFailure(error)) this.#silent.answered(id);
      else if (wasAsked(error)) this.#silent.silent(id, send.beganMs);
      throw error;
    } finally {
      this.#foreignSends.delete(send);
    }
  }

  #isSlow(): boolean {
    if (this.#foreignSends.size < MAX_SLOW_REPLIES) return false;
    const [oldest] = this.#foreignSends;
    return oldest !== undefined && performance.now() - oldest.beganMs >= SLOW_REPLY_MS;
  }

  #admit(request: Request, route: ReplyRoute, isSlow: boolean): Outcome | undefined {
    if (route.kind === 'fault') return undefined;
    if (isSlow && !this.#own.has(route.topic)) {
      throw new InfrastructureError('replies-slow', 'many replies to topics of others wait to be taken');
    }
    const id = partitionId(route.topic, route.partition);
    const admission = this.#silent.admit(id, request.message);
    if (admission === 'probe') request.probedPartition = id;
    if (admission === 'wait') {
      throw new InfrastructureError('reply-partition-silent', `partition ${id} takes no replies at present`);
    }
    if (admission !== 'give-up') return undefined;
    const title = 'The reply partition has taken no replies for too long, or too many wait for it';
    return abandon({ type: 'about:blank', title, status: 503, code: 'reply-undeliverable' });
  }

  #route(
    message: LogMessage,
    { topic, partition }: { readonly topic: string; readonly partition: number | undefined },
    count: number | undefined,
  ): ReplyRoute {
    if (count === undefined) return fault('reply-topic-unknown');
    if (partition !== undefined && partition >= count) return fault('reply-partition-invalid');
    const chosen = partition ?? this.#choose(message, topic, count);
    return { kind: 'route', topic, partition: chosen, publisher: this.#publisher(topic, chosen) };
  }

  #publisherOf({ publisher }: Route, { value }: OutgoingMessage): Publisher {
    const { replies, largeReplies } = this.#options;
    return publisher === replies && (value?.length ?? 0) > LARGE_REPLY_BYTES ? largeReplies : publisher;
  }

  #publisher(topic: string, partition: number): Publisher {
    const { replies, foreignReplies, probes } = this.#options;
    if (this.#silent.has(partitionId(topic, partition))) return probes;
    return this.#own.has(topic) ? replies : foreignReplies;
  }

  /** By the key, as every Kafka client does; without a key any partition that is not silent, the same at each look. */
  #choose({ key, offset }: LogMessage, topic: string, count: number): number {
    if (key !== null) return partitionOfKey(key, count);
    for (let step = 0; step < count; step += 1) {
      const partition = (offset + step) % count;
      if (!this.#silent.has(partitionId(topic, partition))) return partition;
    }
    return offset % count;
  }
}

/** Whether the leader of the partition itself failed, rather than others that were before it in the publisher's line. */
function wasAsked(error: unknown): boolean {
  return error instanceof MessagingError && (error.code === 'send-unknown' || error.cause !== undefined);
}
