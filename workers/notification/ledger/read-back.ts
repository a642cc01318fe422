import { headerText } from '../../../shared/messaging/headers.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';

/** Reading back takes milliseconds; after this the reader of the topic must be thought lost. */
const READ_BACK_MS = 5_000;

/**
 * Writes records to a topic that this process reads itself, and waits until it has read them again: then everything that
 * others wrote before them has been read as well, and the log's order has decided between writers.
 */
export class ReadBack {
  readonly #publisher: Publisher;
  readonly #self: string;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<string, () => void>();
  #count = 0;

  constructor(publisher: Publisher, self: string, timeoutMs: number = READ_BACK_MS) {
    this.#publisher = publisher;
    this.#self = self;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves when the record is on the log and was read. Rejects with lost infrastructure: it may be on the log. */
  async write(message: OutgoingMessage): Promise<void> {
    this.#count += 1;
    const mark = `${this.#self}/${this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined;
    this.#waiting.set(mark, resolve);
    try {
      await this.#publisher.publish([{ ...message, headers: { ...message.headers, [HEADER.write]: mark } }]);
      timer = setTimeout(() => reject(behind(message.topic)), this.#timeoutMs);
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(mark);
    }
  }

  /** To be told of each record after it was taken in. */
  seen({ headers }: LogMessage): void {
    if (this.#waiting.size === 0) return;
    const mark = headerText(headers, HEADER.write);
    if (mark !== undefined) this.#waiting.get(mark)?.();
  }
}

function behind(topic: string): InfrastructureError {
  return new InfrastructureError('read-back-late', `what was written to ${topic} could not be read in time`);
}
