import { publishFailed, topicUnknown } from '../../../shared/messaging/broker-errors.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { CLIENT_DEFAULTS } from '../../../shared/messaging/client-defaults.ts';
import {
  type Publisher,
  type PublisherOptions,
  hasRoom,
  type Queued,
} from '../../../shared/messaging/ports.ts';
import { partitionOfKey } from '../../../shared/messaging/topics/key-partition.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import type { BrokerModel } from './broker-model.ts';
import { LostCall, unreachable, type Link } from './link.ts';

const RETRY_MS = 100;
const STOP_POLL_MS = 5;
const MAX_RECORDS = 1_000;

interface Call {
  open: number;
  firstError?: unknown;
  lastError?: unknown;
  isMaybeStored?: boolean;
  isInFlight?: boolean;
  readonly settle: (error?: unknown) => void;
}

interface Entry {
  readonly message: OutgoingMessage & { readonly partition: number };
  readonly call: Call;
}

/** Publishes as the Kafka adapter does: at least once, in order, and again until the deadline of each call. */
export class SimPublisher implements Publisher {
  readonly #clientId: string;
  readonly #deadlineMs: number;
  readonly #link: Link;
  readonly #model: BrokerModel;
  readonly #calls = new Set<Call>();
  readonly #limits: Queued;
  readonly #queued = { messages: 0, bytes: 0 };
  #entries: Entry[] = [];
  #isSending = false;
  #state: 'new' | 'started' | 'stopped' = 'new';
  #nextPartition = 0;

  constructor(
    options: PublisherOptions,
    { link, model, limits }: { readonly link: Link; readonly model: BrokerModel; readonly limits: Queued },
  ) {
    this.#limits = limits;
    this.#clientId = options.clientId;
    this.#deadlineMs = options.deadlineMs ?? CLIENT_DEFAULTS.publishDeadlineMs;
    this.#link = link;
    this.#model = model;
  }

  async start(): Promise<void> {
    const { monotonic, timers } = this.#link.host.ports;
    if (this.#state === 'new') this.#state = 'started';
    const untilMs = monotonic.elapsedMs() + this.#deadlineMs;
    for (;;) {
      try {
        await this.#link.call(() => undefined);
        break;
      } catch {
        if (monotonic.elapsedMs() >= untilMs) throw unreachable(`publisher ${this.#clientId}`);
        await sleep(timers, RETRY_MS);
      }
    }
    void this.#send();
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    if (this.#state === 'stopped') return Promise.reject(publishFailed(this.#clientId, 'it was stopped'));
    const size = sizeOf(messages);
    if (!hasRoom(this.#queued, size, this.#limits))
      return Promise.reject(publishFailed(this.#clientId, 'its queue is full'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const call: Call = {
      open: messages.length,
      settle: (error) => {
        cancel();
        if (this.#calls.delete(call)) this.#count(size, -1);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    const giveUp = (): void => this.#giveUp(call, 'the deadline passed');
    const cancel = this.#link.host.ports.timers.schedule(giveUp, this.#deadlineMs);
    this.#calls.add(call);
    this.#count(size, 1);
    for (const message of messages) {
      const partitions = this.#model.topics.find(message.topic)?.logs.length;
      if (partitions === undefined) this.#done(call, topicUnknown(message.topic));
      else this.#entries.push({ message: { ...message, partition: this.#place(message, partitions) }, call });
    }
    // After this turn, so that all calls of the turn share a request.
    queueMicrotask(() => void this.#send());
    return promise;
  }

  isHealthy(): boolean {
    return this.#state === 'started' && this.#link.isConnected;
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    const { monotonic, timers } = this.#link.host.ports;
    const untilMs = monotonic.elapsedMs() + (this.#state === 'started' ? timeoutMs : 0);
    this.#state = 'stopped';
    while (this.#calls.size > 0 && monotonic.elapsedMs() < untilMs) await sleep(timers, STOP_POLL_MS);
    for (const call of this.#calls) this.#giveUp(call, 'it was stopped');
  }

  #count({ messages, bytes }: Queued, by: 1 | -1): void {
    this.#queued.messages += by * messages;
    this.#queued.bytes += by * bytes;
  }

  #place({ partition, key }: OutgoingMessage, partitions: number): number {
    if (partition !== undefined) return partition;
    if (key !== null) return partitionOfKey(typeof key === 'string' ? Buffer.from(key) : key, partitions);
    this.#nextPartition += 1;
    return this.#nextPartition % partitions;
  }

  /** One request at a time. */
  async #send(): Promise<void> {
    if (this.#isSending || this.#state === 'new') return;
    this.#isSending = true;
    for (;;) {
      this.#entries = this.#entries.filter(({ call }) => this.#calls.has(call));
      const sent = this.#entries.slice(0, MAX_RECORDS);
      if (sent.length === 0) break;
      const again = await this.#sendOnce(sent);
      this.#entries = [...again, ...this.#entries.slice(sent.length)];
      if (again.length > 0) await sleep(this.#link.host.ports.timers, RETRY_MS);
    }
    this.#isSending = false;
  }

  async #sendOnce(sent: readonly Entry[]): Promise<readonly Entry[]> {
    const calls = new Set(sent.map(({ call }) => call));
    for (const call of calls) call.isInFlight = true;
    let errors: readonly unknown[];
    try {
      errors = await this.#link.call((fate) => this.#store(sent, fate.tornAt), 'produce');
    } catch (error) {
      errors = sent.map(() => error);
      if (error instanceof LostCall) for (const call of calls) call.isMaybeStored = true;
    }
    for (const call of calls) call.isInFlight = false;
    return sent.filter(({ call }, index) => {
      const error = errors[index];
      const isFinal = !(error instanceof LostCall) && !(error instanceof MessagingError && error.canRetry);
      if (isFinal) this.#done(call, error);
      else call.lastError = error;
      return !isFinal;
    });
  }

  #store(sent: readonly Entry[], tornAt: number | undefined): readonly unknown[] {
    const end = tornAt === undefined ? sent.length : Math.floor(tornAt * sent.length);
    const errors: unknown[] = [];
    let isRefused = false;
    for (const { message } of sent.slice(0, end)) {
      try {
        // After a refused record nothing that follows may be stored: the retry would store it behind them.
        if (isRefused) throw unreachable('the rest of the batch');
        this.#model.append(message, this.#link.host.id);
        errors.push(undefined);
      } catch (error) {
        isRefused ||= error instanceof MessagingError && error.canRetry;
        errors.push(error);
      }
    }
    if (tornAt !== undefined) throw new LostCall('the connection broke');
    return errors;
  }

  #done(call: Call, error: unknown): void {
    call.firstError ??= error;
    call.isMaybeStored ||= error === undefined;
    call.open -= 1;
    if (call.open === 0) call.settle(call.firstError);
  }

  #giveUp(call: Call, reason: string): void {
    const isMaybeStored = call.isMaybeStored === true || call.isInFlight === true;
    call.settle(publishFailed(this.#clientId, reason, { isMaybeStored, cause: call.lastError }));
  }
}

function sizeOf(messages: readonly OutgoingMessage[]): Queued {
  let bytes = 0;
  for (const { key, value } of messages) bytes += (key?.length ?? 0) + (value?.length ?? 0);
  return { messages: messages.length, bytes };
}
