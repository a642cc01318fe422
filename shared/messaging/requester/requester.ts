import { createProblem, type ErrorCode } from '../../platform/problem.ts';
import { MessagingError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { QUEUE_LIMITS } from '../../platform/queue-limits.ts';
import { FairShare } from '../../platform/fair-share.ts';
import { type SystemPorts, repeat, sleep, type MonotonicClock } from '../../platform/system-ports.ts';
import { ClockWarning } from '../clock-warning.ts';
import type { Codec, EncodedMessage } from '../codec.ts';
import { HEADER, headerText } from '../headers.ts';
import type { LogMessage, MessageHeaders } from '../message.ts';
import type { Broker, BrokerAdmin, Publisher, Tail } from '../ports.ts';
import { isTransientFailure, type Reply } from '../outcome.ts';
import type { SyncOrAsync } from '../../platform/sync-or-async.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import { readReply } from './read-reply.ts';

export interface OutgoingRequest {
  readonly topic: string;
  readonly type: string;
  readonly payload: unknown;
  /** Record key. Without one the publisher spreads requests evenly. */
  readonly key?: string;
  readonly partition?: number;
  /** Header plat-origin-timestamp, epoch milliseconds (D2); default: the time of sending. */
  readonly originTimestampMs?: number;
  /** How long the caller waits for the reply. Header plat-deadline is derived from it. */
  readonly timeoutMs: number;
  readonly correlationId?: string;
  readonly traceParent?: string;
  /** The media type for which `readReply` reads the reply. */
  readonly readAs?: string;
}

type ProblemReply = Extract<Reply, { kind: 'problem' }>;

/** The result of sending a request whose reply goes to another topic. */
export type Sent = { readonly kind: 'sent'; readonly correlationId: string } | ProblemReply;

export type Requester = Pick<LogRequester, keyof LogRequester>;

export interface RequesterOptions extends Omit<SystemPorts, 'random'> {
  readonly broker: Pick<Broker, 'createTail' | 'createPublisher'> & {
    readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  };
  readonly codec: Codec;
  readonly log: Log;
  readonly replyTopic: string;
  /** Determines the reply partition and the client ids. Two instances may share a partition. */
  readonly instanceId: string;
  /** Default 5,000 ms. Where latency does not matter, a longer deadline allows for a leader election. */
  readonly sendDeadlineMs?: number;
  /** Maximum number of waiting requests, at most half of them on one topic. Default: QUEUE_LIMITS.pendingReplies. */
  readonly maxPending?: number;
  /** Reads a reply; default: readReply with the codec. Rejects when infrastructure is unavailable. */
  readonly readReply?: (message: EncodedMessage, mediaType: string | undefined) => SyncOrAsync<Reply>;
}

/** Shorter than the timeouts of callers, so that they get broker-unavailable instead of a timeout. */
const SEND_DEADLINE_MS = 5_000;
/** While the broker cannot be reached, requests that are not stored within this time end with broker-unavailable. */
const UNREACHABLE_MS = 1_000;
const CHECK_INTERVAL_MS = 250;
/** Requests are still accepted for this long after the publisher or the reply consumer is lost: both soon reconnect. */
const REPLACEMENT_MS = 1_000;
const DRAIN_POLL_MS = 10;
const CLOSE_MS = 5_000;
const INT32_BYTES = 4;

export function createRequester(options: RequesterOptions): Requester {
  return new LogRequester(options);
}

/** The code of a failed send (E1). `unknown`: the message may be on the log. `bug`: our code is at fault. */
export function classifySendError(error: unknown): ErrorCode | 'unknown' | 'bug' {
  if (error instanceof MessagingError && error.code === 'send-unknown') return 'unknown';
  if (error instanceof MessagingError && error.code === 'message-too-large') return 'body-too-large';
  if (error instanceof MessagingError || isTransientFailure(error)) return 'broker-unavailable';
  return 'bug';
}

interface Pending {
  readonly id: string;
  readonly topic: string;
  readonly cancel: () => void;
  readonly requestedAtMs: number;
  readonly readAs: string | undefined;
  isStored: boolean;
  /** Undefined once the request has ended: if it is still being sent, it must not keep its reply in memory. */
  waiting: Pick<PromiseWithResolvers<Reply>, 'resolve' | 'reject'> | undefined;
}

/** Problems besides failed sends: `overloaded`, `not-ready` (unsent or stopped), `reply-timeout`, `unexpected`. */
class LogRequester {
  readonly #options: RequesterOptions;
  readonly #clockWarning: ClockWarning;
  readonly #publisher: Publisher;
  readonly #pending = new Map<string, Pending>();
  /** Slots of pending requests by topic: a topic whose worker is stuck takes at most half of them. */
  readonly #slots = new FairShare();
  readonly #counts = { sent: 0, refused: 0, replied: 0, timedOut: 0, unknownReplies: 0 };
  readonly #canSend: () => boolean;
  readonly #canReceive: () => boolean;
  #tail: Tail | undefined;
  #replyHeaders: MessageHeaders = {};
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #stopChecks: (() => void) | undefined;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#clockWarning = new ClockWarning(options);
    const { monotonic } = options;
    this.#canSend = tolerateOutage(() => this.#publisher.isHealthy(), REPLACEMENT_MS, monotonic);
    this.#canReceive = tolerateOutage(() => this.#tail?.isReady() === true, REPLACEMENT_MS, monotonic);
    this.#publisher = options.broker.createPublisher({
      clientId: `${options.instanceId}-requests`,
      deadlineMs: options.sendDeadlineMs ?? SEND_DEADLINE_MS,
    });
  }

  /** Resolves when the publisher is connected, and the reply consumer has its position. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  isReady(): boolean {
    return this.#stopping === undefined && this.#tail?.isReady() === true;
  }

  /** False while the publisher is disconnected. After REPLACEMENT_MS requests then end with `broker-unavailable`. */
  canSend(): boolean {
    return this.#publisher.isHealthy();
  }

  pending(): number {
    return this.#pending.size;
  }

  /** `unknownReplies`: late, repeated, or for another instance on the same partition. */
  stats() {
    return { ...this.#counts, pending: this.#pending.size };
  }

  /** Resolves with the reply or a problem. Rejects on a bug, such as a correlation id that is already pending. */
  request(request: OutgoingRequest): Promise<Reply> {
    const { topic, timeoutMs } = request;
    const { maxPending = QUEUE_LIMITS.pendingReplies, monotonic, timers } = this.#options;
    const id = request.correlationId ?? this.#options.newId();
    if (this.#stopping !== undefined || !this.#canReceive())
      return Promise.resolve(problemReply('not-ready', id));
    if (!this.#canSend()) return Promise.resolve(problemReply('broker-unavailable', id));
    if (!this.#slots.hasRoom(topic, maxPending)) {
      this.#counts.refused += 1;
      return Promise.resolve(problemReply('overloaded', id));
    }
    if (this.#pending.has(id))
      return Promise.reject(new Error('a request with this correlation id is already pending'));
    const waiting = Promise.withResolvers<Reply>();
    const cancel = timers.schedule(() => {
      this.#counts.timedOut += 1;
      this.#end(id, 'reply-timeout');
    }, timeoutMs);
    const requestedAtMs = monotonic.elapsedMs();
    const { readAs } = request;
    const pending: Pending = { id, topic, cancel, requestedAtMs, readAs, isStored: false, waiting };
    this.#pending.set(id, pending);
    this.#slots.take(topic, 1);
    void this.#sendPending(request, pending);
    return waiting.promise;
  }

  /** Resolves when the request is on the log, or with a problem. Only with `reply-timeout` may the request be there. */
  async fire(request: OutgoingRequest, replyTopic: string): Promise<Sent> {
    const correlationId = request.correlationId ?? this.#options.newId();
    if (this.#stopping !== undefined) return problemReply('not-ready', correlationId);
    if (!this.#canSend()) return problemReply('broker-unavailable', correlationId);
    try {
      await this.#send(request, correlationId, { [HEADER.replyTopic]: replyTopic });
      return { kind: 'sent', correlationId };
    } catch (error) {
      const code = classifySendError(error);
      if (code === 'bug') throw error;
      return problemReply(code === 'unknown' ? 'reply-timeout' : code, correlationId);
    }
  }

  /** Waits for pending replies. After `timeoutMs` the remaining requests end with `not-ready`. */
  stop(timeoutMs: number): Promise<void> {
    this.#stopping ??= this.#stop(timeoutMs);
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { broker, replyTopic, instanceId, timers } = this.#options;
    const count = (await broker.admin.partitionCounts([replyTopic])).get(replyTopic);
    if (count === undefined)
      throw new MessagingError('topic-unknown', `there is no reply topic ${replyTopic}`, { canRetry: false });
    // A hash determines the partition, so that no rebalance moves replies.
    const partition = partitionOfKey(Buffer.from(instanceId), count);
    const replyPartition = Buffer.alloc(INT32_BYTES);
    replyPartition.writeInt32BE(partition);
    this.#replyHeaders = { [HEADER.replyTopic]: replyTopic, [HEADER.replyPartition]: replyPartition };
    const clientId = `${instanceId}-replies`;
    const tail = broker.createTail({ clientId, topics: [replyTopic], from: 'latest', partition });
    this.#tail = tail;
    try {
      await Promise.all([this.#publisher.start(), tail.start((message) => this.#receive(message))]);
    } catch (error) {
      await tail.stop(CLOSE_MS);
      throw error;
    }
    if (this.#stopping !== undefined) await tail.stop(CLOSE_MS);
    else this.#stopChecks = repeat(timers, () => this.#checkConnections(), CHECK_INTERVAL_MS);
    this.#checkConnections();
  }

  /** A request that may be on the log stays pending: its reply may still arrive. */
  async #sendPending(request: OutgoingRequest, pending: Pending): Promise<void> {
    try {
      await this.#send(request, pending.id, this.#replyHeaders);
      pending.isStored = true;
    } catch (error) {
      const code = classifySendError(error);
      if (code === 'bug') this.#take(pending.id)?.reject(error);
      else if (code !== 'unknown') this.#end(pending.id, code);
    }
  }

  async #send(request: OutgoingRequest, id: string, replyHeaders: MessageHeaders): Promise<void> {
    const { topic, type, payload, key = null, partition, traceParent } = request;
    const { value, headers } = await this.#options.codec.encode(type, payload, 'avro');
    const timestampMs = this.#options.clock.now();
    const all: Record<string, MessageHeaders[string]> = {
      ...headers,
      ...replyHeaders,
      [HEADER.correlationId]: id,
      [HEADER.deadline]: String(timestampMs + request.timeoutMs),
      [HEADER.originTimestamp]: String(request.originTimestampMs ?? timestampMs),
    };
    if (traceParent !== undefined) all[HEADER.traceParent] = traceParent;
    this.#counts.sent += 1;
    const message = { topic, key, value, timestampMs, headers: all };
    await this.#publisher.publish([partition === undefined ? message : { ...message, partition }]);
  }

  #receive(message: LogMessage): void {
    this.#clockWarning.see(message);
    const id = headerText(message.headers, HEADER.correlationId) ?? '';
    const readAs = this.#pending.get(id)?.readAs;
    const waiting = this.#take(id);
    this.#counts[waiting === undefined ? 'unknownReplies' : 'replied'] += 1;
    if (waiting !== undefined) void this.#read(message, { id, readAs }, waiting);
  }

  async #read(
    message: LogMessage,
    { id, readAs }: { readonly id: string; readonly readAs: string | undefined },
    waiting: NonNullable<Pending['waiting']>,
  ): Promise<void> {
    const { codec, readReply: read = (sent) => readReply(codec, sent) } = this.#options;
    try {
      waiting.resolve(await read(message, readAs));
    } catch (error) {
      this.#options.log.error({ err: error }, 'a reply could not be read');
      const code = isTransientFailure(error) ? 'broker-unavailable' : 'unexpected';
      waiting.resolve(problemReply(code, id));
    }
  }

  #take(id: string): Pending['waiting'] {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    this.#slots.giveBack(pending.topic, 1);
    pending.cancel();
    const { waiting } = pending;
    pending.waiting = undefined;
    return waiting;
  }

  #end(id: string, code: ErrorCode): void {
    this.#take(id)?.resolve(problemReply(code, id));
  }

  /** Updates the grace periods. While the broker cannot be reached, ends requests not stored within UNREACHABLE_MS. */
  #checkConnections(): void {
    this.#canReceive();
    if (this.#canSend()) return;
    const beforeMs = this.#options.monotonic.elapsedMs() - UNREACHABLE_MS;
    for (const { id, isStored, requestedAtMs } of this.#pending.values())
      if (!isStored && requestedAtMs <= beforeMs) this.#end(id, 'broker-unavailable');
  }

  async #stop(timeoutMs: number): Promise<void> {
    const { monotonic, timers } = this.#options;
    const endMs = monotonic.elapsedMs() + timeoutMs;
    while (this.#pending.size > 0 && monotonic.elapsedMs() < endMs) await sleep(timers, DRAIN_POLL_MS);
    for (const id of this.#pending.keys()) this.#end(id, 'not-ready');
    this.#stopChecks?.();
    await Promise.all([this.#tail?.stop(CLOSE_MS), this.#publisher.stop(CLOSE_MS)]);
  }
}

function problemReply(code: ErrorCode, correlationId: string): ProblemReply {
  return { kind: 'problem', problem: createProblem(code, { correlationId }) };
}

/** The result stays true until `toleranceMs` after the first call that finds the condition false again. */
function tolerateOutage(
  isTrue: () => boolean,
  toleranceMs: number,
  monotonic: MonotonicClock,
): () => boolean {
  let falseSinceMs: number | undefined = Number.NEGATIVE_INFINITY;
  return () => {
    if (isTrue()) {
      falseSinceMs = undefined;
      return true;
    }
    falseSinceMs ??= monotonic.elapsedMs();
    return monotonic.elapsedMs() - falseSinceMs < toleranceMs;
  };
}
