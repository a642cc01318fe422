import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';

/** Reading back takes milliseconds; after this the reader of the topic must have failed. */
const READ_BACK_MS = 5_000;

/**
 * Writes records to a topic that this process reads itself, and waits until it has read them: by then everything that other
 * processes wrote before has been read as well, and the order of the log has decided between the writers.
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
      const text = `a record written to ${message.topic} was not read back in time`;
      timer = setTimeout(() => reject(new InfrastructureError('read-back-late', text)), this.#timeoutMs);
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(mark);
    }
  }

  /** To be called with each record of the topic after it was applied. */
  seen({ headers }: LogMessage): void {
    if (this.#waiting.size === 0) return;
    const mark = headerText(headers, HEADER.write);
    if (mark !== undefined) this.#waiting.get(mark)?.();
  }
}
