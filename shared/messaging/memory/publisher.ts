import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingError } from '../../platform/errors.ts';
import { isRefused, type MemoryFault } from './injected-faults.ts';
import type { MemoryParts } from './topics.ts';
import type { OutgoingMessage } from '../message.ts';
import type { Publisher, PublisherOptions } from '../ports.ts';

const DEFAULT_DEADLINE_MS = 15_000;
const DEFAULT_STOP_TIMEOUT_MS = 5_000;
/** How soon a publish is tried again that found a full log or a broker that refused. */
const RETRY_INTERVAL_MS = 5;

/** One call of publish(). */
interface Call {
  readonly messages: readonly OutgoingMessage[];
  /** Messages before this one are on the log, or rejected. */
  next: number;
  firstError: unknown;
  /** Some of its messages may be on the log. */
  begun: boolean;
  readonly settle: (error?: unknown) => void;
}

/**
 * Appends at once if possible; when a log is full of unread messages (or a test's fault plan interferes), calls wait in line
 * until their deadline. Without faults no message can be lost, so `send-unknown` then means that some of the call's messages
 * found room in time.
 */
export class MemoryPublisher implements Publisher {
  readonly #parts: MemoryParts;
  readonly #clientId: string;
  readonly #deadlineMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  readonly #line: Call[] = [];
  #busy = false;

  constructor(options: PublisherOptions, parts: MemoryParts) {
    this.#parts = parts;
    this.#clientId = options.clientId;
    this.#deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  }

  async start(): Promise<void> {
    if (this.#state === 'new') this.#state = 'started';
    this.#serve();
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.#state === 'stopped') return Promise.reject(notSent(this.#clientId, 'it was stopped'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined;
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      const index = this.#line.indexOf(call);
      if (index >= 0) this.#line.splice(index, 1);
      if (error === undefined) resolve();
      else reject(error);
    };
    const call: Call = { messages, next: 0, firstError: undefined, begun: false, settle };
    this.#line.push(call);
    this.#serve();
    if (this.#line.includes(call)) {
      timer = setTimeout(() => this.#giveUp(call, 'the deadline passed'), this.#deadlineMs);
    }
    return promise;
  }

  isHealthy(): boolean {
    return this.#state === 'started' && !isRefused(this.#parts.faults, 'ping', this.#clientId);
  }

  async stop(timeoutMs = DEFAULT_STOP_TIMEOUT_MS): Promise<void> {
    const until = performance.now() + (this.#state === 'started' ? timeoutMs : 0);
    this.#state = 'stopped';
    while (this.#line.length > 0 && performance.now() < until) await sleep(RETRY_INTERVAL_MS);
    for (const call of this.#line.slice()) this.#giveUp(call, 'it was stopped');
    this.#parts.onStopped(this);
  }

  /** Works off the line in order, until it is empty or the head has to wait. */
  #serve(): void {
    for (let head = this.#line[0]; head !== undefined; head = this.#line[0]) {
      if (this.#busy || this.#state === 'new') return;
      const fault = this.#parts.faults?.('publish', this.#clientId);
      if (fault === undefined) this.#tryCall(head);
      else this.#suffer(fault, head);
      if (this.#line[0] === head && !this.#busy) this.#later(RETRY_INTERVAL_MS);
    }
  }

  #suffer(fault: MemoryFault, head: Call): void {
    if (fault.kind === 'refuse') return;
    head.begun = true;
    if (fault.kind === 'delay') this.#later(fault.ms, () => this.#tryCall(head));
    else this.#store({ ...head });
  }

  #later(ms: number, act?: () => void): void {
    this.#busy = true;
    setTimeout(() => {
      act?.();
      this.#busy = false;
      this.#serve();
    }, ms);
  }

  #tryCall(call: Call): void {
    this.#store(call);
    if (call.next === call.messages.length) call.settle(call.firstError);
  }

  /** Appends from `next` on until the end or a full log. A message that is rejected does not stop the others. */
  #store(call: Call): void {
    for (; call.next < call.messages.length; call.next += 1) {
      const message = call.messages[call.next];
      if (message === undefined) return;
      try {
        if (this.#parts.topics.append(message) === 'full') return;
        call.begun = true;
      } catch (error) {
        call.firstError ??= error;
      }
    }
  }

  #giveUp(call: Call, why: string): void {
    if (!call.begun) return call.settle(call.firstError ?? notSent(this.#clientId, why));
    const text = `publisher ${this.#clientId}: ${why}; messages may have been stored`;
    return call.settle(new MessagingError('send-unknown', text, { canRetry: true }));
  }
}

function notSent(clientId: string, why: string): MessagingError {
  return new MessagingError('not-sent', `publisher ${clientId}: ${why}; nothing was sent`, {
    canRetry: true,
  });
}
