import type { MonotonicClock } from '../../platform/clock.ts';
import { InfrastructureError, MessagingError } from '../../platform/errors.ts';
import { HEADER } from '../header-names.ts';
import { headerText, headerValue } from '../headers.ts';
import {
  partitionId,
  type HeaderValue,
  type LogMessage,
  type MessageHeaders,
  type OutgoingMessage,
  type TopicPartition,
} from '../message.ts';
import { abandon, type Outcome } from '../outcome.ts';
import type { Publisher } from '../ports.ts';
import { isTransientFailure } from '../processing-result.ts';
import { andThen, type SyncOrAsync } from '../sync-or-async.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import type { ReplyFault } from './reply-dead-letter.ts';
import type { Request } from './request.ts';
import { SilentPartitions } from './silent-reply-partitions.ts';
import type { TopicDirectory } from './topic-directory.ts';

/** The destination of a reply and its publisher. */
export interface Route extends TopicPartition {
  readonly kind: 'route';
  readonly publisher: Publisher;
}

interface Fault {
  readonly kind: 'fault';
  readonly code: ReplyFault;
}

export interface ReplyRouterOptions {
  /** For replies to our own topics, and the outputs of handlers. */
  readonly replies: Publisher;
  /** For replies to all other topics. */
  readonly foreignReplies: Publisher;
  /** For replies to silent partitions, which must not delay others. Default: `foreignReplies`. */
  readonly probes?: Publisher;
  /** For large replies to our own topics, which must not delay small ones. Default: `replies`. */
  readonly largeReplies?: Publisher;
  readonly ownReplyTopics: readonly string[];
  /** Whether replies may be written to a topic, see replyTopicRule. */
  readonly mayReplyTo: (topic: string) => boolean;
  readonly monotonic: MonotonicClock;
}

/**
 * Replies to foreign topics are slow when MAX_SLOW_REPLIES are in flight and the oldest has taken SLOW_REPLY_MS. Further
 * requests with foreign reply topics are then retried later, so that the other places stay free for our own ingress.
 */
const SLOW_REPLY_MS = 500;
const MAX_SLOW_REPLIES = 16;
/** Encoding and sending a reply of this size takes about 10 ms. */
const LARGE_REPLY_BYTES = 1_048_576;
/** A valid topic name in Kafka. */
const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const DECIMAL = /^\d{1,9}$/;
const INT32_BYTES = 4;

const fault = (code: ReplyFault): Fault => ({ kind: 'fault', code });

/**
 * Finds the destination of replies. Replies to foreign topics and silent partitions have separate publishers, so that they do not
 * delay others.
 */
export class ReplyRouter {
  readonly #options: ReplyRouterOptions;
  readonly #directory: TopicDirectory;
  readonly #own: ReadonlySet<string>;
  readonly #silent: SilentPartitions;
  /** Foreign replies in flight, the oldest first, with the start of each (monotonic milliseconds). */
  readonly #foreignSends = new Set<{ readonly startedMs: number }>();

  constructor(options: ReplyRouterOptions, directory: TopicDirectory) {
    this.#options = options;
    this.#directory = directory;
    this.#silent = new SilentPartitions(options.monotonic);
    this.#own = new Set(options.ownReplyTopics);
  }

  /**
   * Decides whether a request can be handled, before it is calculated. Throws a transient failure when its reply could not
   * be sent now; a few requests for a silent partition are admitted as probes (`probeEnded` must follow). Returns undefined
   * if the request is to be handled, and its outcome if it has waited too long.
   */
  admit(request: Request): SyncOrAsync<Outcome | undefined> {
    const isSlow = this.#isSlow();
    if (this.#silent.isEmpty && !isSlow) return undefined;
    return andThen(this.find(request.message), (route) => this.#admit(request, route, isSlow));
  }

  /** Ends the probe of a request, if it was one; called when the request has ended or is retried later. */
  probeEnded(request: Request): void {
    if (request.probedPartition !== undefined) this.#silent.probeEnded(request.probedPartition);
    request.probedPartition = undefined;
  }

  /** Finds the route of the reply, synchronously for cached topics. Rejects when the broker cannot be queried. */
  find(message: LogMessage): SyncOrAsync<Route | Fault> {
    const address = readReplyAddress(message.headers);
    if (address.kind === 'fault') return address;
    const { topic, partition } = address;
    if (!this.#options.mayReplyTo(topic)) return fault('reply-topic-refused');
    return andThen(this.#directory.partitions(topic, partition), (count) => {
      if (count === undefined) return fault('reply-topic-unknown');
      if (partition !== undefined && partition >= count) return fault('reply-partition-invalid');
      const chosen = partition ?? this.#choosePartition(message, topic, count);
      return { kind: 'route', topic, partition: chosen, publisher: this.#choosePublisher(topic, chosen) };
    });
  }

  /** Publishes a reply and records whether its partition is silent. Rejects like {@link Publisher.publish}. */
  publish(route: Route, reply: OutgoingMessage): Promise<void> {
    const id = partitionId(route.topic, route.partition);
    const send = { startedMs: this.#options.monotonic.elapsedMs() };
    const isForeign = !this.#own.has(route.topic);
    if (isForeign) this.#foreignSends.add(send);
    const ended = (): void => {
      if (isForeign) this.#foreignSends.delete(send);
      this.#silent.answered(id);
    };
    const failed = (error: unknown): never => {
      this.#foreignSends.delete(send);
      if (!isTransientFailure(error)) this.#silent.answered(id);
      else if (isOfLeader(error)) this.#silent.silent(id, send.startedMs);
      throw error;
    };
    return this.#publisherBySize(route, reply).publish([reply]).then(ended, failed);
  }

  #isSlow(): boolean {
    if (this.#foreignSends.size < MAX_SLOW_REPLIES) return false;
    const [oldest] = this.#foreignSends;
    return oldest !== undefined && this.#options.monotonic.elapsedMs() - oldest.startedMs >= SLOW_REPLY_MS;
  }

  #admit(request: Request, route: Route | Fault, isSlow: boolean): Outcome | undefined {
    if (route.kind === 'fault') return undefined;
    if (isSlow && !this.#own.has(route.topic)) {
      throw new InfrastructureError('replies-slow', 'many replies to foreign topics are waiting to be sent');
    }
    const id = partitionId(route.topic, route.partition);
    const admission = this.#silent.admit(id, request.message);
    if (admission === 'probe') request.probedPartition = id;
    if (admission === 'wait') {
      throw new InfrastructureError(
        'reply-partition-silent',
        `partition ${id} does not currently accept replies`,
      );
    }
    if (admission !== 'give-up') return undefined;
    const title = 'The reply partition has accepted no replies for too long, or too many wait for it';
    return abandon({ type: 'about:blank', title, status: 503, code: 'reply-undeliverable' });
  }

  #publisherBySize({ publisher }: Route, { value }: OutgoingMessage): Publisher {
    const { replies, largeReplies = replies } = this.#options;
    return publisher === replies && (value?.length ?? 0) > LARGE_REPLY_BYTES ? largeReplies : publisher;
  }

  #choosePublisher(topic: string, partition: number): Publisher {
    const { replies, foreignReplies, probes = foreignReplies } = this.#options;
    if (this.#silent.has(partitionId(topic, partition))) return probes;
    return this.#own.has(topic) ? replies : foreignReplies;
  }

  /** Uses the key, as all Kafka clients do; without a key, the offset of the request chooses a partition, skipping silent ones. */
  #choosePartition({ key, offset }: LogMessage, topic: string, count: number): number {
    if (key !== null) return partitionOfKey(key, count);
    for (let step = 0; step < count; step += 1) {
      const partition = (offset + step) % count;
      if (!this.#silent.has(partitionId(topic, partition))) return partition;
    }
    return offset % count;
  }
}

/** Whether the leader of the partition caused the error, and not the requests that the publisher had queued earlier. */
function isOfLeader(error: unknown): boolean {
  return error instanceof MessagingError && (error.code === 'send-unknown' || error.cause !== undefined);
}

/** The reply address of a request; its topic may not exist. */
type ReplyAddress =
  | { readonly kind: 'address'; readonly topic: string; readonly partition: number | undefined }
  | Fault;

/** Reads kafka_replyTopic and kafka_replyPartition. */
export function readReplyAddress(headers: MessageHeaders): ReplyAddress {
  const topic = headerText(headers, HEADER.replyTopic);
  if (topic === undefined || topic === '') return fault('no-reply-address');
  if (!TOPIC_NAME.test(topic) || topic === '.' || topic === '..') return fault('reply-topic-unknown');
  const given = headerValue(headers, HEADER.replyPartition);
  if (given === undefined || given.length === 0) return { kind: 'address', topic, partition: undefined };
  const partition = readPartition(given);
  return partition === undefined ? fault('reply-partition-invalid') : { kind: 'address', topic, partition };
}

/**
 * Decimal text (NestJS) or four bytes big-endian (Spring). Four digits are text: as bytes they would be a partition beyond
 * 800 million.
 */
function readPartition(given: HeaderValue): number | undefined {
  // The most frequent form: a zero byte is no digit.
  if (Buffer.isBuffer(given) && given.length === INT32_BYTES && given[0] === 0) return given.readInt32BE();
  const text = given.toString();
  if (DECIMAL.test(text)) return Number(text);
  const bytes = Buffer.from(given);
  if (bytes.length !== INT32_BYTES) return undefined;
  const partition = bytes.readInt32BE();
  return partition < 0 ? undefined : partition;
}
