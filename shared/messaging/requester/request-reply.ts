import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { createProblem, type ErrorCode, type Problem } from '../../platform/problem.ts';
import type { Log } from '../../platform/log.ts';
import type { Codec, EncodedMessage } from '../codec.ts';
import { isPassingFailure } from '../processing-result.ts';
import { createReplyTail } from './create-reply-tail.ts';
import { HEADER } from '../header-names.ts';
import { headerText } from '../headers.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import type { LogMessage } from '../message.ts';
import { PendingReplies, type PendingReply } from './pending-replies.ts';
import type { Broker, BrokerAdmin, Publisher, Tail } from '../ports.ts';
import { readReply } from './read-reply.ts';
import { createRequestMessage, type ReplyTo } from './request-message.ts';
import type { OutgoingRequest, Reply, Requester, RequesterStats } from './requester.ts';
import { sendProblemCode } from './send-problem-code.ts';
import { toleratingGaps } from './grace-period.ts';

export interface RequesterOptions {
  readonly broker: Pick<Broker, 'createTail' | 'createPublisher'> & {
    readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  };
  readonly codec: Codec;
  readonly clock: Clock;
  readonly log: Log;
  readonly replyTopic: string;
  /** Chooses the reply partition and names the clients; two instances may share a partition without harm. */
  readonly instanceId: string;
  /** Default 10,000. */
  readonly maxPending?: number;
  /** Default 5,000 ms; what may be on the log by then is only waited for. Outlasts an election where nobody hurries. */
  readonly sendDeadlineMs?: number;
  readonly createId?: () => string;
  /** Reads a reply; default: decodes it at once. Rejects with lost infrastructure. */
  readonly readReply?: (message: EncodedMessage) => MaybePromise<Reply>;
}

/** What became of a request whose reply goes elsewhere. */
export type Sent =
  | { readonly kind: 'sent'; readonly correlationId: string }
  | { readonly kind: 'problem'; readonly problem: Problem };

export interface CancellableRequests {
  /** Nobody waits for this reply any more: its slot is free, and the request ends as `reply-timeout`. */
  cancel(correlationId: string): void;
}

export interface RequestReply extends Requester, CancellableRequests {
  /**
   * Sends a request whose reply goes to `replyTopic`; resolves when it is on the log. `broker-unavailable`: nothing was
   * sent; `reply-timeout`: it may be stored all the same.
   */
  fire(request: OutgoingRequest, replyTopic: string): Promise<Sent>;
  /** False while requests cannot be sent: when that lasts, they are answered `broker-unavailable`. */
  readonly canSend: () => boolean;
  stats(): RequesterStats;
}

/** Waiting requests of one instance: at 10 KiB each, 100 MiB. */
const MAX_PENDING = 10_000;
/** Shorter than any caller's patience: a broker that is away is told while somebody still listens. */
const SEND_DEADLINE_MS = 5_000;
/** A request that the broker has not taken for so long, while it cannot be reached, is answered broker-unavailable. */
const UNREACHABLE_MS = 1_000;
const CHECK_INTERVAL_MS = 250;
/** Requests are taken while a lost publisher or reply consumer is replaced, for so long; both go on where they were. */
const REPLACEMENT_MS = 1_000;
const DRAIN_POLL_MS = 10;
/** Tail and publisher may take so long to close. */
const CLOSE_MS = 5_000;

/** Request-reply over the log, by a group of one that reads its own partition of the reply topic. */
export function createRequester(options: RequesterOptions): RequestReply {
  return new LogRequester(options);
}

class LogRequester implements RequestReply {
  readonly #options: RequesterOptions;
  readonly #publisher: Publisher;
  readonly #waiting: PendingReplies;
  readonly #counts = { sent: 0, replied: 0, timedOut: 0, unknownReplies: 0 };
  readonly #takesRequests = toleratingGaps(() => this.#publisher.isHealthy(), REPLACEMENT_MS);
  readonly #takesReplies = toleratingGaps(() => this.#tail?.isReady() === true, REPLACEMENT_MS);
  #tail: Tail | undefined;
  #replyPartition = 0;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #check: NodeJS.Timeout | undefined;
  readonly canSend = (): boolean => this.#publisher.isHealthy();

  constructor(options: RequesterOptions) {
    this.#options = options;
    const { broker, instanceId } = options;
    this.#publisher = broker.createPublisher({
      clientId: `${instanceId}-requests`,
      deadlineMs: options.sendDeadlineMs ?? SEND_DEADLINE_MS,
    });
    this.#waiting = new PendingReplies((pending) => {
      this.#counts.timedOut += 1;
      pending.settle(problemReply('reply-timeout', pending.id));
    });
  }

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

  pending(): number {
    return this.#waiting.size;
  }

  stats(): RequesterStats {
    return { ...this.#counts, pending: this.#waiting.size };
  }

  cancel(correlationId: string): void {
    this.#waiting.take(correlationId)?.settle(problemReply('reply-timeout', correlationId));
  }

  async request(request: OutgoingRequest): Promise<Reply> {
    const id = request.correlationId ?? (this.#options.createId ?? randomUUID)();
    if (this.#stopping !== undefined || !this.#takesReplies()) return problemReply('not-ready', id);
    if (this.#waiting.size >= (this.#options.maxPending ?? MAX_PENDING))
      return problemReply('overloaded', id);
    if (!this.#takesRequests()) return problemReply('broker-unavailable', id);
    if (this.#waiting.has(id)) throw new Error('a request of this correlation id is waiting already');
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const askedAtMs = performance.now();
    const pending = { id, askedAtMs, isStored: false, settle: resolve, fail: reject, slot: 0 };
    this.#waiting.add(pending, request.timeoutMs);
    this.#sendFor(pending, request).catch((error: unknown) => this.#sendFailed(pending, error));
    return promise;
  }

  async fire(request: OutgoingRequest, replyTopic: string): Promise<Sent> {
    const correlationId = request.correlationId ?? (this.#options.createId ?? randomUUID)();
    const failed = (code: ErrorCode): Sent => problemReply(code, correlationId);
    if (this.#stopping !== undefined) return failed('not-ready');
    if (!this.#takesRequests()) return failed('broker-unavailable');
    try {
      await this.#publish(request, correlationId, { topic: replyTopic });
      return { kind: 'sent', correlationId };
    } catch (error) {
      const code = sendProblemCode(error);
      if (code === 'bug') throw error;
      return failed(code === 'unknown' ? 'reply-timeout' : code);
    }
  }

  stop(timeoutMs: number): Promise<void> {
    this.#stopping ??= this.#stop(timeoutMs);
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { tail, partition } = await createReplyTail(this.#options);
    this.#replyPartition = partition;
    this.#tail = tail;
    try {
      await Promise.all([this.#publisher.start(), tail.start((message) => this.#receive(message))]);
    } catch (error) {
      await tail.stop(CLOSE_MS);
      throw error;
    }
    if (this.#stopping !== undefined) await tail.stop(CLOSE_MS);
    else this.#check = setInterval(() => this.#lookAround(), CHECK_INTERVAL_MS);
    this.#lookAround();
  }

  async #sendFor(pending: PendingReply, request: OutgoingRequest): Promise<void> {
    await this.#publish(request, pending.id, {
      topic: this.#options.replyTopic,
      partition: this.#replyPartition,
    });
    pending.isStored = true;
  }

  async #publish(request: OutgoingRequest, id: string, replyTo: ReplyTo): Promise<void> {
    const { clock, codec } = this.#options;
    const encoding = codec.encode(request.type, request.payload, 'avro');
    const encoded = isPromise(encoding) ? await encoding : encoding;
    const message = createRequestMessage(request, id, { encoded, replyTo, nowMs: clock.now() });
    this.#counts.sent += 1;
    await this.#publisher.publish([message]);
  }

  /** A send that may have reached the log is waited for: its reply may still come. */
  #sendFailed(pending: PendingReply, error: unknown): void {
    const code = sendProblemCode(error);
    if (code === 'unknown' || this.#waiting.take(pending.id) === undefined) return;
    if (code === 'bug') pending.fail(error);
    else pending.settle(problemReply(code, pending.id));
  }

  #receive(message: LogMessage): void {
    const id = headerText(message.headers, HEADER.correlationId);
    const pending = id === undefined ? undefined : this.#waiting.take(id);
    if (pending === undefined) {
      this.#counts.unknownReplies += 1;
      return;
    }
    this.#counts.replied += 1;
    try {
      const { codec, readReply: read = (sent) => readReply(codec, sent) } = this.#options;
      const reply = read(message);
      if (isPromise(reply)) reply.then(pending.settle, (error: unknown) => this.#unreadable(pending, error));
      else pending.settle(reply);
    } catch (error) {
      this.#unreadable(pending, error);
    }
  }

  #unreadable(pending: PendingReply, error: unknown): void {
    this.#options.log.error({ err: error }, 'a reply could not be read');
    pending.settle(problemReply(isPassingFailure(error) ? 'broker-unavailable' : 'unexpected', pending.id));
  }

  #lookAround(): void {
    this.#takesReplies();
    if (this.#takesRequests()) return;
    for (const pending of this.#waiting.takeUnsent(performance.now() - UNREACHABLE_MS))
      pending.settle(problemReply('broker-unavailable', pending.id));
  }

  async #stop(timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (this.#waiting.size > 0 && performance.now() < endMs) await sleep(DRAIN_POLL_MS);
    for (const { id } of this.#waiting.all()) this.#waiting.take(id)?.settle(problemReply('not-ready', id));
    clearInterval(this.#check);
    await Promise.all([this.#tail?.stop(CLOSE_MS), this.#publisher.stop(CLOSE_MS)]);
  }
}

function problemReply(code: ErrorCode, correlationId: string): Extract<Reply, { kind: 'problem' }> {
  return { kind: 'problem', problem: createProblem(code, { correlationId }) };
}
