/**
 * Calculations beside the event loop (E6): worker threads that take whole requests and give back encoded replies, and
 * that render large replies. One long calculation then delays neither another caller nor a health check nor the
 * heartbeats of a consumer group, and its memory is that of the thread.
 */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Encoded, EncodedMessage, MessageFormat } from '../../shared/messaging/codec.ts';
import { Fifo } from '../../shared/platform/fifo.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { MessageHeaders } from '../../shared/messaging/message.ts';
import { refused, type Outcome } from '../../shared/messaging/outcome.ts';
import { isExpired } from '../../shared/messaging/handler/request.ts';
import type { Reply } from '../../shared/messaging/reply.ts';
import { systemClock, type Clock } from '../../shared/platform/clock.ts';
import type { Config } from '../../shared/platform/config.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import { InfrastructureError } from '../../shared/platform/errors.ts';
import type { LendingSnapshot } from '../../shared/catalogue/lending-environment.ts';

/** A request to be calculated elsewhere. */
export interface CalculationWork {
  /** Record name of the request. */
  readonly type: string;
  /** The request in Avro with its schema id. */
  readonly value: Uint8Array;
  /** Format of the reply. */
  readonly format: MessageFormat;
  readonly originTimestampMs: number;
  /** Epoch milliseconds after which it is refused instead of started, because its caller no longer waits. */
  readonly deadlineMs: number | undefined;
  /** What it is calculated with. */
  readonly snapshot: LendingSnapshot;
  /** Is queued however many others are: the number of such calculations is limited by its batch. */
  readonly isPatient: boolean;
}

/** Long work that is done beside the event loop. Rejects with InfrastructureError when the process stops meanwhile. */
export interface CalculationThreads {
  /** The outcome of a request, its reply encoded; undefined when too many wait already. */
  calculate(work: CalculationWork): Promise<Outcome | undefined>;
  /** Decodes a reply and renders its answer; undefined when too many wait already. */
  render(message: EncodedMessage): Promise<Reply | undefined>;
  /** Ends the threads. What still runs or waits is rejected. Idempotent. */
  stop(): Promise<void>;
}

/** Settings that a thread makes its codec with. */
export type ThreadConfig = Pick<Config, 'schemaRegistry'>;

/** What a thread is asked, one task at a time. */
export type ThreadTask =
  | {
      readonly kind: 'calculate';
      readonly work: Omit<CalculationWork, 'snapshot' | 'isPatient' | 'deadlineMs'>;
      /** Absent: that of the calculation before. */
      readonly snapshot: LendingSnapshot | undefined;
    }
  | { readonly kind: 'render'; readonly value: Uint8Array; readonly headers: TextHeaders };

type TextHeaders = Readonly<Record<string, string | undefined>>;

/** What a thread answers. A bug is thrown again where the task was asked for. */
export type ThreadAnswer =
  | { readonly kind: 'calculated'; readonly outcome: Outcome }
  | { readonly kind: 'rendered'; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly error: Error; readonly mayPass: boolean };

/** More would only share the same processors; one is left for the event loop. */
const MAX_THREADS = 2;
/** Tasks of one kind that wait, at some 0.4 s each: more would not be answered within the time limit of a reply (E6). */
const MAX_WAITING = 16;
/** Of these, calculations without a deadline: the other places are left to those that a caller waits for. */
const MAX_WAITING_UNHURRIED = 8;
/** The most expensive request takes about a second; a thread that takes this long is faulty and is terminated. */
const MAX_TASK_MS = 30_000;
/** Heap of a thread: a reply of 8 MiB is calculated and rendered with less than 128 MiB. */
const MAX_HEAP_MIB = 256;
/** Young part of that heap: without a limit it grows to a few times as much, and a thread takes some 100 MiB more. */
const MAX_YOUNG_HEAP_MIB = 16;

interface Task {
  readonly message: ThreadTask;
  readonly snapshot: LendingSnapshot | undefined;
  readonly deadlineMs: number | undefined;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: unknown) => void;
}

const EXPIRED: ThreadAnswer = { kind: 'calculated', outcome: refused(createProblem('deadline-exceeded')) };

/** Threads that are started when they are first needed. `entry` is the program of a thread. */
export function createCalculationThreads(
  entry: URL,
  config: ThreadConfig,
  clock: Clock = systemClock,
): CalculationThreads {
  const threads = Array.from(
    { length: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)) },
    () => new CalculationThread(entry, config, () => next()),
  );
  const waiting = new WaitingTasks(clock);
  let isStopped = false;

  const next = (): void => {
    for (const thread of threads) {
      const task = thread.isFree ? waiting.next() : undefined;
      if (task !== undefined) thread.run(task);
    }
  };
  const enqueue = (
    queue: Fifo<Task>,
    message: ThreadTask,
    value: Uint8Array,
    { snapshot, deadlineMs }: Partial<Pick<CalculationWork, 'snapshot' | 'deadlineMs'>> = {},
  ) => {
    if (isStopped) return Promise.reject(interrupted());
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const transfer = [value.buffer as ArrayBuffer];
    queue.push({ message, snapshot, deadlineMs, transfer, resolve, reject });
    next();
    return promise;
  };
  return {
    calculate: async ({ snapshot, isPatient, deadlineMs, ...work }) => {
      const places = deadlineMs === undefined ? MAX_WAITING_UNHURRIED : MAX_WAITING;
      if (!isPatient && waiting.calculations.length >= places) return undefined;
      const value = ownBytes(work.value);
      const message: ThreadTask = { kind: 'calculate', work: { ...work, value }, snapshot: undefined };
      const answer = await enqueue(waiting.calculations, message, value, { snapshot, deadlineMs });
      return answer.kind === 'calculated' ? withBuffer(answer.outcome) : unexpected(answer);
    },
    render: async ({ value, headers }) => {
      if (waiting.renderings.length >= MAX_WAITING) return undefined;
      const own = ownBytes(value ?? new Uint8Array());
      const answer = await enqueue(
        waiting.renderings,
        { kind: 'render', value: own, headers: textOf(headers) },
        own,
      );
      return answer.kind === 'rendered' ? answer.reply : unexpected(answer);
    },
    stop: async () => {
      isStopped = true;
      waiting.interrupt();
      await Promise.all(threads.map((thread) => thread.stop(interrupted())));
    },
  };
}

/** Tasks that no thread has taken yet. */
class WaitingTasks {
  readonly renderings = new Fifo<Task>();
  readonly calculations = new Fifo<Task>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rendering comes first: it completes a request. A calculation whose deadline has passed is refused. */
  next(): Task | undefined {
    const rendering = this.renderings.shift();
    if (rendering !== undefined) return rendering;
    let task = this.calculations.shift();
    for (; task !== undefined && isExpired(task.deadlineMs, this.#clock); task = this.calculations.shift())
      task.resolve(EXPIRED);
    return task;
  }

  interrupt(): void {
    for (const queue of [this.renderings, this.calculations]) {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) task.reject(interrupted());
    }
  }
}

/** One thread, which is started again when it ended. */
class CalculationThread {
  readonly #entry: URL;
  readonly #config: ThreadConfig;
  readonly #onFree: () => void;
  #worker: Worker | undefined;
  #task: Task | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What the thread calculates with at present. */
  #snapshot: LendingSnapshot | undefined;

  constructor(entry: URL, config: ThreadConfig, onFree: () => void) {
    this.#entry = entry;
    this.#config = config;
    this.#onFree = onFree;
  }

  get isFree(): boolean {
    return this.#task === undefined;
  }

  run(task: Task): void {
    this.#task = task;
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    this.#timer = setTimeout(() => {
      void this.stop(new Error(`a calculation took longer than ${MAX_TASK_MS} ms`));
    }, MAX_TASK_MS);
    const isNew = task.snapshot !== undefined && task.snapshot !== this.#snapshot;
    if (isNew) this.#snapshot = task.snapshot;
    try {
      const { message, snapshot } = task;
      worker.postMessage(isNew ? { ...message, snapshot } : message, task.transfer);
    } catch (error) {
      this.#snapshot = undefined;
      this.#end((ended) => ended.reject(error));
    }
  }

  /** Ends the thread; its task is rejected with the reason. */
  async stop(reason: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#snapshot = undefined;
    this.#end((task) => task.reject(reason));
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      workerData: { schemaRegistry: this.#config.schemaRegistry },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MIB },
    });
    worker.on('message', (answer: ThreadAnswer) => {
      if (worker === this.#worker) this.#end((task) => task.resolve(answer));
    });
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', (code) =>
      this.#lost(worker, new Error(`a calculation thread ended with code ${code}`)),
    );
    return worker;
  }

  #lost(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#snapshot = undefined;
    this.#end((task) => task.reject(error));
  }

  #end(settle: (task: Task) => void): void {
    clearTimeout(this.#timer);
    this.#worker?.unref();
    const task = this.#task;
    this.#task = undefined;
    if (task !== undefined) settle(task);
    this.#onFree();
  }
}

/** The bytes in memory of their own, which can go to another thread without a copy. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Headers as text: bytes of a header may be part of all that a broker sent at once, which would be copied whole. */
function textOf(headers: MessageHeaders): TextHeaders {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, headerText(headers, name)]));
}

/** Buffers come out of another thread as plain bytes. */
function withBuffer(outcome: Outcome): Outcome {
  const encoded = outcome.kind === 'done' ? outcome.reply?.encoded : undefined;
  if (outcome.kind !== 'done' || outcome.reply === undefined || encoded === undefined) return outcome;
  const { buffer, byteOffset, byteLength } = encoded.value;
  const value: Encoded['value'] = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  return { ...outcome, reply: { ...outcome.reply, encoded: { ...encoded, value } } };
}

function unexpected(answer: ThreadAnswer): never {
  if (answer.kind !== 'failed') throw new Error('a calculation thread answered another task');
  const { error, mayPass } = answer;
  throw mayPass ? new InfrastructureError('calculation-thread', error.message, error) : error;
}

function interrupted(): InfrastructureError {
  return new InfrastructureError('work-interrupted', 'the process stops in the middle of a calculation');
}
