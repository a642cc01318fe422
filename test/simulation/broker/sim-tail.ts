import { tailBehind, tailStopped, topicUnknown } from '../../../shared/messaging/broker-errors.ts';
import type { LogMessage, PartitionOffset } from '../../../shared/messaging/message.ts';
import { type Tail, type TailOptions, firstPosition } from '../../../shared/messaging/ports.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import type { Host } from '../sim-process.ts';
import type { BrokerModel, CheckedClient } from './broker-model.ts';
import type { Link } from './link.ts';
import { Reader } from './reader.ts';

interface Waiter {
  targets?: readonly PartitionOffset[];
  readonly settle: (error?: Error) => void;
}

export class SimTail implements Tail, CheckedClient {
  readonly host: Host;
  readonly clientId: string;
  readonly #options: TailOptions;
  readonly #link: Link;
  readonly #model: BrokerModel;
  readonly #reader: Reader;
  #state: 'new' | 'starting' | 'reading' | 'stopped' = 'new';
  #onMessage: ((message: LogMessage) => void) | undefined;
  readonly #waiters = new Set<Waiter>();

  constructor(options: TailOptions, link: Link, model: BrokerModel) {
    this.host = link.host;
    this.clientId = options.clientId;
    this.#options = options;
    this.#link = link;
    this.#model = model;
    this.#reader = new Reader(link, model, ({ messages }) => this.#take(messages));
  }

  async start(onMessage: (message: LogMessage) => void): Promise<void> {
    const { clientId } = this.#options;
    if (this.#state !== 'new') throw tailStopped(clientId);
    this.#state = 'starting';
    this.#onMessage = onMessage;
    const positions = await this.#link.ask(() => this.#ends(this.#options));
    if (this.#state !== 'starting') throw tailStopped(clientId);
    this.#state = 'reading';
    this.#model.clients.add(this);
    this.#reader.assign(positions);
  }

  isReady(): boolean {
    return this.#state === 'reading' && this.#link.isConnected;
  }

  caughtUp(timeoutMs: number): Promise<void> {
    const { clientId } = this.#options;
    if (this.#state !== 'reading') return Promise.reject(tailStopped(clientId));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      settle: (error) => {
        cancel();
        this.#waiters.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    const { timers } = this.host.ports;
    const cancel = timers.schedule(() => waiter.settle(tailBehind(clientId, timeoutMs)), timeoutMs);
    this.#waiters.add(waiter);
    void this.#findTargets(waiter);
    return promise;
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#reader.close();
    this.#model.clients.delete(this);
    for (const waiter of this.#waiters) waiter.settle(tailStopped(this.#options.clientId));
  }

  disconnect(): void {
    this.#reader.disconnect();
  }

  check(): void {
    if (this.host.isAlive()) this.#reader.check();
    else void this.stop();
  }

  async #findTargets(waiter: Waiter): Promise<void> {
    while (this.#waiters.has(waiter)) {
      try {
        waiter.targets = await this.#link.ask(() => this.#ends({ from: 'latest' }));
        this.#settleWaiters();
        return;
      } catch (error) {
        if (!(error instanceof MessagingError) || !error.canRetry) return waiter.settle(error as Error);
      }
    }
  }

  #settleWaiters(): void {
    if (this.#waiters.size === 0) return;
    const reached = Array.from(this.#reader.positions());
    const isReached = ({ topic, partition, offset }: PartitionOffset): boolean =>
      reached.every((one) => one.topic !== topic || one.partition !== partition || one.offset >= offset);
    for (const waiter of this.#waiters) if (waiter.targets?.every(isReached) === true) waiter.settle();
  }

  #take(messages: readonly LogMessage[]): void {
    for (const message of messages) {
      if (this.#state !== 'reading') return;
      try {
        this.#onMessage?.(message);
      } catch {
        // The message is skipped, as the port says.
      }
    }
    this.#settleWaiters();
  }

  #ends(options: Pick<TailOptions, 'from' | 'positions'>): readonly PartitionOffset[] {
    return this.#options.topics.flatMap((topic) => {
      const { logs } = this.#model.topics.get(topic);
      const { partition } = this.#options;
      const read = partition === undefined ? logs : logs.filter((log) => log.partition === partition);
      if (read.length === 0) throw topicUnknown(topic, partition);
      return read.map((log) => ({ topic, partition: log.partition, offset: firstPosition(options, log) }));
    });
  }
}
