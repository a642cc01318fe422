import { errorText } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import { sleep } from '../../platform/timers.ts';
import { backoffMs } from '../backoff.ts';
import { ClockWarning } from '../clock-warning.ts';
import type { LogMessage } from '../message.ts';
import type { GroupSink, GroupSource } from '../ports.ts';
import { isTransientFailure, type FinalResult, type ProcessingResult } from '../processing-result.ts';
import { AssignmentGate } from './assignment-gate.ts';
import { CommitLoop, type CommitResult, type CommitTarget } from './commit-loop.ts';
import { ConsumerHealth } from './consumer-health.ts';
import {
  CONSUMER_DEFAULTS,
  createCounters,
  type ConsumerStats,
  type RuntimeOptions,
} from './consumer-options.ts';
import { KeyOrderedExecutor } from './key-ordered-executor.ts';
import { createWork, finishWork, type OffsetTracker, type Work } from './offset-tracker.ts';
import { OwnedPartitions, type PartitionLag } from './owned-partitions.ts';

/** Interval at which a shutdown checks whether the messages in progress have ended. */
const DRAIN_POLL_MS = 10;
/**
 * Longest wait for the last commit, whose messages are otherwise delivered again, and for leaving the group; without it, the
 * session timeout removes the consumer. Each has at least the second time, also when the time of a drain is over.
 */
const LAST_REQUEST_MS = 5_000;
const MIN_LAST_REQUEST_MS = 1_000;
/** Unavailable infrastructure fails every message: log lines about it are limited to one in this time. */
const LOG_INTERVAL_MS = 60_000;

/** The current source. */
interface Attachment {
  readonly source: GroupSource;
  /** Cancels the next tick; undefined while nothing is in progress. */
  cancelTick: (() => void) | undefined;
  /** 0 before the first assignment. */
  generation: number;
  /** Since when the group rebalances, in monotonic milliseconds; undefined: it does not. */
  revokedMs: number | undefined;
}

/**
 * Passes delivered messages to the process callback, ordered by key, and commits the contiguous prefix of completed ones.
 * After a crash of the source another one is attached. What is in progress then continues, and its messages are delivered again.
 */
export class ConsumerRuntime {
  readonly counters = createCounters();
  readonly #options: RuntimeOptions;
  readonly #owned: OwnedPartitions;
  readonly #executor: KeyOrderedExecutor;
  readonly #commits: CommitLoop;
  readonly #health: ConsumerHealth;
  readonly #gate: AssignmentGate;
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
    this.#gate = new AssignmentGate(options, () => this.#setFlow());
    this.#commits = new CommitLoop(
      () => this.#commitTarget(),
      (result) => this.#committed(result),
    );
  }

  /** Makes `source` the current one and returns its sink, for source.start(). Calls of earlier sinks are ignored. */
  attach(source: GroupSource, onCrash: (error: Error) => void): GroupSink {
    this.detach();
    const attached: Attachment = {
      source,
      cancelTick: undefined,
      generation: 0,
      revokedMs: undefined,
    };
    this.#attached = attached;
    const isCurrent = (generation: number) =>
      this.#attached === attached && attached.generation === generation;
    return {
      onAssigned: (generation, partitions) => {
        if (this.#attached !== attached) return;
        attached.generation = generation;
        attached.revokedMs = undefined;
        this.counters.rebalances += 1;
        this.#executor.dropQueued();
        this.#owned.assign(source, partitions);
        this.#gate.close(partitions);
        this.#setFlow();
        // The health may still be that of earlier partitions, and no message may follow.
        this.#tickLater();
      },
      onRevoking: (generation) => {
        if (!isCurrent(generation)) return;
        attached.revokedMs = this.#options.monotonic.elapsedMs();
        this.#setFlow();
        void this.#commits.now();
      },
      onMessages: (generation, messages, highWatermark) => {
        if (!isCurrent(generation) || attached.revokedMs !== undefined || this.#isDraining) return;
        this.#receive(messages, highWatermark);
      },
      onPosition: (generation, { topic, partition }, position, highWatermark) => {
        // After messages that were refused: a commit of the position would skip them.
        if (!isCurrent(generation) || attached.revokedMs !== undefined || this.#isDraining) return;
        const tracker = this.#owned.find(topic, partition);
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

  /** Detaches the source: drops queued messages and ends commits; running messages continue. */
  detach(): void {
    this.#attached?.cancelTick?.();
    this.#attached = undefined;
    this.#gate.cancel();
    this.#executor.pause();
    this.#executor.dropQueued();
    this.#owned.release();
  }

  /**
   * Accepts nothing new, lets messages in progress end for at most `timeoutMs`, commits and leaves the group, for which it may take
   * two seconds longer.
   */
  async drain(timeoutMs: number): Promise<void> {
    const { monotonic, timers } = this.#options;
    this.#isDraining = true;
    this.#owned.pauseAll();
    const endMs = monotonic.elapsedMs() + timeoutMs;
    while (!this.#hasEnded() && monotonic.elapsedMs() < endMs) await sleep(timers, DRAIN_POLL_MS);
    this.#abort.abort();
    const requestMs = () =>
      Math.min(LAST_REQUEST_MS, Math.max(endMs - monotonic.elapsedMs(), MIN_LAST_REQUEST_MS));
    await this.#commitLast(requestMs());
    const source = this.#attached?.source;
    this.detach();
    this.#executor.close();
    await source?.stop(requestMs());
  }

  health(): Health {
    const { generation = 0, revokedMs } = this.#attached ?? {};
    const phase = { isAssigned: generation > 0, isGated: !this.#gate.isOpen, revokedMs };
    return this.#health.report(phase);
  }

  lag(): readonly PartitionLag[] {
    return this.#owned.lag();
  }

  stats(): ConsumerStats {
    return {
      ...this.counters,
      running: this.#executor.running,
      held: this.#executor.held,
      partitions: this.#owned.size,
      paused: this.#owned.pausedCount,
    };
  }

  /** Commits what is done, for at most this time. */
  async #commitLast(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.schedule(resolve, timeoutMs, 'background');
    await Promise.race([this.#commits.now(), promise]);
    cancel();
  }

  #createExecutor(): KeyOrderedExecutor {
    const options = { ...CONSUMER_DEFAULTS, ...this.#options };
    const { process, weigh, concurrency, sliceMs, monotonic, timers } = options;
    const { signal } = this.#abort;
    return new KeyOrderedExecutor(
      {
        run: (work) => process(work.message, work.attempts, signal, work),
        thrown: (work, error) => this.#thrown(work, error),
        ended: (work, result) => this.#ended(work, result),
        held: () => {
          this.counters.heldAttempts += 1;
        },
        wanted: (work) => !work.tracker.closed,
      },
      {
        limit: concurrency,
        weigh: weigh && (({ message }) => weigh(message)),
        sliceMs,
        monotonic,
        timers,
      },
    );
  }

  #receive(messages: readonly LogMessage[], highWatermark: number): void {
    const [first] = messages;
    let tracker = first && this.#owned.find(first.topic, first.partition);
    if (first === undefined || tracker === undefined) return;
    this.#clockWarning.see(first);
    if (highWatermark <= tracker.lastOffset) tracker = this.#restart(tracker, first.offset);
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

  /** The log ends before a message that was delivered: its topic was created again, or a new leader lacks its last records. */
  #restart(tracker: OffsetTracker, offset: number): OffsetTracker {
    const { topic, partition, lastOffset } = tracker;
    const fields = { topic, partition, lastOffset, offset };
    this.#options.log.warn(fields, 'a partition ends before records that were delivered; it is read again');
    return this.#owned.restart(tracker);
  }

  #ended(work: Work, result: FinalResult): void {
    const { tracker } = work;
    this.counters.settled += 1;
    if (result === 'failed') this.counters.failed += 1;
    finishWork(work);
    tracker.advance();
    this.#owned.resumeWhenHalf(tracker);
    if (this.#attached?.revokedMs === undefined) {
      // Everything of a partition that stays paused is done: it waits only for its commit.
      if (tracker.paused && !tracker.closed && tracker.pending === 0) this.#commits.tick();
    } else if (this.#executor.running === 0) {
      // The commit at the revocation did not include messages that were still running.
      void this.#commits.now();
    }
  }

  /** A message that throws is retried with growing delays, after transient failures and bugs alike. */
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
    return this.#attached !== undefined && this.#attached.revokedMs === undefined && this.#gate.isOpen;
  }

  #setFlow(): void {
    if (this.#mayRun) this.#executor.resume();
    else this.#executor.pause();
  }

  #hasEnded(): boolean {
    return this.#mayRun ? this.#executor.isIdle : this.#executor.running === 0;
  }

  /** Commits and observes the progress after the commit interval, and then regularly until everything is committed. */
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
    if (revokedMs === undefined) this.#commits.tick();
    if (trackers.some((tracker) => tracker.lag > 0 || tracker.uncommitted() !== undefined)) this.#tickLater();
  }

  #commitTarget(): CommitTarget | undefined {
    const attached = this.#attached;
    if (attached === undefined || attached.generation === 0) return undefined;
    const { generation, source } = attached;
    return { generation, trackers: this.#owned.all(), store: source.commit.bind(source) };
  }

  #committed(result: CommitResult): void {
    const isFirstFailure = this.#health.committed(result);
    // What is committed no longer fills a window.
    for (const tracker of this.#owned.all()) this.#owned.resumeWhenHalf(tracker);
    if (result.kind === 'stored') this.counters.commits += 1;
    else if (result.kind === 'outdated') this.counters.commitsOutdated += 1;
    else {
      this.counters.commitsFailed += 1;
      // The commit may have been of partitions that are elsewhere by now, with nothing left to observe.
      this.#tickLater();
    }
    if (isFirstFailure)
      this.#options.log.warn({ err: result.error }, 'a commit failed; the next one includes its offsets');
  }
}
