/**
 * Calculations outside the event loop (E6): worker threads calculate requests and encode their replies, and render large
 * replies. Long calculations then do not delay other callers, health checks or heartbeats, and use the memory of their
 * thread.
 */

import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Encoded, EncodedMessage, MessageFormat } from '../../shared/messaging/codec.ts';
import { Fifo } from '../../shared/platform/fifo.ts';
import { SharedLimit } from '../../shared/platform/queues/shared-limit.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { MessageHeaders } from '../../shared/messaging/message.ts';
import { refused, type Outcome } from '../../shared/messaging/outcome.ts';
import { isExpired } from '../../shared/messaging/handler/request.ts';
import type { Reply } from '../../shared/messaging/reply.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import { InfrastructureError } from '../../shared/platform/errors.ts';
import type { Timers } from '../../shared/platform/timers.ts';
import type { LendingSnapshot } from '../../shared/catalogue/lending-environment.ts';

/** A request to be calculated in a thread. */
export interface CalculationWork {
  /** Record name of the request. */
  readonly type: string;
  /** The request in Avro with its schema id. */
  readonly value: Uint8Array;
  /** Format of the reply. */
  readonly format: MessageFormat;
  readonly originTimestampMs: number;
  /** Epoch milliseconds after which it is refused instead of started, since its caller no longer waits. */
  readonly deadlineMs: number | undefined;
  /** Estimated processor time in milliseconds. */
  readonly processorMs: number;
  /** Who sent it; the queue is shared between requesters. */
  readonly requester: string;
  /** The environment of the calculation. */
  readonly snapshot: LendingSnapshot;
  /** Queued without a limit, since its batch limits the number of such calculations. */
  readonly isPatient: boolean;
}

/** Long work outside the event loop. Its calls reject with InfrastructureError when the process stops meanwhile. */
export interface CalculationThreads {
  /** Calculates a request; the outcome has the encoded reply. Undefined when its requester has no room in the queue. */
  calculate(work: CalculationWork): Promise<Outcome | undefined>;
  /** Decodes a reply and renders it as JSON; undefined when the queue is full. */
  render(message: EncodedMessage): Promise<Reply | undefined>;
  /** Terminates the threads. Running and queued tasks are rejected. Idempotent. */
  stop(): Promise<void>;
}

/** Settings of a thread's codec. */
export type ThreadConfig = Pick<Config, 'schemaRegistry'>;

/** A task of a thread. */
export type ThreadTask =
  | {
      readonly kind: 'calculate';
      readonly work: Omit<CalculationWork, 'snapshot' | 'isPatient' | keyof QueuedWork>;
      /** Undefined: that of the previous calculation. */
      readonly snapshot: LendingSnapshot | undefined;
    }
  | { readonly kind: 'render'; readonly value: Uint8Array; readonly headers: TextHeaders };

type TextHeaders = Readonly<Record<string, string | undefined>>;

/** The result of a task. An error is rethrown to its caller. */
export type ThreadAnswer =
  | { readonly kind: 'calculated'; readonly outcome: Outcome }
  | { readonly kind: 'rendered'; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly error: Error; readonly mayPass: boolean };

/** More threads would compete for the same CPUs; one CPU is reserved for the event loop. */
const MAX_THREADS = 2;
/**
 * Estimated time of the queued calculations in milliseconds, of one requester half of it: with more, the last would exceed the
 * reply timeout (E6).
 */
const MAX_WAITING_MS = 12_800;
/** For a calculation without a deadline: the rest is reserved for waiting callers. */
const MAX_WAITING_UNHURRIED_MS = 6_400;
/** Bytes of the queued tasks of one kind: sixteen of the largest. */
const MAX_WAITING_BYTES = 134_217_728;
/** The most expensive request takes about a second; a thread that exceeds this time is terminated. */
const MAX_TASK_MS = 30_000;
/** Heap of a thread: a reply of 8 MiB is calculated and rendered with less than 128 MiB. */
const MAX_HEAP_MIB = 256;
/** Young generation of that heap: without a limit it grows several times larger, by about 100 MiB for a thread. */
const MAX_YOUNG_HEAP_MIB = 16;

/** The parts of a calculation that its queue uses. */
type QueuedWork = Pick<CalculationWork, 'deadlineMs' | 'processorMs' | 'requester'>;

interface Task {
  readonly message: ThreadTask;
  readonly snapshot: LendingSnapshot | undefined;
  readonly deadlineMs: number | undefined;
  /** Estimated, of a calculation; whole milliseconds. */
  readonly processorMs: number;
  readonly requester: string;
  readonly bytes: number;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: unknown) => void;
}

const EXPIRED: ThreadAnswer = { kind: 'calculated', outcome: refused(createProblem('deadline-exceeded')) };

/** Creates threads that start on first use. `entry` is the program of a thread. */
export function createCalculationThreads(
  entry: URL,
  config: ThreadConfig,
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
): CalculationThreads {
  const threads = Array.from(
    { length: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)) },
    () => new CalculationThread(entry, config, { timers, onFree: () => next() }),
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
    queue: TaskQueue,
    message: ThreadTask,
    value: Uint8Array,
    work: Partial<QueuedWork & Pick<CalculationWork, 'snapshot'>> = {},
  ) => {
    if (isStopped) return Promise.reject(createInterruption());
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const transfer = [value.buffer as ArrayBuffer];
    const { snapshot, deadlineMs, processorMs = 0, requester = '' } = work;
    const queued = { deadlineMs, processorMs: Math.ceil(processorMs), requester, bytes: value.length };
    queue.push({ message, snapshot, ...queued, transfer, resolve, reject });
    next();
    return promise;
  };
  return {
    calculate: async ({ snapshot, isPatient, deadlineMs, processorMs, requester, ...work }) => {
      const queued = { deadlineMs, processorMs, requester };
      const queue = isPatient ? waiting.batchItems : waiting.calculationsWithRoom(queued);
      if (queue === undefined) return undefined;
      const value = copyBytes(work.value);
      const message: ThreadTask = { kind: 'calculate', work: { ...work, value }, snapshot: undefined };
      const answer = await enqueue(queue, message, value, { snapshot, ...queued });
      return answer.kind === 'calculated' ? restoreBuffer(answer.outcome) : throwUnexpected(answer);
    },
    render: async ({ value, headers }) => {
      if (waiting.renderings.bytes >= MAX_WAITING_BYTES) return undefined;
      const own = copyBytes(value ?? new Uint8Array());
      const answer = await enqueue(
        waiting.renderings,
        { kind: 'render', value: own, headers: toTextHeaders(headers) },
        own,
      );
      return answer.kind === 'rendered' ? answer.reply : throwUnexpected(answer);
    },
    stop: async () => {
      isStopped = true;
      waiting.interrupt();
      await Promise.all(threads.map((thread) => thread.stop(createInterruption())));
    },
  };
}

/** Queued tasks of one kind, with their sums. */
class TaskQueue {
  readonly #tasks = new Fifo<Task>();
  /** Estimated times by requester. */
  readonly times = new SharedLimit();
  bytes = 0;

  push(task: Task): void {
    this.#tasks.push(task);
    this.times.take(task.requester, task.processorMs);
    this.bytes += task.bytes;
  }

  shift(): Task | undefined {
    const task = this.#tasks.shift();
    if (task === undefined) return undefined;
    this.bytes -= task.bytes;
    this.times.giveBack(task.requester, task.processorMs);
    return task;
  }
}

/** Queued tasks. */
class WaitingTasks {
  readonly renderings = new TaskQueue();
  readonly calculations = new TaskQueue();
  /** Items of batches, whose number is limited by the batches. */
  readonly batchItems = new TaskQueue();
  readonly #clock: Clock;
  #isTurnOfBatch = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The queue of calculations; undefined when it has no room for one of this requester. */
  calculationsWithRoom({ deadlineMs, requester }: QueuedWork): TaskQueue | undefined {
    const limitMs = deadlineMs === undefined ? MAX_WAITING_UNHURRIED_MS : MAX_WAITING_MS;
    const { times, bytes } = this.calculations;
    return times.hasRoom(requester, limitMs) && bytes < MAX_WAITING_BYTES ? this.calculations : undefined;
  }

  /**
   * Returns the next task: renderings first, since they complete a request, then single calculations and items of batches in
   * turn, so that neither waits for all of the other. Refuses calculations after their deadline.
   */
  next(): Task | undefined {
    const rendering = this.renderings.shift();
    if (rendering !== undefined) return rendering;
    let task = this.#nextCalculation();
    for (; task !== undefined && isExpired(task.deadlineMs, this.#clock); task = this.#nextCalculation())
      task.resolve(EXPIRED);
    return task;
  }

  #nextCalculation(): Task | undefined {
    const [first, second] = this.#isTurnOfBatch
      ? [this.batchItems, this.calculations]
      : [this.calculations, this.batchItems];
    this.#isTurnOfBatch = !this.#isTurnOfBatch;
    return first.shift() ?? second.shift();
  }

  interrupt(): void {
    for (const queue of [this.renderings, this.calculations, this.batchItems]) {
      for (let task = queue.shift(); task !== undefined; task = queue.shift())
        task.reject(createInterruption());
    }
  }
}

/** One thread, restarted with the next task after it has ended. */
class CalculationThread {
  readonly #entry: URL;
  readonly #config: ThreadConfig;
  readonly #timers: Timers;
  readonly #onFree: () => void;
  #worker: Worker | undefined;
  #task: Task | undefined;
  #cancelLimit: (() => void) | undefined;
  /** The current environment of the thread. */
  #snapshot: LendingSnapshot | undefined;

  constructor(
    entry: URL,
    config: ThreadConfig,
    { timers, onFree }: { readonly timers: Timers; readonly onFree: () => void },
  ) {
    this.#entry = entry;
    this.#config = config;
    this.#timers = timers;
    this.#onFree = onFree;
  }

  get isFree(): boolean {
    return this.#task === undefined;
  }

  run(task: Task): void {
    this.#task = task;
    const isNew = task.snapshot !== undefined && task.snapshot !== this.#snapshot;
    if (isNew) this.#snapshot = task.snapshot;
    try {
      // Throws when the system has no thread left.
      const worker = (this.#worker ??= this.#start());
      worker.ref();
      this.#cancelLimit = this.#timers.schedule(() => {
        void this.stop(new Error(`a calculation took longer than ${MAX_TASK_MS} ms`));
      }, MAX_TASK_MS);
      const { message, snapshot } = task;
      worker.postMessage(isNew ? { ...message, snapshot } : message, task.transfer);
    } catch (error) {
      this.#snapshot = undefined;
      this.#end((ended) => ended.reject(error));
    }
  }

  /** Terminates the thread; its task is rejected with the reason. */
  async stop(reason: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#snapshot = undefined;
    this.#end((task) => task.reject(reason));
    await worker?.terminate();
  }

  #start(): Worker {
    const cache = getCompileCacheDir();
    const worker = new Worker(this.#entry, {
      // Only the cache of compiled code, which halves the time that the start of a thread takes: its settings are data.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
      workerData: { schemaRegistry: this.#config.schemaRegistry },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MIB },
    });
    worker.on('message', (answer: ThreadAnswer) => {
      if (worker === this.#worker) this.#end((task) => task.resolve(answer));
    });
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', (code) =>
      this.#lost(worker, new Error(`a calculation thread exited with code ${code}`)),
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
    this.#cancelLimit?.();
    this.#worker?.unref();
    const task = this.#task;
    this.#task = undefined;
    if (task !== undefined) settle(task);
    this.#onFree();
  }
}

/** Copies bytes to a buffer that can be transferred to another thread. */
function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** Converts headers to text, since their bytes may be views of a complete fetch response, which would be copied. */
function toTextHeaders(headers: MessageHeaders): TextHeaders {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, headerText(headers, name)]));
}

/** Restores the buffer of an encoded reply, which another thread sends as a plain byte array. */
function restoreBuffer(outcome: Outcome): Outcome {
  const encoded = outcome.kind === 'done' ? outcome.reply?.encoded : undefined;
  if (outcome.kind !== 'done' || outcome.reply === undefined || encoded === undefined) return outcome;
  const { buffer, byteOffset, byteLength } = encoded.value;
  const value: Encoded['value'] = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  return { ...outcome, reply: { ...outcome.reply, encoded: { ...encoded, value } } };
}

function throwUnexpected(answer: ThreadAnswer): never {
  if (answer.kind !== 'failed') throw new Error('a calculation thread answered another task');
  const { error, mayPass } = answer;
  throw mayPass ? new InfrastructureError('calculation-thread', error.message, error) : error;
}

function createInterruption(): InfrastructureError {
  return new InfrastructureError('work-interrupted', 'the process stops in the middle of a calculation');
}
