/**
 * The hold topic has the ids of first notifications, whose copies wait on a retry tier, and the messages that wait for
 * these. The delivery log decides whether a first one is still awaited, so a late record does no harm.
 */

import { HEADER, headerText, contentBytes, copyContent } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher, Tail } from '../../../shared/messaging/ports.ts';
import type { Channel, Priority } from '../../../shared/notification/notification-command.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { HoldLimits } from '../../../shared/platform/queue-limits.ts';
import type { WorkerContext } from '../../runtime/worker.ts';
import { createReadBack, type ReadBack } from '../state/read-back.ts';

interface HoldTopicOptions extends Pick<WorkerContext, 'clock' | 'timers' | 'log'> {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly publisher: Publisher;
  readonly topic: string;
  readonly clientId: string;
  readonly self: string;
  readonly limits: HoldLimits;
}

export interface CommandQueue {
  readonly channel: Channel;
  readonly priority: Priority;
}

/** Returns the name in hold keys and client ids, such as `sms` or `sms-urgent`. */
export function queueName({ channel, priority }: CommandQueue): string {
  return priority === 'urgent' ? `${channel}-urgent` : channel;
}

/** Identifies the messages of a key and partition of a command topic. They are sent in order. */
export interface HoldKey {
  /** Queue, partition and message key in hexadecimal, such as `sms/2/6162`. */
  readonly name: string;
  readonly partition: number;
}

/** Returns undefined for a message without a key, which has no order. */
export function holdKey(
  queue: CommandQueue,
  { key, partition }: Pick<LogMessage, 'key' | 'partition'>,
): HoldKey | undefined {
  if (key === null) return undefined;
  return { name: `${queueName(queue)}/${partition}/${key.toString('hex')}`, partition };
}

/** Parses the name of a hold key. Returns undefined for a key of another queue. */
export function parseHoldKey(
  queue: CommandQueue,
  name: string,
): { readonly partition: number; readonly messageKey: Buffer } | undefined {
  const [keyQueue, partition, hex] = name.split('/');
  if (keyQueue !== queueName(queue) || hex === undefined) return undefined;
  return { partition: Number(partition), messageKey: Buffer.from(hex, 'hex') };
}

export interface FirstNotification {
  /** Epoch milliseconds when its last copy was written to a tier. */
  readonly sinceMs: number;
}

export interface WaitingMessage {
  /** Offset in its partition of the command topic. It defines the order. */
  readonly offset: number;
  readonly id: string;
  readonly value: Buffer;
  readonly headers: MessageHeaders;
  readonly timestampMs: number;
}

export interface HeldKey {
  /** By notification id. There are several only if a stalled process wrote one after it had lost the partition. */
  readonly firsts: ReadonlyMap<string, FirstNotification>;
  /** In the order of their offsets. */
  readonly waiting: readonly WaitingMessage[];
}

interface KeyState extends HeldKey {
  readonly partition: number;
  readonly firsts: Map<string, FirstNotification>;
  readonly waiting: WaitingMessage[];
}

/** The limits that all keys share are higher by this factor for urgent messages. */
const URGENT_EXTRA = 1.1;
const OFFSET_DIGITS = 16;
const RECORD_KEY = /^((?:sms|email)(?:-urgent)?\/(\d+)\/[0-9a-f]*)\/(?:first\/(.+)|(\d{16}))$/;

/** Records are written before offsets are committed. All processes read them, so the next owner keeps the order. */
export class HoldTopic {
  readonly #options: HoldTopicOptions;
  readonly #tail: Tail;
  readonly #readBack: ReadBack;
  readonly #keys = new Map<string, KeyState>();
  readonly #bytesByPartition = new Map<number, number>();
  #messages = 0;
  #bytes = 0;
  /** Additions that are being written and have not been read back. */
  readonly #coming = { keys: 0, messages: 0, bytes: 0 };
  #badRecords = 0;

  constructor(options: HoldTopicOptions) {
    this.#options = options;
    const { broker, topic, clientId } = options;
    this.#tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
    this.#readBack = createReadBack(options.publisher, options.self, options.timers);
  }

  /** Resolves when the topic has been read. Rejects with MessagingError `tail-behind` after the time limit. */
  async start(timeoutMs: number): Promise<void> {
    await this.#tail.start((message) => this.#read(message));
    await this.#tail.caughtUp(timeoutMs);
  }

  /** Resolves when all records that are on the topic now have been read. */
  caughtUp(timeoutMs: number): Promise<void> {
    return this.#tail.caughtUp(timeoutMs);
  }

  /** Returns the live state of a key, which changes as records are read. */
  get(name: string): HeldKey | undefined {
    return this.#keys.get(name);
  }

  keys(): IterableIterator<string> {
    return this.#keys.keys();
  }

  /** True if the key can get a further waiting message with this number of bytes of content. */
  hasRoom({ name, partition }: HoldKey, bytes: number): boolean {
    const { followersPerKey, followers, bytesPerPartition, bytes: allBytes } = this.#options.limits;
    const extra = extraRoom(name);
    return (
      (this.#keys.get(name)?.waiting.length ?? 0) < followersPerKey &&
      this.#messages + this.#coming.messages < Math.floor(followers * extra) &&
      (this.#bytesByPartition.get(partition) ?? 0) + bytes <= bytesPerPartition * extra &&
      this.#bytes + this.#coming.bytes + bytes <= allBytes * extra
    );
  }

  /** True if a key can get a first notification. A key with records always can, because it takes no further memory. */
  hasRoomForFirst({ name }: HoldKey): boolean {
    if (this.#keys.has(name)) return true;
    return this.#keys.size + this.#coming.keys < Math.floor(this.#options.limits.keys * extraRoom(name));
  }

  /** Like the next three methods, resolves when its record was read back, and rejects if the broker is unavailable. */
  setFirst(key: HoldKey, id: string, { sinceMs }: FirstNotification): Promise<void> {
    const record = this.#record(key, `first/${id}`, Buffer.alloc(0));
    const isNew = !this.#keys.has(key.name);
    return this.#writeCounted({ ...record, timestampMs: sinceMs }, { keys: isNew ? 1 : 0 });
  }

  endFirst(key: HoldKey, id: string): Promise<void> {
    return this.#readBack.write(this.#record(key, `first/${id}`, null));
  }

  keep(key: HoldKey, message: WaitingMessage): Promise<void> {
    const { offset, id, value, headers: own, timestampMs } = message;
    const headers = { ...own, [HEADER.notificationId]: id };
    const record = this.#record(key, offsetText(offset), value);
    const added = { messages: 1, bytes: contentBytes(message) };
    return this.#writeCounted({ ...record, timestampMs, headers }, added);
  }

  remove(key: HoldKey, offset: number): Promise<void> {
    return this.#readBack.write(this.#record(key, offsetText(offset), null));
  }

  figures() {
    const badRecords = this.#badRecords;
    return { keys: this.#keys.size, followers: this.#messages, bytes: this.#bytes, badRecords };
  }

  health(): Health {
    const { topic, limits } = this.#options;
    if (!this.#tail.isReady()) return { status: 'degraded', reason: `${topic} is not being read` };
    if (this.#keys.size >= limits.keys) {
      const effect = 'while one of their messages is retried, later ones are sent';
      return { status: 'degraded', reason: `${topic} has no room for further receivers: ${effect}` };
    }
    if (this.#bytes < limits.bytes && this.#messages < limits.followers) return { status: 'ready' };
    return { status: 'degraded', reason: `${topic} is full: further messages may overtake each other` };
  }

  stop(timeoutMs: number): Promise<void> {
    return this.#tail.stop(timeoutMs);
  }

  #record({ name, partition }: HoldKey, entry: string, value: Buffer | null): OutgoingMessage {
    return { topic: this.#options.topic, partition, key: `${name}/${entry}`, value };
  }

  /** Additions count towards the limits while they are being written, because many are written at the same time. */
  async #writeCounted(
    record: OutgoingMessage,
    { keys = 0, messages = 0, bytes = 0 }: Partial<Record<'keys' | 'messages' | 'bytes', number>>,
  ): Promise<void> {
    const coming = this.#coming;
    coming.keys += keys;
    coming.messages += messages;
    coming.bytes += bytes;
    try {
      await this.#readBack.write(record);
    } finally {
      coming.keys -= keys;
      coming.messages -= messages;
      coming.bytes -= bytes;
    }
  }

  #read(message: LogMessage): void {
    const [, name, part, id, at] = RECORD_KEY.exec(message.key?.toString() ?? '') ?? [];
    if (name === undefined) {
      this.#badRecords += 1;
      const { topic, partition, offset } = message;
      this.#options.log.warn({ topic, partition, offset }, 'a record of the hold topic was skipped');
    } else {
      const key = this.#keys.get(name) ?? { partition: Number(part), firsts: new Map(), waiting: [] };
      this.#keys.set(name, key);
      if (id === undefined) this.#setWaiting(key, Number(at), message);
      else if (message.value === null) key.firsts.delete(id);
      // The minimum limits the wait for the first one even if the clock of its writer was ahead.
      else key.firsts.set(id, { sinceMs: Math.min(message.timestampMs, this.#options.clock.now()) });
      if (key.firsts.size === 0 && key.waiting.length === 0) this.#keys.delete(name);
    }
    this.#readBack.seen(message);
  }

  #setWaiting({ partition, waiting }: KeyState, offset: number, message: LogMessage): void {
    const { value, headers, timestampMs } = message;
    const before = waiting.findLastIndex((one) => one.offset < offset) + 1;
    const former = waiting[before]?.offset === offset ? waiting.splice(before, 1)[0] : undefined;
    if (former !== undefined) this.#count(partition, -1, -contentBytes(former));
    if (value === null) return;
    const { [HEADER.write]: _write, ...own } = headers;
    const id = headerText(headers, HEADER.notificationId) ?? '';
    const kept = { offset, id, ...copyContent({ value, headers: own }), timestampMs };
    waiting.splice(before, 0, kept);
    this.#count(partition, 1, contentBytes(kept));
  }

  #count(partition: number, messages: number, bytes: number): void {
    this.#messages += messages;
    this.#bytes += bytes;
    const left = (this.#bytesByPartition.get(partition) ?? 0) + bytes;
    if (left === 0) this.#bytesByPartition.delete(partition);
    else this.#bytesByPartition.set(partition, left);
  }
}

function extraRoom(name: string): number {
  return /^\w+-urgent\//.test(name) ? URGENT_EXTRA : 1;
}

function offsetText(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, '0');
}
