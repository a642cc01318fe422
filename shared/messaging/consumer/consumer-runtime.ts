import type { Log } from '../../platform/log.ts';
import type { WindowLimits } from '../../platform/queue-limits.ts';
import { type SystemPorts, sleep } from '../../platform/system-ports.ts';
import { type BackoffOptions, backoffMs } from '../backoff.ts';
import type { LogMessage, TopicPartition } from '../message.ts';
import { type Process, isTransientFailure, type FinalResult, type ProcessingResult } from '../outcome.ts';
import { errorText } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import { ClockWarning } from '../clock-warning.ts';
import type { GroupReads, GroupSink, GroupSource } from '../ports.ts';
import { ConsumerHealth } from './consumer-health.ts';
import { KeyOrderedExecutor } from './key-ordered-executor.ts';
import { createWork, finishWork, type Work } from './offset-tracker.ts';
import { OwnedPartitions, type PartitionLag } from './pause-when-full.ts';

export const CONSUMER_DEFAULTS = {
  /** Messages in progress: enough to hide the round trip of a reply to the broker, but few enough to limit memory. */
  concurrency: 64,
  /** Messages are started for this long per turn of the event loop. More would delay HTTP responses and heartbeats. */
  sliceMs: 3,
  /** With a longer interval, more messages are repeated after a kill -9. Each commit costs a request. */
  commitIntervalMs: 200,
  /** A partition that stalls for this long makes the consumer unhealthy, or degraded if a restart would not help. */
  stallMs: 60_000,
  /** Delays before a message whose handler threw is retried. They grow, to spare recovering infrastructure. */
  retryBackoff: { minMs: 250, maxMs: 10_000 },
  /** Delays before a crashed source is replaced. They grow, so that a crash loop does not cause constant rebalances. */
  restartBackoff: { minMs: 1_000, maxMs: 30_000 },
  drainTimeoutMs: 10_000,
} as const;

export interface RuntimeOptions extends Omit<SystemPorts, 'newId'> {
  readonly process: Process;
  readonly log: Log;
  /** Maximum total weight of the messages in progress; default 64. */
  readonly concurrency?: number;
  /** Weight of a message; default 1. Called often, so it must be cheap. */
  readonly weigh?: (message: LogMessage) => number;
  /** Default 3. Bulk consumers that share a process with interactive ones use 2. */
  readonly sliceMs?: number;
  readonly commitIntervalMs?: number;
  /** Default: messages and bytes of QUEUE_LIMITS.requestWindow. */
  readonly window?: Partial<WindowLimits>;
  readonly retryBackoff?: BackoffOptions;
  readonly stallMs?: number;
  readonly reads?: GroupReads;
  /** Awaited after each assignment before its first message, for example to read a table. Repeated if it rejects. */
  readonly gate?: (partitions: readonly TopicPartition[], signal: AbortSignal) => Promise<void>;
}

export type ConsumerStats = ReturnType<ConsumerRuntime['stats']>;

const DRAIN_POLL_MS = 10;
/** Time limit for the last commit, and another one for leaving the group. */
const LAST_REQUEST_MS = 5_000;
/** Minimum of both limits, even when the drain timeout is over. */
const MIN_LAST_REQUEST_MS = 1_000;
/** Attempts of the last commit. More would delay the stop of a process whose broker is away. */
const LAST_COMMITS = 4;
/** While infrastructure is unavailable, every message fails. One log line per interval says so. */
const LOG_INTERVAL_MS = 60_000;

interface Attachment {
  readonly source: GroupSource;
  cancelTick: (() => void) | undefined;
  generation: number;
  revokedMs: number | undefined;
}

/** Passes messages to `process` in order per key. Commits the contiguous prefix of completed ones in each partition. */
export class ConsumerRuntime {
  /** `settled`: completed messages, including failed ones. `failed`: failed messages and unexpected errors. */
  readonly counters = { settled: 0, failed: 0, rebalances: 0, crashes: 0 };
  readonly #options: RuntimeOptions;
  readonly #owned: OwnedPartitions;
  readonly #executor: KeyOrderedExecutor;
  /** The commit in flight, and the next one, which waits for it so that no commit overtakes an earlier one. */
  #committing: Promise<boolean> | undefined;
  #nextCommit: Promise<boolean> | undefined;
  readonly #health: ConsumerHealth;
  /** Aborts the wait for `gate` after an assignment; undefined when nothing waits for it. */
  #gateWait: AbortController | undefined;
  readonly #abort = new AbortController();
  readonly #clockWarning: ClockWarning;
  #attached: Attachment | undefined;
  #isDraining = false;
  #transientLoggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#clockWarning = new ClockWarning(options);
    this.#owned = new OwnedPartitions(options.window);
    const { stallMs = CONSUMER_DEFAULTS.stallMs, monotonic } = options;
    this.#health = new ConsumerHealth(stallMs, monotonic);
    this.#executor = this.#createExecutor();
  }

  /** Returns the sink for source.start(). Call detach() before the next source; calls to earlier sinks are ignored. */
  attach(source: GroupSource, onCrash: (error: Error) => void): GroupSink {
    const attached: Attachment = { source, cancelTick: undefined, generation: 0, revokedMs: undefined };
    this.#attached = attached;
    const isCurrent = (generation: number) =>
      this.#attached === attached && attached.generation === generation;
    // Messages and positions are refused together: the commit of a later position would skip the messages.
    const accepts = (generation: number) =>
      isCurrent(generation) && attached.revokedMs === undefined && !this.#isDraining;
    return {
      onAssigned: (generation, partitions) => {
        if (this.#attached !== attached) return;
        attached.generation = generation;
        attached.revokedMs = undefined;
        this.counters.rebalances += 1;
        this.#executor.dropQueued();
        this.#owned.assign(source, partitions);
        this.#closeGate(partitions);
        this.#setFlow();
        // The tick replaces the health of earlier partitions even if no message follows.
        this.#tickLater();
      },
      onRevoking: (generation) => {
        if (!isCurrent(generation)) return;
        attached.revokedMs = this.#options.monotonic.elapsedMs();
        this.#setFlow();
        void this.#commitNow();
      },
      onMessages: (generation, messages, highWatermark) => {
        if (accepts(generation)) this.#receive(messages, highWatermark);
      },
      onPosition: (generation, { topic, partition }, position, highWatermark) => {
        const tracker = accepts(generation) ? this.#owned.find(topic, partition) : undefined;
        if (tracker === undefined) return;
        tracker.highWatermark = highWatermark;
        tracker.readTo = position;
        this.#tickLater();
      },
      onCrash: (error) => {
        if (this.#attached === attached) onCrash(error);
      },
    };
  }

  /** Later calls to the sink have no effect. Running messages go on, although the next source delivers them again. */
  detach(): void {
    this.#attached?.cancelTick?.();
    this.#attached = undefined;
    this.#openGate();
    this.#executor.pause();
    this.#executor.dropQueued();
    this.#owned.release();
  }

  /** Starts nothing new, awaits running messages, commits and leaves the group: within `timeoutMs` plus two seconds. */
  async drain(timeoutMs: number): Promise<void> {
    const { monotonic, timers } = this.#options;
    this.#isDraining = true;
    this.#owned.pauseAll();
    this.#setFlow();
    const endMs = monotonic.elapsedMs() + timeoutMs;
    while (this.#executor.running > 0 && monotonic.elapsedMs() < endMs) await sleep(timers, DRAIN_POLL_MS);
    this.#abort.abort();
    const requestMs = () =>
      Math.min(LAST_REQUEST_MS, Math.max(endMs - monotonic.elapsedMs(), MIN_LAST_REQUEST_MS));
    const timeout = Promise.withResolvers<void>();
    const cancel = timers.schedule(timeout.resolve, requestMs(), 'background');
    await Promise.race([this.#commitLast(), timeout.promise]);
    cancel();
    const source = this.#attached?.source;
    this.detach();
    await source?.stop(requestMs());
  }

  health(): Health {
    const { generation = 0, revokedMs } = this.#attached ?? {};
    return this.#health.report(generation > 0, this.#gateWait !== undefined, revokedMs);
  }

  lag(): readonly PartitionLag[] {
    return this.#owned.lag();
  }

  stats() {
    return {
      ...this.counters,
      running: this.#executor.running,
      held: this.#executor.held,
      heldAttempts: this.#executor.heldAttempts,
      partitions: this.#owned.size,
      paused: this.#owned.pausedCount,
    };
  }

  #createExecutor(): KeyOrderedExecutor {
    const options = { ...CONSUMER_DEFAULTS, ...this.#options };
    const { process, weigh, concurrency, sliceMs, monotonic, timers } = options;
    const { signal } = this.#abort;
    return new KeyOrderedExecutor({
      run: (work) => process(work.message, work.attempts, signal, work),
      thrown: (work, error) => this.#thrown(work, error),
      ended: (work, result) => this.#ended(work, result),
      limit: concurrency,
      weigh: weigh && (({ message }) => weigh(message)),
      sliceMs,
      monotonic,
      timers,
    });
  }

  #receive(messages: readonly LogMessage[], highWatermark: number): void {
    const [first] = messages;
    let tracker = first && this.#owned.find(first.topic, first.partition);
    if (first === undefined || tracker === undefined) return;
    this.#clockWarning.see(first);
    const { topic, partition, lastOffset } = tracker;
    if (highWatermark <= lastOffset) {
      // The topic was created again, or a new leader lacks the last records.
      const fields = { topic, partition, lastOffset, offset: first.offset };
      this.#options.log.warn(fields, 'a partition ends before records that were delivered; it is read again');
      tracker = this.#owned.restart(tracker);
    }
    tracker.highWatermark = highWatermark;
    const nowMs = this.#options.monotonic.elapsedMs();
    for (const message of messages) {
      if (message.offset <= tracker.lastOffset) continue;
      const work = createWork(message, tracker, nowMs);
      tracker.add(work);
      this.#executor.add(work);
    }
    this.#executor.dispatch();
    this.#owned.pauseWhenFull(tracker);
    this.#tickLater();
  }

  #ended(work: Work, result: FinalResult): void {
    const { tracker } = work;
    this.counters.settled += 1;
    if (result === 'failed') this.counters.failed += 1;
    finishWork(work);
    tracker.advance();
    this.#owned.resumeWhenHalf(tracker);
    if (this.#attached?.revokedMs === undefined) {
      // All messages of a paused partition are done, so only their commit can resume it.
      if (tracker.paused && !tracker.closed && tracker.pending === 0) this.#commitUnlessBusy();
    } else if (this.#executor.running === 0) {
      // The commit at the revocation did not include the messages that were still running.
      void this.#commitNow();
    }
  }

  #thrown(work: Work, error: unknown): ProcessingResult {
    const { message, attempts } = work;
    const { topic, partition, offset } = message;
    const { log, monotonic, retryBackoff, random } = { ...CONSUMER_DEFAULTS, ...this.#options };
    if (!isTransientFailure(error)) {
      log.error({ err: error, topic, partition, offset }, 'a message failed unexpectedly');
      this.counters.failed += 1;
    } else {
      const nowMs = monotonic.elapsedMs();
      if (nowMs - this.#transientLoggedMs >= LOG_INTERVAL_MS) {
        this.#transientLoggedMs = nowMs;
        const fields = { topic, partition, attempts, reason: errorText(error) };
        log.warn(fields, 'infrastructure is unavailable; messages are retried');
      }
    }
    return { retryAfterMs: backoffMs(retryBackoff, attempts, random) };
  }

  get #mayRun(): boolean {
    if (this.#isDraining || this.#attached === undefined) return false;
    return this.#attached.revokedMs === undefined && this.#gateWait === undefined;
  }

  #setFlow(): void {
    if (this.#mayRun) this.#executor.resume();
    else this.#executor.pause();
  }

  #tickLater(): void {
    const attached = this.#attached;
    if (attached === undefined || attached.cancelTick !== undefined) return;
    const { commitIntervalMs, timers } = { ...CONSUMER_DEFAULTS, ...this.#options };
    attached.cancelTick = timers.schedule(() => {
      attached.cancelTick = undefined;
      this.#tick(attached);
    }, commitIntervalMs);
  }

  #tick({ revokedMs }: Attachment): void {
    const trackers = [...this.#owned.all()];
    this.#health.observe(trackers, this.counters.settled);
    if (revokedMs === undefined) this.#commitUnlessBusy();
    if (trackers.some((tracker) => tracker.lag > 0 || tracker.uncommitted() !== undefined)) this.#tickLater();
  }

  /** Tries again after a failure: without this commit, the next owner of the partitions repeats messages. */
  async #commitLast(): Promise<void> {
    const { retryBackoff, timers } = { ...CONSUMER_DEFAULTS, ...this.#options };
    for (let attempt = 1; !(await this.#commitNow()) && attempt < LAST_COMMITS; attempt += 1)
      await sleep(timers, retryBackoff.minMs);
  }

  /** Commits the completed prefix of each partition, after any commit in flight. Resolves to false on failure. */
  #commitNow(): Promise<boolean> {
    if (this.#committing === undefined) return this.#commit();
    this.#nextCommit ??= this.#committing.then(() => {
      this.#nextCommit = undefined;
      // A commit started since the previous one ended has this call's offsets.
      return this.#committing ?? this.#commit();
    });
    return this.#nextCommit;
  }

  #commitUnlessBusy(): void {
    if (this.#committing === undefined) void this.#commit();
  }

  #commit(): Promise<boolean> {
    const { generation = 0, source } = this.#attached ?? {};
    const due = [...this.#owned.all()].flatMap((tracker) => {
      const offset = tracker.uncommitted();
      return offset === undefined ? [] : [{ tracker, offset }];
    });
    if (source === undefined || generation === 0 || due.length === 0) return Promise.resolve(true);
    const offsets = due.map(({ tracker: { topic, partition }, offset }) => ({ topic, partition, offset }));
    const send = async (): Promise<boolean> => {
      try {
        const isStored = await source.commit(generation, offsets);
        if (isStored) for (const { tracker, offset } of due) tracker.confirm(offset);
        this.#committed(false);
        return true;
      } catch (error) {
        this.#committed(true, error);
        return false;
      }
    };
    this.#committing = send().finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  #committed(hasFailed: boolean, error?: unknown): void {
    if (this.#health.committed(hasFailed))
      this.#options.log.warn({ err: error }, 'a commit failed; the next one includes its offsets');
    // Committed messages no longer count towards a window.
    for (const tracker of this.#owned.all()) this.#owned.resumeWhenHalf(tracker);
    // The tick clears the failure from the health if the partitions were reassigned.
    if (hasFailed) this.#tickLater();
  }

  #openGate(): void {
    this.#gateWait?.abort();
    this.#gateWait = undefined;
  }

  /** No message is handled before `gate` resolves, since handling may need the results of the previous owner. */
  #closeGate(partitions: readonly TopicPartition[]): void {
    this.#openGate();
    if (this.#options.gate === undefined) return;
    this.#gateWait = new AbortController();
    void this.#awaitGate(partitions, this.#gateWait);
  }

  async #awaitGate(partitions: readonly TopicPartition[], waiting: AbortController): Promise<void> {
    const { gate, log, retryBackoff, random, timers } = { ...CONSUMER_DEFAULTS, ...this.#options };
    const { signal } = waiting;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await gate?.(partitions, signal);
        break;
      } catch (error) {
        if (this.#gateWait !== waiting) return;
        const text = 'messages wait: the data that they depend on could not be read after an assignment';
        log.warn({ attempt, reason: errorText(error) }, text);
        await sleep(timers, backoffMs(retryBackoff, attempt, random), signal);
        if (signal.aborted) return;
      }
    }
    if (this.#gateWait !== waiting) return;
    this.#gateWait = undefined;
    this.#setFlow();
  }
}
