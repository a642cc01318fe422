import type { Codec, Decoded } from '../../../shared/messaging/codec.ts';
import { CONTENT_TYPE } from '../../../shared/messaging/codec/message-codec.ts';
import { isTransientFailure } from '../../../shared/messaging/outcome.ts';
import { isPromise, type SyncOrAsync } from '../../../shared/platform/sync-or-async.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import type { DataFile } from '../../../shared/messaging/data-file.ts';
import { IndexedTail } from '../../../shared/messaging/record-index/indexed-tail.ts';
import { RecordIndex, type IndexLimits } from '../../../shared/messaging/record-index/record-index.ts';
import type { Priority } from '../../../shared/notification/notification-command.ts';
import {
  BLANK_STATE,
  isReceipt,
  type DeliveryStatus,
  type NotificationState,
} from '../../../shared/notification/notification-state.ts';
import { isOfOtherChannel, supersedes } from '../../../shared/notification/state-precedence.ts';
import { STATE_TYPE } from '../../../shared/api/notification/state-record.ts';
import { sleep, type SystemPorts } from '../../../shared/platform/system-ports.ts';
import { OUTCOME_RETENTION_MS } from '../../../shared/platform/retention.ts';
import { errorText, InfrastructureError } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { createReadBack, type ReadBack } from './read-back.ts';

export interface DeliveryLogOptions extends DeliveryLogIndexOptions {
  readonly broker: Pick<Broker, 'createTail' | 'admin'>;
  /** File of the entries, which is closed with the delivery log. If undefined, they are in memory. */
  readonly indexFile?: DataFile | undefined;
  readonly indexLimits?: Partial<IndexLimits>;
  readonly publisher: Publisher;
  /** Publishes intents of urgent notifications, which must not wait behind other records. */
  readonly urgentPublisher: Publisher;
  readonly codec: Codec;
  readonly topic: string;
  readonly clientId: string;
  readonly self: string;
  readonly timers: SystemPorts['timers'];
  readonly log: Log;
}

/** Interval between attempts to write an outcome, or to read the schema of a record. */
const RETRY_MS = 250;
/** Other processes write a hidden outcome again after this long, in case the process that hid it has ended. */
const HIDDEN_MS = 5_000;

/** The intents and outcomes of all notifications, which every process reads. `supersedes` decides between them. */
export class DeliveryLog {
  readonly #options: DeliveryLogOptions;
  readonly #index: RecordIndex;
  readonly #entries: DeliveryLogIndex;
  readonly #tail: IndexedTail;
  readonly #readBack: Readonly<Record<Priority, ReadBack>>;
  #badRecords = 0;
  /** By id: cancels the timer of an outcome that a later record of another process hides. */
  readonly #hidden = new Map<string, () => void>();
  #stopped = false;

  constructor(options: DeliveryLogOptions) {
    this.#options = options;
    const { broker, topic, clientId, indexFile: file, indexLimits: limits = {}, timers, log } = options;
    const index = { name: 'ledger', file, retentionMs: OUTCOME_RETENTION_MS, limits };
    this.#index = new RecordIndex({ ...index, clock: options.clock, timers, log });
    this.#entries = new DeliveryLogIndex(this.#index, options);
    this.#tail = new IndexedTail(
      broker,
      {
        ...options,
        clientId,
        topics: [topic],
        index: this.#index,
        beforeRead: () => this.#entries.restore(),
      },
      (message) => this.#read(message),
    );
    const { publisher, urgentPublisher, self } = options;
    const urgent = createReadBack(urgentPublisher, `${self}/urgent`, timers);
    this.#readBack = { normal: createReadBack(publisher, self, timers), urgent };
  }

  /** Resolves when the topic has been read. */
  start(): Promise<void> {
    return this.#tail.start();
  }

  /** Resolves when all records now on the topic are read. Rejects with `tail-behind` or `tail-stopped`. */
  caughtUp(timeoutMs: number): Promise<void> {
    return this.#tail.caughtUp(timeoutMs);
  }

  /** Throws InfrastructureError while the index cannot be read. */
  find(id: string): LogEntry | undefined {
    return this.#entries.find(id);
  }

  /** True if the topic may have lost the entry of a notification of this time before this process read it. */
  mayMiss(originTimestampMs: number): boolean {
    return originTimestampMs < this.#index.completeFromMs;
  }

  /** Writes an intent. Resolves with false if another record has precedence. If it rejects, nothing may be sent. */
  async claim(
    intent: NotificationState,
    priority: Priority = 'normal',
    headers: MessageHeaders = {},
  ): Promise<boolean> {
    const { status, reason = '' } = this.#index.health();
    if (status !== 'ready') throw new InfrastructureError('ledger-unavailable', reason);
    await this.#readBack[priority].write(await this.#record(intent, headers));
    const known = this.find(intent.notificationId);
    return (
      known?.status === 'sending' &&
      known.channel === intent.channel &&
      known.owner === intent.owner &&
      known.attempt === intent.attempt &&
      known.leaseUntil === intent.leaseUntil
    );
  }

  /** Retries until the outcome is on the log, as no other process has it. Rejects when stopped or if encoding fails. */
  async settle(state: NotificationState, given: MessageHeaders = {}): Promise<void> {
    const { publisher, self, log, timers } = this.#options;
    let record: OutgoingMessage | undefined;
    for (let isLogged = false; ;) {
      try {
        record ??= await this.#record(state, given);
        const headers = { ...record.headers, [HEADER.write]: `${self}/settled` };
        await publisher.publish([{ ...record, headers }]);
        break;
      } catch (error) {
        if (this.#stopped)
          throw new InfrastructureError('ledger-stopped', 'an outcome was not written', error);
        if (record === undefined && !isTransientFailure(error)) throw error;
        if (!isLogged && !isTransientFailure(error)) {
          isLogged = true;
          log.error(
            { err: error },
            'the broker rejects an outcome; its notification waits until it is written',
          );
        }
        await sleep(timers, RETRY_MS);
      }
    }
    this.#entries.apply(state, headerText(given, HEADER.textHash));
  }

  /** Writes an outcome that another process may contradict. Resolves with false if another outcome supersedes it. */
  async declare(state: NotificationState, headers: MessageHeaders = {}): Promise<boolean> {
    await this.#readBack.normal.write(await this.#record(state, headers));
    return isSame(state, this.find(state.notificationId));
  }

  figures() {
    const { records: size } = this.#index.size();
    return { size, badRecords: this.#badRecords, ...this.#entries.sending() };
  }

  health(): Health {
    const { topic } = this.#options;
    const health = this.#tail.health();
    if (health.status !== 'ready' || this.#badRecords === 0) return health;
    return { status: 'degraded', reason: `${topic} has ${this.#badRecords} records that cannot be read` };
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#stopped = true;
    await this.#tail.stop(timeoutMs);
    for (const cancel of this.#hidden.values()) cancel();
  }

  /** In the format that the content type of the given headers names. */
  async #record(state: NotificationState, given: MessageHeaders): Promise<OutgoingMessage> {
    const { codec, topic } = this.#options;
    const format = headerText(given, HEADER.contentType) === CONTENT_TYPE.json ? 'json' : 'avro';
    const { value, headers } = await codec.encode(STATE_TYPE, state, format);
    return { topic, key: state.notificationId, value, headers: { ...given, ...headers } };
  }

  #read(message: LogMessage): SyncOrAsync<void> {
    const decoded = message.value === null ? undefined : this.#options.codec.decode(message);
    return isPromise(decoded) ? this.#readLate(message, decoded) : this.#apply(message, decoded);
  }

  async #readLate(message: LogMessage, first: Promise<Decoded>): Promise<void> {
    const { codec, timers } = this.#options;
    for (let decoding: Promise<Decoded> | undefined = first; ; decoding = undefined) {
      try {
        return this.#apply(message, await (decoding ?? codec.decode(message)));
      } catch (error) {
        if (!isTransientFailure(error)) {
          this.#skip(message, errorText(error));
          return this.#passed(message);
        }
        await sleep(timers, RETRY_MS);
        if (this.#stopped) return undefined;
      }
    }
  }

  /** `decoded` is undefined for a tombstone. */
  #apply(message: LogMessage, decoded: Decoded | undefined): void {
    if (decoded === undefined) {
      if (message.key !== null) this.#entries.remove(message.key.toString());
    } else if (decoded.kind === 'undecodable' || decoded.type !== STATE_TYPE) {
      this.#skip(message, 'it is not the state of a notification');
    } else {
      const state = decoded.payload as NotificationState;
      const known = this.#entries.apply(state, headerText(message.headers, HEADER.textHash));
      this.#readBack.normal.seen(message);
      this.#readBack.urgent.seen(message);
      this.#uncover(state, message, known);
    }
    this.#passed(message);
  }

  #passed({ topic, partition, offset }: LogMessage): void {
    this.#index.passed({ topic, partition, offset: offset + 1 });
  }

  /** Compaction would keep a late record, not the outcome that supersedes it (`known`). So `known` is written again. */
  #uncover(state: NotificationState, { headers }: LogMessage, known: LogEntry | undefined): void {
    const { notificationId: id } = state;
    this.#hidden.get(id)?.();
    this.#hidden.delete(id);
    if (known === undefined || known.status === 'sending' || isSame(state, known)) return;
    const { self, timers } = this.#options;
    if (headerText(headers, HEADER.write)?.startsWith(`${self}/`))
      return this.#restore(state, known, headers);
    // A later record cancels this timer. It uses only `known`, because the index may be unreadable by then.
    const restore = (): void => {
      this.#hidden.delete(id);
      this.#restore(state, known, headers);
    };
    this.#hidden.set(id, timers.schedule(restore, HIDDEN_MS, 'background'));
    return undefined;
  }

  #restore(hiding: NotificationState, known: LogEntry, given: MessageHeaders): void {
    const updatedAt = this.#options.clock.now();
    const end = {
      ...hiding,
      ...BLANK_STATE,
      providers: undefined,
      repeatableBy: undefined,
      ...known,
      attempt: Math.max(known.attempt, 1),
      updatedAt,
    };
    const { textHash } = known;
    const format = { [HEADER.contentType]: headerText(given, HEADER.contentType) ?? CONTENT_TYPE.avro };
    const headers = textHash === undefined ? format : { ...format, [HEADER.textHash]: textHash };
    this.settle(end, headers).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'a superseding outcome was not written again');
    });
  }

  #skip({ topic, partition, offset }: LogMessage, reason: string): void {
    this.#badRecords += 1;
    this.#options.log.warn({ topic, partition, offset, reason }, 'a record of the delivery log was skipped');
  }
}

/** True if status, channel and round are those of the known state. If both are sent, their rounds may differ. */
function isSame(state: NotificationState, known: LogEntry | undefined): boolean {
  if (known?.status !== deliveryStatus(state) || isOfOtherChannel(state.channel, known)) return false;
  return known.status === 'sent' || known.attempt === state.attempt;
}

export type LogEntry = Pick<NotificationState, 'attempt'> &
  Partial<Omit<NotificationState, 'notificationId' | 'status' | 'updatedAt' | 'providerMessageId'>> & {
    /** For delivery, a receipt says no more than `sent`. */
    readonly status: DeliveryStatus;
    /** Differs for another text under the id. Absent if the record does not have it. */
    readonly textHash?: string | undefined;
    /** While sending: the end of the lease on the monotonic clock of this process. */
    readonly leaseEndsMs?: number;
  };

function deliveryStatus({ status }: Pick<NotificationState, 'status'>): DeliveryStatus {
  return isReceipt(status) ? 'sent' : status;
}

interface DeliveryLogIndexOptions extends Pick<SystemPorts, 'clock' | 'monotonic'> {
  /** Returns the longest lease of a round with this number of providers. Undefined means an unknown number. */
  readonly longestLeaseMs: (providers: number | undefined) => number;
}

/** Nearly all notifications are sent, so a sent one takes only a byte for the channel and those of its text hash. */
const SENT = { sms: 1, email: 2 } as const;

interface StoredEntry extends LogEntry {
  readonly id?: string;
  readonly leaseMs?: number;
}

/**
 * Entries that have not ended never expire. Clocks of processes are not compared: a lease or a wait has the length that
 * its writer recorded, so a clock that is ahead ends nothing early. The leases of rounds in progress are in memory.
 */
class DeliveryLogIndex {
  readonly #index: RecordIndex;
  readonly #options: DeliveryLogIndexOptions;
  readonly #leases = new Map<string, number>();
  #retrying = 0;

  constructor(index: RecordIndex, options: DeliveryLogIndexOptions) {
    this.#index = index;
    this.#options = options;
  }

  /** Must be called once the index is open, before a record is applied. A lease begins again when it is read here. */
  restore(): void {
    for (const { value } of this.#index.openRecords()) {
      const { status, id, leaseMs = 0 } = JSON.parse(Buffer.from(value).toString()) as StoredEntry;
      if (status === 'retrying') this.#retrying += 1;
      else if (status === 'sending' && id !== undefined)
        this.#leases.set(id, this.#options.monotonic.elapsedMs() + leaseMs);
    }
  }

  find(id: string): LogEntry | undefined {
    const value = this.#index.find(id)?.value;
    if (value === undefined) return undefined;
    if (value[0] === SENT.sms || value[0] === SENT.email) {
      const channel = value[0] === SENT.sms ? 'sms' : 'email';
      const textHash = value.length === 1 ? undefined : Buffer.from(value.subarray(1)).toString('base64url');
      return { status: 'sent', attempt: 0, channel, textHash };
    }
    const { id: _, leaseMs = 0, ...entry } = JSON.parse(Buffer.from(value).toString()) as StoredEntry;
    if (entry.status !== 'sending') return entry;
    const leaseEndsMs = this.#leases.get(id) ?? this.#options.monotonic.elapsedMs() + leaseMs;
    return { ...entry, leaseEndsMs };
  }

  /** Applies a state of the log. If the known state is not superseded, returns it instead. */
  apply(state: NotificationState, sentHash?: string): LogEntry | undefined {
    const { notificationId: id, channel, updatedAt } = state;
    const status = deliveryStatus(state);
    const known = this.find(id);
    const textHash = sentHash ?? known?.textHash;
    if (!supersedes({ ...state, status }, known)) return known;
    this.#forgetOpen(id, known);
    const writtenAtMs = Math.min(updatedAt, this.#options.clock.now());
    if (status === 'sent') {
      const value = Buffer.concat([Buffer.of(SENT[channel]), Buffer.from(textHash ?? '', 'base64url')]);
      this.#index.put(id, { value, writtenAtMs, isOpen: false });
      return undefined;
    }
    const entry = { ...this.#storedEntry(state, status), textHash };
    if (status === 'sending')
      this.#leases.set(id, this.#options.monotonic.elapsedMs() + (entry.leaseMs ?? 0));
    if (status === 'retrying') this.#retrying += 1;
    const isOpen = status === 'sending' || status === 'retrying' || status === 'scheduled';
    const value = Buffer.from(JSON.stringify(entry));
    this.#index.put(id, { value, writtenAtMs, isOpen });
    return undefined;
  }

  remove(id: string): void {
    this.#forgetOpen(id, this.find(id));
    this.#index.delete(id);
  }

  sending(): { readonly intents: number; readonly overdue: number; readonly retrying: number } {
    const elapsedMs = this.#options.monotonic.elapsedMs();
    let overdue = 0;
    for (const leaseEndsMs of this.#leases.values()) if (leaseEndsMs < elapsedMs) overdue += 1;
    return { intents: this.#leases.size, overdue, retrying: this.#retrying };
  }

  #forgetOpen(id: string, known: LogEntry | undefined): void {
    this.#leases.delete(id);
    if (known?.status === 'retrying') this.#retrying -= 1;
  }

  #storedEntry(state: NotificationState, status: DeliveryStatus): StoredEntry {
    const { notificationId: id, attempt, channel, updatedAt, code, attempts, owner } = state;
    if (status === 'sending') {
      const { leaseUntil = 0, providers, repeatableBy } = state;
      const longestMs = this.#options.longestLeaseMs(providers?.length);
      const leaseMs = Math.min(Math.max(0, leaseUntil - updatedAt), longestMs);
      return { id, status, attempt, channel, owner, leaseUntil, leaseMs, providers, repeatableBy };
    }
    if (status !== 'retrying' && status !== 'scheduled') return { status, attempt, channel, code };
    const waitMs = Math.max(0, (state.nextAttemptAt ?? 0) - updatedAt);
    const nextAttemptAt = Math.min(state.nextAttemptAt ?? 0, this.#options.clock.now() + waitMs);
    return { id, status, attempt, channel, nextAttemptAt, attempts };
  }
}
