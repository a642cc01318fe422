import { MessagingError } from '../../../shared/platform/errors.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import type { CallFate } from '../faults/call-fates.ts';
import type { Host } from '../sim-process.ts';
import type { BrokerModel } from './broker-model.ts';

const QUERY_ATTEMPTS = 5;
const QUERY_RETRY_MS = 200;
/** Packets of one connection never overtake each other. */
const GAP_MS = 0.001;

/** The response did not come, or the connection broke after the request was sent: it may have taken effect. */
export class LostCall extends Error {
  override readonly name = 'LostCall';
}

interface Direction {
  readonly arrivals: (() => void)[];
  lastAtMs: number;
}

/** The connection of a client to the broker: requests and responses travel separately, each in its order. */
export class Link {
  readonly clientId: string;
  readonly host: Host;
  readonly #model: BrokerModel;
  readonly #requests: Direction = { arrivals: [], lastAtMs: 0 };
  readonly #responses: Direction = { arrivals: [], lastAtMs: 0 };
  #calls = 0;

  constructor(clientId: string, host: Host, model: BrokerModel) {
    this.clientId = clientId;
    this.host = host;
    this.#model = model;
  }

  get isConnected(): boolean {
    return this.#model.isReachable(this.host);
  }

  /** Rejects with LostCall when `work` may have been performed. Never settles when the process has ended. */
  call<Value>(
    work: (fate: CallFate) => Value | Promise<Value>,
    kind: 'produce' | 'other' = 'other',
  ): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const model = this.#model;
    const { host } = this;
    if (!host.isAlive()) return promise;
    const fate = this.#nextFate(kind === 'produce');
    // The request may leave with the last effect of the process.
    if (!host.mayAct() && fate.diesWithSender) return promise;
    // Only what does not arrive in time is given up, however slow the machine of a test is.
    const giveUp = (): void =>
      model.after(model.fates.times.requestTimeoutMs, () =>
        host.enter(() => reject(new LostCall(`no response to ${this.clientId}`))),
      );
    if (fate.requestMs + fate.responseMs > model.fates.times.requestTimeoutMs) giveUp();
    if (fate.lost === 'request') {
      giveUp();
      return promise;
    }
    const arrive = async (): Promise<void> => {
      if (!host.isAlive() && fate.diesWithSender) return;
      if (model.has('outage')) return host.enter(() => reject(unreachable(this.clientId)));
      if (!this.isConnected) return giveUp();
      let answer: () => void;
      try {
        const value = await work(fate);
        answer = () => resolve(value);
      } catch (error) {
        answer = () => reject(error);
      }
      if (fate.lost === 'response') return giveUp();
      this.#deliver(this.#responses, fate.responseMs, () => {
        if (this.isConnected) host.enter(answer);
        else giveUp();
      });
    };
    if (fate.lost === 'stale') model.after(fate.requestMs, () => void arrive());
    else this.#deliver(this.#requests, fate.requestMs, () => void arrive());
    return promise;
  }

  /** As call(), for work that may be performed twice: repeated a few times without a response, as Kafka's admin client does. */
  async ask<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.call(work);
      } catch (error) {
        const isLost = error instanceof LostCall;
        if (!isLost && !(error instanceof MessagingError && error.canRetry)) throw error;
        if (attempt === QUERY_ATTEMPTS) throw isLost ? unreachable(this.clientId) : error;
      }
      await sleep(this.host.ports.timers, QUERY_RETRY_MS);
    }
  }

  /** Sends something to the client that it has not asked for in this moment; calls `lost` when it cannot be reached. */
  push(deliver: () => void, lost: () => void = () => undefined): void {
    this.#deliver(this.#responses, this.#nextFate(false).responseMs, () => {
      if (this.isConnected) this.host.enter(deliver);
      else lost();
    });
  }

  #nextFate(isProduce: boolean): CallFate {
    this.#calls += 1;
    return this.#model.fates.ofCall(`${this.host.id}/${this.clientId}`, this.#calls, isProduce);
  }

  /** In order, also where timers of real time overtake each other: each timer delivers the packet that was sent first. */
  #deliver(direction: Direction, ms: number, arrive: () => void): void {
    const nowMs = this.#model.ports.monotonic.elapsedMs();
    direction.lastAtMs = Math.max(direction.lastAtMs + GAP_MS, nowMs + ms);
    direction.arrivals.push(arrive);
    this.#model.after(direction.lastAtMs - nowMs, () => direction.arrivals.shift()?.());
  }
}

export function unreachable(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: the broker cannot be reached`, {
    canRetry: true,
  });
}
