import { errorText, MessagingError } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import { type SystemPorts, sleep } from '../../platform/system-ports.ts';
import { tailBehind, tailStopped } from '../broker-errors.ts';
import { partitionId, type LogMessage } from '../message.ts';
import type { Broker, Tail } from '../ports.ts';
import { isPromise, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import type { RecordIndex } from './record-index.ts';

/** An Idempotency-Key is valid for 24 hours (N3), so the topics must keep their records at least as long. */
const KEPT_MS = 24 * 3_600_000;
/** The embedded broker trims a full partition to nine tenths, so one less than half full was not trimmed recently. */
const TRIMMED_SHARE = 0.5;
const PROGRESS_MS = 10_000;
/** A start that reads nothing for this long fails, because the broker apparently cannot be read. */
const STANDSTILL_MS = 60_000;
const REOPEN_MS = 1_000;

interface IndexedTailOptions extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'> {
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly index: RecordIndex;
  readonly log: Log;
  /** Called after the index has been compared with the topics, and before the first record is read. */
  readonly beforeRead?: () => void;
}

/** Reads topics into an index. Pauses at a record that the index cannot take yet, or whose schema is being fetched. */
export class IndexedTail {
  readonly #broker: Pick<Broker, 'createTail' | 'admin'>;
  readonly #options: IndexedTailOptions;
  readonly #receive: (message: LogMessage) => SyncOrAsync<void>;
  #tail: Tail | undefined;
  /** Partitions whose oldest records were removed before the index had them. */
  readonly #gaps = new Set<string>();
  #received = 0;
  /** Resolves when the record that waits for its schema is received, and reading continues; undefined if none waits. */
  #late: Promise<void> | undefined;
  #isCaughtUp = false;
  #isHeld = false;
  /** True while #tail is being replaced: neither the old nor the new one can say whether it has read everything. */
  #isReopening = false;
  #isStopped = false;

  /** `receive` adds the message to the index and calls RecordIndex.passed(), both before it returns or resolves. */
  constructor(
    broker: Pick<Broker, 'createTail' | 'admin'>,
    options: IndexedTailOptions,
    receive: (message: LogMessage) => SyncOrAsync<void>,
  ) {
    this.#broker = broker;
    this.#options = options;
    this.#receive = receive;
    options.index.onRecovered(() => void this.#continue());
  }

  /** Resolves when the topics have been read. Rejects with `tail-behind` only after a minute without a record. */
  async start(): Promise<void> {
    const { clientId, log, monotonic, timers } = this.#options;
    const records = await this.#compareWithTopics();
    this.#options.beforeRead?.();
    const startedMs = monotonic.elapsedMs();
    await this.#open();
    let idleSinceMs = startedMs;
    for (let read = -1; ;) {
      try {
        await this.caughtUp(PROGRESS_MS);
        break;
      } catch (error) {
        if (!(error instanceof MessagingError) || error.code !== 'tail-behind') throw error;
        if (this.#received > read || this.#late !== undefined) idleSinceMs = monotonic.elapsedMs();
        else if (monotonic.elapsedMs() - idleSinceMs >= STANDSTILL_MS) throw error;
        read = this.#received;
        log.info({ clientId, read, records }, 'reading the records of notifications');
        // caughtUp() rejects at once while reading is stopped.
        if (this.#isInterrupted) await sleep(timers, REOPEN_MS);
      }
    }
    this.#isCaughtUp = true;
    if (this.#received === 0) return;
    const seconds = Math.round(monotonic.elapsedMs() - startedMs) / 1_000;
    log.info({ clientId, read: this.#received, seconds }, 'read the records of notifications');
  }

  /** Rejects with `tail-behind` after the timeout or an interruption of reading, with `tail-stopped` if not running. */
  async caughtUp(timeoutMs: number): Promise<void> {
    const { clientId, monotonic, timers } = this.#options;
    const untilMs = monotonic.elapsedMs() + timeoutMs;
    for (;;) {
      const late = this.#late;
      if (late !== undefined) {
        const waited = new AbortController();
        await Promise.race([late, sleep(timers, untilMs - monotonic.elapsedMs(), waited.signal)]);
        waited.abort();
      }
      const tail = this.#tail;
      if (tail === undefined || this.#isStopped) throw tailStopped(clientId);
      const isInterrupted = (): boolean => this.#isInterrupted || this.#tail !== tail;
      if (isInterrupted()) throw tailBehind(clientId, timeoutMs);
      try {
        await tail.caughtUp(Math.max(0, untilMs - monotonic.elapsedMs()));
      } catch (error) {
        if (this.#isStopped || !isInterrupted()) throw error;
      }
      if (!isInterrupted()) return;
      if (this.#late === undefined) throw tailBehind(clientId, timeoutMs);
    }
  }

  /** Whether all records that were on the topics at the start have been read, and new ones are being read. */
  isCurrent(): boolean {
    return this.#isCaughtUp && !this.#isHeld && this.#tail?.isReady() === true;
  }

  health(): Health {
    const { index, topics } = this.#options;
    const health = index.health();
    if (health.status !== 'ready') return health;
    const names = topics.join(', ');
    if (this.#late !== undefined) return { status: 'degraded', reason: `${names} waits for a schema` };
    if (this.isCurrent()) return health;
    return { status: 'degraded', reason: `${names} is not being read` };
  }

  /** Also closes the index. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#tail?.stop(timeoutMs);
    this.#options.index.close();
  }

  /** Returns how many records must be read. Removed ones do not matter if the topic keeps records for long enough. */
  async #compareWithTopics(): Promise<number> {
    const { index, topics, log, clientId, clock } = this.#options;
    const ranges = await Promise.all(
      topics.map(async (topic) => {
        const partitions = await this.#broker.admin.offsets(topic);
        return partitions.map((range) => ({ topic, ...range }));
      }),
    );
    const all = ranges.flat();
    const known = new Map(
      index.positions.map(({ topic, partition, offset }) => [partitionId(topic, partition), offset]),
    );
    if (all.some(({ topic, partition, high }) => (known.get(partitionId(topic, partition)) ?? 0) > high)) {
      log.warn({ clientId }, 'the topics have fewer records than the index, which is built again');
      index.discard();
      known.clear();
    }
    const states = await this.#broker.admin.topicStates?.(topics);
    const early = topics.filter((topic) => removesEarly(states?.get(topic)?.config));
    if (early.length > 0) {
      const text = 'topics keep records for less than 24 hours or limit their bytes: npm run topics -- check';
      log.warn({ clientId, topics: early }, text);
    }
    let records = 0;
    for (const { topic, partition, low, high, usedShare = 0 } of all) {
      const id = partitionId(topic, partition);
      const position = known.get(id) ?? 0;
      const isEarly = early.includes(topic) || usedShare >= TRIMMED_SHARE;
      if (isEarly && position < low) {
        if (low < high) this.#gaps.add(id);
        else {
          // No record is left whose time would show until when records are missing.
          index.setIncompleteBefore(clock.now());
          index.passed({ topic, partition, offset: low });
        }
      }
      records += high - Math.max(position, low);
    }
    return records;
  }

  get #isInterrupted(): boolean {
    return this.#isHeld || this.#isReopening;
  }

  async #open(): Promise<void> {
    const { clientId, topics, index } = this.#options;
    const { positions } = index;
    this.#tail = this.#broker.createTail({ clientId, topics, from: 'earliest', positions });
    await this.#tail.start((message) => this.#handle(message));
  }

  #handle(message: LogMessage): void {
    if (this.#isHeld) return;
    const { index, clock } = this.#options;
    if (!index.accepts()) {
      this.#isHeld = true;
      return;
    }
    this.#received += 1;
    if (this.#gaps.size > 0 && this.#gaps.delete(partitionId(message.topic, message.partition)))
      index.setIncompleteBefore(Math.min(message.timestampMs, clock.now()));
    try {
      const received = this.#receive(message);
      if (!isPromise(received)) return;
      this.#isHeld = true;
      const ended = received.catch((error: unknown) => {
        // The index calls #continue() when it has recovered, and the record is read again.
        if (index.health().status === 'ready') throw error;
      });
      this.#late = ended.then(() => {
        this.#late = undefined;
        return this.#continue();
      });
    } catch (error) {
      if (index.health().status === 'ready') throw error;
      this.#isHeld = true;
    }
  }

  /** Replaces the tail, one attempt at a time, but not while a record waits for its schema: it would be read twice. */
  async #continue(): Promise<void> {
    const { clientId, index, log, timers } = this.#options;
    if (!this.#isHeld || this.#isReopening || this.#isStopped || this.#late !== undefined) return;
    // The index calls this method again when it has recovered.
    if (index.health().status !== 'ready') return;
    this.#isReopening = true;
    try {
      await this.#tail?.stop(0);
      this.#isHeld = false;
      if (!this.#isStopped) await this.#open();
    } catch (error) {
      this.#isHeld = true;
      log.warn({ clientId, error: errorText(error) }, 'the records of notifications cannot be read');
    }
    this.#isReopening = false;
    // If the index recovered meanwhile, its call to this method had no effect.
    if (this.#isHeld) timers.schedule(() => void this.#continue(), REOPEN_MS, 'background');
  }
}

function removesEarly(config: ReadonlyMap<string, string> | undefined): boolean {
  if (config?.get('cleanup.policy')?.includes('delete') !== true) return false;
  const retentionMs = Number(config.get('retention.ms') ?? -1);
  const retentionBytes = Number(config.get('retention.bytes') ?? -1);
  return (retentionMs >= 0 && retentionMs < KEPT_MS) || retentionBytes >= 0;
}
