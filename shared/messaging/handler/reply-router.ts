import type { SystemPorts } from '../../platform/system-ports.ts';
import { InfrastructureError, MessagingError, errorText } from '../../platform/errors.ts';
import { HEADER, headerText, headerValue } from '../headers.ts';
import type { HeaderValue, LogMessage, MessageHeaders, OutgoingMessage, TopicPartition } from '../message.ts';
import type { Publisher, BrokerAdmin } from '../ports.ts';
import { andThen, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import { TopicPartitions } from '../topics/topic-partitions.ts';
import { isTransientFailure } from '../outcome.ts';
import type { DeadLetterReason } from './dead-letter.ts';

export interface Route extends TopicPartition {
  readonly kind: 'route';
  readonly publisher: Publisher;
}

export interface ReplyRouterOptions extends Pick<SystemPorts, 'monotonic' | 'timers'> {
  /** For replies to our own topics, and the outputs of handlers. */
  readonly replies: Publisher;
  readonly foreignReplies: Publisher;
  readonly ownReplyTopics: readonly string[];
  readonly mayReplyTo: (topic: string) => boolean;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
}

/** With MAX_SLOW_REPLIES foreign replies in flight, one for SLOW_REPLY_MS, requests that would add one are retried. */
const SLOW_REPLY_MS = 500;
const MAX_SLOW_REPLIES = 16;
const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const DECIMAL = /^\d{1,9}$/;
const INT32_BYTES = 4;

type Fault = ReturnType<typeof fault>;
const fault = (code: ReplyFault) => ({ kind: 'fault', code }) as const;

/** Finds where replies go. Those to foreign topics have a publisher of their own, so that they do not delay others. */
export class ReplyRouter {
  readonly #options: ReplyRouterOptions;
  readonly #topics: TopicPartitions;
  readonly #own: ReadonlySet<string>;
  /** Foreign replies in flight, the oldest first, with the start of each (monotonic milliseconds). */
  readonly #foreignSends = new Set<{ readonly startedMs: number }>();

  constructor(options: ReplyRouterOptions) {
    this.#options = options;
    this.#topics = new TopicPartitions(options.admin, options);
    this.#own = new Set(options.ownReplyTopics);
  }

  /** Throws InfrastructureError `replies-slow` if the reply would wait for slow ones. Call it before a calculation. */
  admit({ headers }: LogMessage): void {
    const [{ startedMs } = { startedMs: Infinity }] = this.#foreignSends;
    const isSlow = this.#options.monotonic.elapsedMs() - startedMs >= SLOW_REPLY_MS;
    if (!isSlow || this.#foreignSends.size < MAX_SLOW_REPLIES) return;
    const address = readReplyAddress(headers);
    if (address.kind === 'address' && !this.#own.has(address.topic))
      throw new InfrastructureError('replies-slow', 'many replies to foreign topics are waiting to be sent');
  }

  /** Rejects with InfrastructureError `reply-topic-unsettled` if the broker cannot be asked. */
  find(message: LogMessage): SyncOrAsync<Route | Fault> {
    const address = readReplyAddress(message.headers);
    if (address.kind === 'fault') return address;
    const { topic, partition } = address;
    if (!this.#options.mayReplyTo(topic)) return fault('reply-topic-refused');
    return andThen(this.#topics.known(topic, partition) ?? this.#query(topic), (count) => {
      if (count === undefined) return fault('reply-topic-unknown');
      if (partition !== undefined && partition >= count) return fault('reply-partition-invalid');
      const { replies, foreignReplies } = this.#options;
      const publisher = this.#own.has(topic) ? replies : foreignReplies;
      const { key, offset } = message;
      const chosen = partition ?? (key === null ? offset % count : partitionOfKey(key, count));
      return { kind: 'route', topic, partition: chosen, publisher };
    });
  }

  /** Rejects like Publisher.publish(); see classify(). */
  publish(route: Route, reply: OutgoingMessage): Promise<void> {
    const publishing = route.publisher.publish([reply]);
    if (this.#own.has(route.topic)) return publishing;
    const send = { startedMs: this.#options.monotonic.elapsedMs() };
    this.#foreignSends.add(send);
    return publishing.finally(() => this.#foreignSends.delete(send));
  }

  /** Why a reply failed. Rethrows bugs and transient failures, except a leader's from attempt MAX_ATTEMPTS on. */
  async classify(
    error: unknown,
    attempt: number,
    destination: TopicPartition,
  ): Promise<'too-large' | DeadLetterReason> {
    if (attempt >= MAX_ATTEMPTS && isOfLeader(error)) return replyDeadLetterReason('reply-undeliverable');
    if (!(error instanceof MessagingError) || isTransientFailure(error)) throw error;
    if (error.code === 'message-too-large') return 'too-large';
    if (error.code === 'topic-unknown') return replyDeadLetterReason(await this.#findMissing(destination));
    return { code: 'reply-undeliverable', text: `the reply topic rejected the reply: ${error.code}` };
  }

  /** If the partition exists, the publisher's metadata is stale: throws a transient failure. */
  async #findMissing({ topic, partition }: TopicPartition): Promise<ReplyFault> {
    const count = await this.#query(topic);
    if (count === undefined) return 'reply-topic-unknown';
    if (partition >= count) return 'reply-partition-invalid';
    const what = `partition ${partition} of ${topic} is unknown to the publisher but known to the broker`;
    throw new InfrastructureError('reply-topic-unsettled', what);
  }

  async #query(topic: string): Promise<number | undefined> {
    try {
      return await this.#topics.find(topic);
    } catch (error) {
      if (error instanceof MessagingError && error.code === 'topic-unknown') return undefined;
      // Refused credentials or a closed connection do not mean that the topic is missing.
      throw new InfrastructureError('reply-topic-unsettled', errorText(error), error);
    }
  }
}

export function readReplyAddress(headers: MessageHeaders) {
  const topic = headerText(headers, HEADER.replyTopic);
  if (topic === undefined || topic === '') return fault('no-reply-address');
  if (!TOPIC_NAME.test(topic) || topic === '.' || topic === '..') return fault('reply-topic-unknown');
  const given = headerValue(headers, HEADER.replyPartition);
  const partition = given === undefined || given.length === 0 ? undefined : readPartition(given);
  return partition === null
    ? fault('reply-partition-invalid')
    : ({ kind: 'address', topic, partition } as const);
}

/** Reads decimal text (NestJS) or four bytes big-endian (Spring); null if neither. Four digits are read as text. */
function readPartition(given: HeaderValue): number | null {
  const text = given.toString();
  if (DECIMAL.test(text)) return Number(text);
  const bytes = Buffer.from(given);
  const partition = bytes.length === INT32_BYTES ? bytes.readInt32BE() : -1;
  return partition < 0 ? null : partition;
}

const REASONS = {
  'no-reply-address': 'the message names no reply topic',
  'reply-topic-unknown': 'the reply topic does not exist',
  'reply-topic-refused': 'the reply topic is not allowed, see the setting REPLY_TOPICS',
  'reply-partition-invalid': 'the reply partition does not exist',
  'reply-undeliverable': 'the reply topic accepts no replies',
} as const;

type ReplyFault = keyof typeof REASONS;

export function replyDeadLetterReason(code: ReplyFault): DeadLetterReason {
  return { code, text: REASONS[code] };
}

/** Attempts in about ten minutes: a topic whose broker is gone must not hold up the requests of others for hours. */
const MAX_ATTEMPTS = 60;

/** Whether the leader of the partition caused the error, and not messages that the publisher had queued earlier. */
function isOfLeader(error: unknown): boolean {
  return error instanceof MessagingError && (error.code === 'send-unknown' || error.cause !== undefined);
}
