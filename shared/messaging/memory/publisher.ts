import { MessagingError } from '../../platform/errors.ts';
import { isRefused, type MemoryFault } from './faults.ts';
import type { MemoryParts } from './parts.ts';
import type { OutgoingMessage } from '../message.ts';
import type { Publisher, PublisherOptions } from '../ports.ts';

const DEFAULT_DEADLINE_MS = 15_000;
const DEFAULT_STOP_TIMEOUT_MS = 5_000;
/** How soon a publish is tried again that found a full log or a broker that refused. */
const RETRY_INTERVAL_MS = 5;

/** A publish that could not be done at once. */
interface Waiting {
  readonly messages: readonly OutgoingMessage[];
  /** Messages before this one are on the log, or refused for good. */
  next: number;
  firstError: MessagingError | undefined;
  /** Something of it may be on the log. */
  begun: boolean;
  readonly settle: (error?: MessagingError) => void;
}

/**
 * Appends at once while it can; when a log is full of unread messages (or a test's fault plan interferes), calls wait
 * in line until their deadline. Without faults nothing can be lost on the way, so `send-unknown` then means: part of
 * the call's messages found room in time.
 */
export class MemoryPublisher implements Publisher {
  readonly #parts: MemoryParts;
  readonly #clientId: string;
  readonly #deadlineMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  #line: Waiting[] = [];
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

  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.#state === 'stopped') throw notSent(this.#clientId, 'it was stopped');
    let begin: Pick<Waiting, 'next' | 'firstError' | 'begun'> = {
      next: 0,
      firstError: undefined,
      begun: false,
    };
    if (this.#state === 'started' && this.#line.length === 0 && this.#parts.faults === undefined) {
      begin = this.#store({ messages, ...begin });
      if (begin.next === messages.length) {
        if (begin.firstError !== undefined) throw begin.firstError;
        return;
      }
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: MessagingError) => {
        clearTimeout(timer);
        this.#line = this.#line.filter((other) => other !== waiting);
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = setTimeout(() => this.#giveUp(waiting, 'the deadline passed'), this.#deadlineMs);
      const waiting = { messages, ...begin, settle };
      this.#line.push(waiting);
      this.#serve();
    });
  }

  isHealthy(): boolean {
    return this.#state === 'started' && !isRefused(this.#parts.faults, 'ping', this.#clientId);
  }

  async stop(timeoutMs = DEFAULT_STOP_TIMEOUT_MS): Promise<void> {
    const until = performance.now() + (this.#state === 'started' ? timeoutMs : 0);
    this.#state = 'stopped';
    while (this.#line.length > 0 && performance.now() < until) await pause(RETRY_INTERVAL_MS);
    for (const waiting of this.#line) this.#giveUp(waiting, 'it was stopped');
    this.#parts.onStopped(this);
  }

  /** Works off the line in order, until it is empty or the head has to wait. */
  #serve(): void {
    for (let head = this.#line[0]; head !== undefined; head = this.#line[0]) {
      if (this.#busy || this.#state === 'new') return;
      const fault = this.#parts.faults?.('publish', this.#clientId);
      if (fault !== undefined) this.#suffer(fault, head);
      else this.#tryHead(head);
      if (this.#line[0] === head && !this.#busy) this.#later(RETRY_INTERVAL_MS);
    }
  }

  #suffer(fault: MemoryFault, head: Waiting): void {
    if (fault.kind === 'refuse') return;
    head.begun = true;
    if (fault.kind === 'delay') this.#later(fault.ms, () => this.#tryHead(head));
    else this.#store(head);
  }

  #later(ms: number, act?: () => void): void {
    this.#busy = true;
    setTimeout(() => {
      act?.();
      this.#busy = false;
      this.#serve();
    }, ms);
  }

  #tryHead(head: Waiting): void {
    Object.assign(head, this.#store(head));
    if (head.next === head.messages.length) head.settle(head.firstError);
  }

  /** Appends from `next` on until the end or a full log. A message that cannot be stored does not keep back the others. */
  #store(from: Omit<Waiting, 'settle'>): Pick<Waiting, 'next' | 'firstError' | 'begun'> {
    let { next, firstError, begun } = from;
    for (; next < from.messages.length; next += 1) {
      const message = from.messages[next];
      if (message === undefined) break;
      try {
        if (this.#parts.topics.append(message) === 'full') break;
        begun = true;
      } catch (error) {
        if (!(error instanceof MessagingError)) throw error;
        firstError ??= error;
      }
    }
    return { next, firstError, begun };
  }

  #giveUp(waiting: Waiting, why: string): void {
    if (!waiting.begun) return waiting.settle(waiting.firstError ?? notSent(this.#clientId, why));
    const text = `publisher ${this.#clientId}: ${why}; messages may have been stored`;
    return waiting.settle(new MessagingError('send-unknown', text, { canRetry: true }));
  }
}

function notSent(clientId: string, why: string): MessagingError {
  return new MessagingError('not-sent', `publisher ${clientId}: ${why}; nothing was sent`, {
    canRetry: true,
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
