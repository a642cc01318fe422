import type { MonotonicClock } from '../../platform/clock.ts';
import { InfrastructureError } from '../../platform/errors.ts';
import { HEADER } from '../header-names.ts';
import { headerText, headerValue } from '../headers.ts';
import type { HeaderValue, LogMessage, MessageHeaders, OutgoingMessage, TopicPartition } from '../message.ts';
import type { Publisher } from '../ports.ts';
import { andThen, type SyncOrAsync } from '../sync-or-async.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import type { ReplyFault } from './reply-dead-letter.ts';
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

/** Finds the destination of replies. Replies to foreign topics have a publisher of their own, so that they do not delay others. */
export class ReplyRouter {
  readonly #options: ReplyRouterOptions;
  readonly #directory: TopicDirectory;
  readonly #own: ReadonlySet<string>;
  /** Foreign replies in flight, the oldest first, with the start of each (monotonic milliseconds). */
  readonly #foreignSends = new Set<{ readonly startedMs: number }>();

  constructor(options: ReplyRouterOptions, directory: TopicDirectory) {
    this.#options = options;
    this.#directory = directory;
    this.#own = new Set(options.ownReplyTopics);
  }

  /** Throws a transient failure, before a request is calculated, when its reply would have to wait for many slow ones. */
  admit({ headers }: LogMessage): void {
    if (!this.#isSlow()) return;
    const address = readReplyAddress(headers);
    if (address.kind === 'address' && !this.#own.has(address.topic))
      throw new InfrastructureError('replies-slow', 'many replies to foreign topics are waiting to be sent');
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
      const { replies, foreignReplies } = this.#options;
      const publisher = this.#own.has(topic) ? replies : foreignReplies;
      return { kind: 'route', topic, partition: partition ?? choosePartition(message, count), publisher };
    });
  }

  /** Publishes a reply. Rejects like {@link Publisher.publish}. */
  publish(route: Route, reply: OutgoingMessage): Promise<void> {
    const publishing = this.#publisherBySize(route, reply).publish([reply]);
    if (this.#own.has(route.topic)) return publishing;
    const send = { startedMs: this.#options.monotonic.elapsedMs() };
    this.#foreignSends.add(send);
    return publishing.finally(() => this.#foreignSends.delete(send));
  }

  #isSlow(): boolean {
    if (this.#foreignSends.size < MAX_SLOW_REPLIES) return false;
    const [oldest] = this.#foreignSends;
    return oldest !== undefined && this.#options.monotonic.elapsedMs() - oldest.startedMs >= SLOW_REPLY_MS;
  }

  #publisherBySize({ publisher }: Route, { value }: OutgoingMessage): Publisher {
    const { replies, largeReplies = replies } = this.#options;
    return publisher === replies && (value?.length ?? 0) > LARGE_REPLY_BYTES ? largeReplies : publisher;
  }
}

/** Uses the key, as all Kafka clients do; without a key, the offset of the request. */
function choosePartition({ key, offset }: LogMessage, count: number): number {
  return key === null ? offset % count : partitionOfKey(key, count);
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
