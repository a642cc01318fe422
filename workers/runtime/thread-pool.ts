/**
 * Does long work outside the event loop (E6), so that other callers, health checks and heartbeats do not wait. Threads
 * calculate requests of more than about 10 ms, encode the replies to them, and render large replies.
 */

import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { serialize } from 'node:v8';
import type { Piscina } from 'piscina';
import { JSON_TYPE } from '../../shared/api/json/action-definition.ts';
import type { LendingSnapshot } from '../../shared/product/storage/lending-environment.ts';
import { UNITS_PER_MS } from '../../shared/lending/work-units.ts';
import type { Encoded, EncodedMessage, MessageFormat } from '../../shared/messaging/codec.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { Outcome, Reply } from '../../shared/messaging/outcome.ts';
import type { Clock } from '../../shared/platform/system-ports.ts';
import { InfrastructureError } from '../../shared/platform/errors.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import { FairShare } from '../../shared/platform/fair-share.ts';

/** What decides whether work may wait in the queue. */
export interface QueuedWork {
  /** Epoch milliseconds; undefined if no caller waits. */
  readonly deadlineMs: number | undefined;
  readonly units: number;
  /** Whose work this is; requesters share the queue. */
  readonly requester: string;
  /** True if it is queued without a limit, because a batch has only one item at a time in the queue. */
  readonly isPatient: boolean;
}

export interface CalculationWork extends QueuedWork {
  readonly type: string;
  readonly value: Uint8Array;
  readonly format: MessageFormat;
  readonly originTimestampMs: number;
  readonly snapshot: LendingSnapshot;
}

/** Calls reject with InfrastructureError if the process stops meanwhile. */
export interface CalculationThreads {
  /** Resolves with an outcome whose reply is encoded, or with undefined if the work would wait too long. */
  calculate(work: CalculationWork): Promise<Outcome | undefined>;
  /** Decodes a reply and renders it as a media type. Resolves with undefined if 64 MiB of replies are being rendered. */
  render(message: EncodedMessage, mediaType?: string): Promise<Reply | undefined>;
  /** Prints a document, given as JSON text, as PDF. Resolves with undefined if the work would wait too long. */
  print(document: string, work: QueuedWork): Promise<Uint8Array | undefined>;
  /** Ends the threads. Running and queued tasks reject. Idempotent. */
  stop(): Promise<void>;
}

export type ThreadConfig = Pick<Config, 'schemaRegistry'>;

/** The tasks of a thread, by the function of calculation-thread.ts that runs them. */
export interface ThreadTasks {
  readonly calculate: Pick<CalculationWork, 'type' | 'value' | 'format' | 'originTimestampMs'> & {
    readonly snapshot: { readonly version: number; readonly bytes: SharedArrayBuffer };
  };
  readonly render: {
    readonly value: Uint8Array;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly mediaType: string;
  };
  readonly print: { readonly document: string };
}

/** `mayPass`: the error is a transient failure. */
export type ThreadAnswer<Result> =
  | { readonly result: Result }
  | { readonly error: Error; readonly mayPass: boolean };

interface ThreadResults {
  readonly calculate: Outcome;
  readonly render: Reply;
  readonly print: Uint8Array;
}

/** One or two threads: with two processors or more, one is left for the event loop. */
const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** An idle thread keeps about 40 MiB. Its start takes 0.3 s. */
const IDLE_MS = 60_000;
/** Maximum time in the queue for work that no caller waits for. It leaves room for work that callers wait for. */
const UNHURRIED_MS = 5_000;
/** Maximum bytes of the replies that are being rendered or wait to be: eight of the largest size. */
const MAX_RENDERED_BYTES = 67_108_864;
/** A thread that takes longer is replaced. The most expensive request takes about a second. */
const MAX_TASK_MS = 60_000;
/** Limits of the heap of a thread. A reply of 8 MiB is calculated and rendered with less than 128 MiB. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

export class ThreadPool implements CalculationThreads {
  readonly #program: URL;
  readonly #config: ThreadConfig;
  readonly #clock: Clock;
  readonly #units = new FairShare();
  #renderedBytes = 0;
  /** Number of tasks in piscina. Others are in #waiting: piscina's queue loses the order of tasks with time limits. */
  #running = 0;
  readonly #waiting: Readonly<Record<'urgent' | 'others', (() => void)[]>> = { urgent: [], others: [] };
  #pool: Promise<Piscina> | undefined;
  #isStopped = false;
  #snapshot: LendingSnapshot | undefined;
  #shared: ThreadTasks['calculate']['snapshot'] = { version: 0, bytes: new SharedArrayBuffer(0) };

  constructor(program: URL, config: ThreadConfig, clock: Clock) {
    this.#program = program;
    this.#config = config;
    this.#clock = clock;
  }

  async calculate(work: CalculationWork): Promise<Outcome | undefined> {
    const { type, value, format, originTimestampMs } = work;
    const outcome = await this.#queue(work, () => {
      const snapshot = this.#share(work.snapshot);
      return this.#run('calculate', { type, value, format, originTimestampMs, snapshot });
    });
    return outcome && withBuffer(outcome);
  }

  async render({ value, headers }: EncodedMessage, mediaType = JSON_TYPE): Promise<Reply | undefined> {
    if (this.#renderedBytes >= MAX_RENDERED_BYTES) return undefined;
    // Headers go as text, because their bytes may be views of a complete fetch response, which would be copied.
    const texts = Object.fromEntries(Object.keys(headers).map((name) => [name, headerText(headers, name)]));
    const bytes = value ?? new Uint8Array();
    this.#renderedBytes += bytes.length;
    try {
      return await this.#run('render', { value: bytes, headers: texts, mediaType });
    } finally {
      this.#renderedBytes -= bytes.length;
    }
  }

  async print(document: string, work: QueuedWork): Promise<Uint8Array | undefined> {
    return this.#queue(work, () => this.#run('print', { document }));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await (await this.#pool)?.destroy();
  }

  async #queue<Result>(
    { deadlineMs, requester, isPatient, ...work }: QueuedWork,
    run: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const units = Math.ceil(work.units);
    const leftMs = deadlineMs === undefined ? UNHURRIED_MS : deadlineMs - this.#clock.now();
    if (!isPatient && !this.#units.hasRoom(requester, MAX_THREADS * leftMs * UNITS_PER_MS)) return undefined;
    this.#units.take(requester, units);
    try {
      return await run();
    } finally {
      this.#units.giveBack(requester, units);
    }
  }

  async #run<Name extends keyof ThreadTasks>(
    name: Name,
    task: ThreadTasks[Name],
  ): Promise<ThreadResults[Name]> {
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    this.#waiting[name === 'render' ? 'urgent' : 'others'].push(resolve);
    this.#startNext();
    await turn;
    let answer: ThreadAnswer<ThreadResults[Name]>;
    try {
      if (this.#isStopped) throw createInterruption();
      const pool = await (this.#pool ??= this.#open());
      answer = await pool.run(task, { name, signal: AbortSignal.timeout(MAX_TASK_MS) });
    } catch (error) {
      throw this.#isStopped ? createInterruption() : error;
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
    if ('result' in answer) return answer.result;
    const { error, mayPass } = answer;
    throw mayPass ? new InfrastructureError('calculation-thread', error.message, error) : error;
  }

  /** Starts a task if a thread is free. Renderings come before other work, because each completes a call. */
  #startNext(): void {
    if (this.#running >= MAX_THREADS) return;
    const start = this.#waiting.urgent.shift() ?? this.#waiting.others.shift();
    if (start === undefined) return;
    this.#running += 1;
    start();
  }

  async #open(): Promise<Piscina> {
    const piscina = await import('piscina');
    const cache = getCompileCacheDir();
    const pool = new piscina.Piscina({
      filename: this.#program.href,
      name: 'calculate',
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      workerData: { schemaRegistry: this.#config.schemaRegistry },
      // Threads need only the cache of compiled code, which halves their start time. Their settings are in workerData.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(cache) },
      resourceLimits: HEAP,
    });
    // If a thread fails while it starts, its task rejects after MAX_TASK_MS, and the next task starts another thread.
    pool.on('error', () => undefined);
    return pool;
  }

  #share(snapshot: LendingSnapshot): ThreadTasks['calculate']['snapshot'] {
    if (snapshot === this.#snapshot) return this.#shared;
    const serialised = serialize(snapshot);
    const bytes = new SharedArrayBuffer(serialised.length);
    new Uint8Array(bytes).set(serialised);
    this.#snapshot = snapshot;
    this.#shared = { version: this.#shared.version + 1, bytes };
    return this.#shared;
  }
}

/** Makes the encoded reply a Buffer: it comes from a thread as a plain Uint8Array. */
function withBuffer(outcome: Outcome): Outcome {
  if (outcome.kind !== 'done' || outcome.reply?.encoded === undefined) return outcome;
  const { encoded } = outcome.reply;
  const { buffer, byteOffset, byteLength } = encoded.value;
  const value: Encoded['value'] = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  return { ...outcome, reply: { ...outcome.reply, encoded: { ...encoded, value } } };
}

function createInterruption(): InfrastructureError {
  return new InfrastructureError('work-interrupted', 'the process stops in the middle of a calculation');
}
