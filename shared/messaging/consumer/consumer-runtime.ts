import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import type { Health } from '../../platform/health.ts';
import { AssignmentFence } from './assignment-gate.ts';
import { BreakerControl } from './circuit-breaker.ts';
import { CommitLoop, type CommitResult } from './commit-loop.ts';
import { ConsumerHealth } from './consumer-health.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';
import { startConsumerTimers } from './consumer-timers.ts';
import { createCounters, type ConsumerStats } from './consumer-stats.ts';
import type { WorkEnd } from '../processing-result.ts';
import { FailurePolicy } from './failure-policy.ts';
import { InFlight } from './in-flight.ts';
import { Lanes } from './key-ordered-executor.ts';
import { partitionId, type LogMessage } from '../message.ts';
import { OwnedPartitions, type PartitionLag } from './owned-partitions.ts';
import type { GroupSink, GroupSource } from '../ports.ts';
import { takeDelivery } from './take-delivery.ts';
import { finishWork, type Work } from './work.ts';

/** Looking this often for the end of the lanes is fine enough for a shutdown. */
const DRAIN_POLL_MS = 10;
/** A last commit that takes longer than this is given up: its messages are delivered again. */
const LAST_COMMIT_MS = 5_000;
/** Leaving the group may take this long; after it, the group expels the member by its session time-out. */
const LEAVE_MS = 5_000;

/** The source that is read at present. */
interface Attachment {
  readonly source: GroupSource;
  readonly timers: readonly NodeJS.Timeout[];
  /** 0 before the first assignment. */
  epoch: number;
  revoking: boolean;
}

/**
 * Takes what a group source delivers through lanes to the process callback, and commits the contiguous prefix of what
 * is done. It outlives its sources: after a crash another one is attached, and messages delivered again join the work
 * that is still going on.
 */
export class ConsumerRuntime {
  readonly counters = createCounters();
  /** Counts the end of what a message brought along, and says whether the breaker is closed. */
  readonly count = (end: WorkEnd): boolean => this.#breaker.count(end) === 'closed';
  readonly #options: RuntimeOptions;
  readonly #inFlight = new InFlight();
  readonly #owned: OwnedPartitions;
  readonly #lanes: Lanes;
  readonly #breaker: BreakerControl;
  readonly #commits: CommitLoop;
  readonly #health: ConsumerHealth;
  readonly #fence: AssignmentFence;
  readonly #abort = new AbortController();
  #attached: Attachment | undefined;
  #draining = false;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#owned = new OwnedPartitions(this.#inFlight, options.window);
    this.#health = new ConsumerHealth(options.stallMs ?? CONSUMER_DEFAULTS.stallMs, options.reads);
    const { weigh } = options;
    const failures = new FailurePolicy(options, this.counters, {
      failed: (work) => this.#breaker.count('failed', work.message.key),
      passing: () => this.#breaker.provedNothing(),
    });
    this.#lanes = new Lanes(
      {
        run: ({ message, attempts, receivedMs }) =>
          options.process(message, attempts, this.#abort.signal, receivedMs),
        thrown: (work, error) => failures.decide(work, error),
        ended: (work, end) => this.#ended(work, end),
        held: () => {
          this.counters.heldAttempts += 1;
          this.#breaker.tryOn();
        },
        wanted: (work) => !work.prefix.closed,
      },
      {
        limit: options.lanes ?? CONSUMER_DEFAULTS.lanes,
        weigh: weigh && (({ message }) => weigh(message)),
        sliceMs: options.sliceMs ?? CONSUMER_DEFAULTS.sliceMs,
      },
    );
    this.#breaker = new BreakerControl(
      {
        lanes: this.#lanes,
        onChange: (state) => this.#breakerChanged(state),
        clock: options.clock ?? systemClock,
        mayProbe: () => this.#mayBegin && !this.#draining,
      },
      options.breaker,
    );
    this.#fence = new AssignmentFence(options, () => this.#setFlow());
    this.#commits = new CommitLoop(
      () => this.#commitTarget(),
      (result) => this.#committed(result),
    );
  }

  /** Makes `source` the one that is read, and answers the sink to start it with. Calls of former sinks are ignored. */
  attach(source: GroupSource, onCrash: (error: Error) => void): GroupSink {
    this.detach();
    const timers = startConsumerTimers(this.#options, source, () => this.#tick());
    const attached: Attachment = { source, timers, epoch: 0, revoking: false };
    this.#attached = attached;
    const isCurrent = (epoch: number) => this.#attached === attached && attached.epoch === epoch;
    return {
      onAssigned: (epoch, partitions) => {
        if (this.#attached !== attached) return;
        attached.epoch = epoch;
        attached.revoking = false;
        this.counters.rebalances += 1;
        this.#lanes.dropQueued();
        this.#owned.assign(source, partitions);
        this.#fence.shut(partitions);
        this.#setFlow();
      },
      onRevoking: (epoch) => {
        if (!isCurrent(epoch)) return;
        attached.revoking = true;
        this.#setFlow();
        void this.#commits.now();
      },
      onMessages: (epoch, messages, highWatermark) => {
        if (!isCurrent(epoch) || attached.revoking || this.#draining) return;
        this.#take(messages, highWatermark);
      },
      onPosition: (epoch, { topic, partition }, position, highWatermark) => {
        const prefix = isCurrent(epoch) ? this.#owned.find(partitionId(topic, partition)) : undefined;
        if (prefix === undefined) return;
        prefix.highWatermark = highWatermark;
        prefix.readTo = position;
      },
      onCrash: (error) => {
        if (this.#attached === attached) onCrash(error);
      },
    };
  }

  /** Lets go of the source: nothing queued is begun any more, nothing is committed; what runs goes on. */
  detach(): void {
    for (const timer of this.#attached?.timers ?? []) clearInterval(timer);
    this.#attached = undefined;
    this.#fence.drop();
    this.#lanes.halt();
    this.#lanes.dropQueued();
    this.#owned.release();
  }

  /** Takes nothing new, lets the lanes end for at most `timeoutMs`, commits, leaves the group. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    this.#owned.pauseAll();
    const endMs = performance.now() + timeoutMs;
    while (!this.#hasEnded() && performance.now() < endMs) await sleep(DRAIN_POLL_MS);
    this.#abort.abort();
    await Promise.race([this.#commits.now(), sleep(LAST_COMMIT_MS, undefined, { ref: false })]);
    const source = this.#attached?.source;
    this.detach();
    this.#lanes.close();
    this.#breaker.stop();
    await source?.stop(LEAVE_MS);
  }

  health(): Health {
    const isAssigned = (this.#attached?.epoch ?? 0) > 0;
    return this.#health.report({ isAssigned, isFenced: !this.#fence.isOpen }, this.#breaker.openState);
  }

  lag(): readonly PartitionLag[] {
    return this.#owned.lag();
  }

  stats(): ConsumerStats {
    return {
      ...this.counters,
      running: this.#lanes.running,
      held: this.#lanes.held,
      partitions: this.#owned.size,
      paused: this.#owned.pausedCount,
      breaker: this.#breaker.state,
    };
  }

  #take(messages: readonly LogMessage[], highWatermark: number): void {
    const first = messages[0];
    const prefix = first && this.#owned.find(partitionId(first.topic, first.partition));
    if (prefix === undefined) return;
    prefix.highWatermark = highWatermark;
    this.counters.joined += takeDelivery(messages, prefix, this.#inFlight, this.#lanes);
    this.#lanes.pump();
    this.#breaker.tryOn();
    this.#owned.pauseWhenFull(prefix);
  }

  #ended(work: Work, end: WorkEnd): void {
    const { prefix } = work;
    this.#breaker.count(end, work.message.key);
    this.counters.settled += 1;
    if (end === 'failed' || end === 'dead-lettered') this.counters.failed += 1;
    finishWork(work);
    prefix.advance();
    this.#owned.resumeWhenHalf(prefix);
    // The commit made when the revocation came did not have what was still running then.
    if (this.#attached?.revoking === true && this.#lanes.running === 0) void this.#commits.now();
  }

  #breakerChanged(state: 'open' | 'closed'): void {
    if (state === 'open') this.counters.breakerOpened += 1;
    this.#options.log.error({ breaker: state, ...this.#options.reads }, 'the breaker changed');
    this.#options.onBreaker?.(state);
    // Last, since what is begun now may fail and change it again.
    this.#setFlow();
  }

  get #mayBegin(): boolean {
    return this.#attached?.revoking === false && this.#fence.isOpen;
  }

  get #mayRun(): boolean {
    return this.#mayBegin && this.#breaker.state === 'closed';
  }

  #setFlow(): void {
    if (this.#mayRun) this.#lanes.go();
    else this.#lanes.halt();
  }

  #hasEnded(): boolean {
    return this.#mayRun ? this.#lanes.isIdle : this.#lanes.running === 0;
  }

  #tick(): void {
    this.#health.watch(this.#owned.all(), this.counters.settled);
    if (this.#attached?.revoking === false) this.#commits.tick();
  }

  #commitTarget() {
    const attached = this.#attached;
    if (attached === undefined || attached.epoch === 0) return undefined;
    const { epoch, source } = attached;
    return { epoch, prefixes: this.#owned.all(), store: source.commit.bind(source) };
  }

  #committed(result: CommitResult): void {
    const isNews = this.#health.committed(result);
    if (result.kind === 'stored') this.counters.commits += 1;
    else if (result.kind === 'outdated') this.counters.commitsOutdated += 1;
    else {
      this.counters.commitsFailed += 1;
      if (isNews)
        this.#options.log.warn({ err: result.error }, 'commits fail; the next one covers what was missed');
    }
  }
}
