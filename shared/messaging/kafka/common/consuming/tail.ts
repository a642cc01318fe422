import { errorText } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { tailBehind, tailStopped } from '../../../broker-errors.ts';
import { partitionId, type LogMessage, type TopicPartition } from '../../../message.ts';
import { CLIENT_DEFAULTS, type Tail, type TailOptions } from '../../../ports.ts';
import type { CreatePartitionReader, PartitionListener, PartitionReader } from './partition-reader.ts';
import { endOffsets, startPositions, type TailAdmin } from './tail-offsets.ts';

interface TailParts {
  readonly createReader: CreatePartitionReader;
  readonly admin: TailAdmin;
  readonly log: Log;
  /** Called when the tail has stopped, so that the broker does not stop it again. */
  readonly onStopped: (tail: Tail) => void;
}

/** A pending call of caughtUp(): the end offsets of the partitions that have not reached them, by partition. */
interface CatchUp {
  readonly missing: Map<string, number>;
  readonly reached: () => void;
}

/** A tail on a reader of a client. */
export class KafkaTail implements Tail, PartitionListener {
  readonly #options: TailOptions;
  readonly #parts: TailParts;
  readonly #reader: PartitionReader;
  #onMessage: ((message: LogMessage) => void) | undefined;
  #isStopped = false;
  readonly #stopSignal = Promise.withResolvers<never>();
  readonly #readTo = new Map<string, number>();
  readonly #catchUps = new Set<CatchUp>();
  #skipped = 0;

  constructor(options: TailOptions, parts: TailParts) {
    this.#options = options;
    this.#parts = parts;
    this.#reader = parts.createReader(options, this);
    this.#stopSignal.promise.catch(() => undefined);
  }

  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    const { clientId } = this.#options;
    if (this.#onMessage !== undefined || this.#isStopped) throw tailStopped(clientId);
    this.#onMessage = onMessage;
    const positions = await startPositions(this.#parts.admin, this.#options);
    if (this.#isStopped) throw tailStopped(clientId);
    for (const { topic, partition, offset } of positions) this.onReadTo({ topic, partition }, offset);
    await Promise.race([this.#reader.start(positions), this.#stopSignal.promise]);
  }

  isReady(): boolean {
    return !this.#isStopped && this.#reader.isReady();
  }

  async caughtUp(timeoutMs: number): Promise<void> {
    const { clientId } = this.#options;
    if (this.#onMessage === undefined || this.#isStopped) throw tailStopped(clientId);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(tailBehind(clientId, timeoutMs)), timeoutMs);
    const aborted = Promise.race([timeout.promise, this.#stopSignal.promise]);
    const { promise, resolve: reached } = Promise.withResolvers<void>();
    const catchUp: CatchUp = { missing: new Map(), reached };
    try {
      const ends = await Promise.race([endOffsets(this.#parts.admin, this.#options, aborted), aborted]);
      for (const { topic, partition, offset } of ends) {
        const id = partitionId(topic, partition);
        if ((this.#readTo.get(id) ?? 0) < offset) catchUp.missing.set(id, offset);
      }
      if (catchUp.missing.size === 0) return;
      this.#catchUps.add(catchUp);
      await Promise.race([promise, aborted]);
    } finally {
      clearTimeout(timer);
      this.#catchUps.delete(catchUp);
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopSignal.reject(tailStopped(this.#options.clientId));
    await this.#reader.stop(timeoutMs);
    this.#parts.onStopped(this);
  }

  onMessages(messages: readonly LogMessage[]): void {
    if (this.#isStopped) return;
    for (const message of messages) this.#deliver(message);
    const last = messages.at(-1);
    if (last !== undefined) this.onReadTo(last, last.offset + 1);
  }

  /** Records of an open transaction, and those after it, are not read before it ends: an end behind them waits for that. */
  onReadTo({ topic, partition }: TopicPartition, offset: number): void {
    const id = partitionId(topic, partition);
    this.#readTo.set(id, offset);
    for (const { missing, reached } of this.#catchUps) {
      const end = missing.get(id);
      if (end === undefined || offset < end) continue;
      missing.delete(id);
      if (missing.size === 0) reached();
    }
  }

  #deliver(message: LogMessage): void {
    try {
      this.#onMessage?.(message);
    } catch (error) {
      this.#skipped += 1;
      const { topic, partition, offset } = message;
      const fields = { topic, partition, offset, skipped: this.#skipped, error: errorText(error) };
      this.#parts.log.warn(fields, 'message skipped: its handler failed');
    }
  }
}
