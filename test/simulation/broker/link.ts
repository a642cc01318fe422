import { MessagingError } from '../../../shared/platform/errors.ts';
import { Fifo } from '../../../shared/platform/fifo.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import type { CallFate } from '../faults/call-fates.ts';
import type { Host } from '../sim-process.ts';
import type { BrokerModel } from './broker-model.ts';

/** Interval at which a client tries to reconnect. */
const RECONNECT_MS = 250;
/** Attempts of a query, and the delay between them. */
const QUERY_ATTEMPTS = 5;
const QUERY_RETRY_MS = 200;
/** Packets of one connection never overtake each other. */
const GAP_MS = 0.001;
/** A process looks at its connections as often as this. */
const NOTICED_MS = 250;

/** The response did not come, or the connection broke after the request was sent: it may have taken effect. */
export class LostCall extends Error {
  override readonly name = 'LostCall';
}

type CallKind = 'produce' | 'other';

/** The connection of a client to the broker: requests and responses travel separately, each in its order. */
export class Link {
  readonly clientId: string;
  readonly host: Host;
  readonly #model: BrokerModel;
  #calls = 0;
  readonly #requests: Direction = { arrivals: new Fifo(), lastAtMs: 0 };
  readonly #responses: Direction = { arrivals: new Fifo(), lastAtMs: 0 };
  #isConnected = true;
  #lostAtMs = 0;
  #connectedAtMs = Number.NEGATIVE_INFINITY;
  /** Connections so far. */
  #number = 0;
  #isClosed = false;
  /** Breaks the calls whose response is awaited. */
  readonly #open = new Set<(afterMs: number) => void>();

  constructor(clientId: string, host: Host, model: BrokerModel) {
    this.clientId = clientId;
    this.host = host;
    this.#model = model;
    model.links.add(this);
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#isClosed;
  }

  /** How long it has had no connection that lasted long enough to be noticed, in milliseconds; 0 while it has one. */
  get absentMs(): number {
    return this.#isConnected || this.#isClosed ? 0 : this.#model.nowMs() - this.#lostAtMs;
  }

  close(): void {
    this.#isClosed = true;
    this.#model.links.delete(this);
  }

  /**
   * Sends a request, which `work` performs at the broker. Rejects with MessagingError `broker-unavailable` when no connection
   * was possible, with LostCall when it may have been performed, or with the error of `work`. Never settles when the process
   * has ended.
   */
  call<Value>(work: (fate: CallFate) => Value | Promise<Value>, kind: CallKind = 'other'): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const { host } = this;
    if (!host.isAlive()) return promise;
    const fate = this.#model.fates.ofCall(this.#id, this.#calls, kind === 'produce');
    this.#calls += 1;
    // The request may leave with the last effect of the process.
    if (!host.mayAct() && fate.diesWithSender) return promise;
    const settle = (end: () => void): void => {
      if (this.#open.delete(breakOff)) host.enter(end);
    };
    const lose = (): void =>
      settle(() => {
        this.#disconnected();
        reject(new LostCall(`no response to ${this.clientId}`));
      });
    const breakOff = (afterMs: number): void => this.#model.after(afterMs, lose);
    this.#open.add(breakOff);
    const refuse = (): void =>
      settle(() => {
        this.#disconnected();
        reject(unreachable(this.clientId));
      });
    const answer = (done: Performed<Value>): void =>
      settle(() => {
        this.#connected();
        if (done.error === undefined) resolve(done.value as Value);
        else reject(done.error);
      });
    this.#travel(fate, kind, { work: () => perform(() => work(fate)), answer, refuse, lose });
    return promise;
  }

  /** The way of a request to the broker, and of its response. */
  #travel<Value>(fate: CallFate, kind: CallKind, { work, answer, refuse, lose }: Way<Value>): void {
    const model = this.#model;
    const { requestTimeoutMs } = model.fates.times;
    const { lost, requestMs, responseMs } = fate;
    const loseLate = (): void => model.after(requestTimeoutMs, lose);
    if (lost === 'request') {
      loseLate();
      return;
    }
    if (requestMs + responseMs > requestTimeoutMs) loseLate();
    const arrive = async (): Promise<void> => {
      const isGone = !this.host.isAlive() && fate.diesWithSender;
      if (isGone || model.isCutOff(this.host)) {
        loseLate();
        return;
      }
      if (model.isDown) {
        refuse();
        return;
      }
      const done = await work();
      const response = model.fates.ofResponse(fate);
      if (response.lost === 'response') loseLate();
      else if (done.error instanceof LostCall) model.after(response.responseMs, lose);
      else
        this.#deliver(this.#responses, response.responseMs, () =>
          model.isCutOff(this.host) ? loseLate() : answer(done),
        );
    };
    if (lost === 'stale') model.after(requestMs, () => void arrive());
    else
      this.#deliver(this.#requests, requestMs, () =>
        model.whenServing(this.#connectionOf(kind), () => void arrive(), lose),
      );
  }

  /**
   * As call(), for work that may be performed twice: the query is repeated a few times when it gets no response, as the admin
   * client of Kafka does. Rejects with MessagingError only.
   */
  async ask<Value>(work: () => Value): Promise<Value> {
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

  /** Sends something to the client that it has not asked for in this moment; lost when it cannot be reached. */
  push(deliver: () => void): void {
    const model = this.#model;
    if (!this.host.isAlive() || model.isDown) return;
    const { responseMs } = model.fates.ofCall(this.#id, this.#calls, false);
    this.#calls += 1;
    this.#deliver(this.#responses, responseMs, () => {
      if (!model.isCutOff(this.host)) this.host.enter(deliver);
    });
  }

  /** The connection breaks, which the client notices after this time. */
  reset(afterMs = 0): void {
    for (const breakOff of this.#open) breakOff(afterMs);
  }

  get #id(): string {
    return `${this.host.id}/${this.clientId}`;
  }

  /** In order, also where timers of real time overtake each other: each timer delivers the packet that was sent first. */
  #deliver(direction: Direction, ms: number, arrive: () => void): void {
    const atMs = Math.max(direction.lastAtMs + GAP_MS, this.#model.nowMs() + ms);
    direction.lastAtMs = atMs;
    direction.arrivals.push(arrive);
    this.#model.at(atMs, () => direction.arrivals.shift()?.());
  }

  /** Commits keep their order over connections: a consumer waits for one before it sends the next. */
  #connectionOf(kind: CallKind): string {
    return `${this.#id}/${kind === 'produce' ? this.#number : ''}`;
  }

  #connected(): void {
    if (!this.#isConnected) this.#connectedAtMs = this.#model.nowMs();
    this.#isConnected = true;
  }

  #disconnected(): void {
    this.#number += 1;
    if (!this.#isConnected || this.#isClosed) return;
    this.#isConnected = false;
    const nowMs = this.#model.nowMs();
    if (nowMs - this.#connectedAtMs >= NOTICED_MS) this.#lostAtMs = nowMs;
    this.#reconnectLater();
  }

  #reconnectLater(): void {
    this.host.ports.timers.schedule(
      () => {
        if (this.#isConnected || this.#isClosed) return;
        this.call(() => undefined).catch(() => this.#reconnectLater());
      },
      RECONNECT_MS,
      'background',
    );
  }
}

/** The packets that travel in one direction, and when the last of them arrives. */
interface Direction {
  readonly arrivals: Fifo<() => void>;
  lastAtMs: number;
}

/** The result of work at the broker: nothing of it is thrown there. */
interface Performed<Value> {
  readonly value?: Value;
  readonly error?: unknown;
}

/** What becomes of a call. */
interface Way<Value> {
  readonly work: () => Promise<Performed<Value>>;
  readonly answer: (done: Performed<Value>) => void;
  readonly refuse: () => void;
  readonly lose: () => void;
}

async function perform<Value>(work: () => Value | Promise<Value>): Promise<Performed<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

export function unreachable(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: the broker cannot be reached`, {
    canRetry: true,
  });
}
