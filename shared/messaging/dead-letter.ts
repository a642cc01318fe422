import type { Clock } from '../platform/clock.ts';
import { errorText, InfrastructureError, MessagingError } from '../platform/errors.ts';
import { isPassingFailure } from './disposition.ts';
import { HEADER } from './header-names.ts';
import type { OutgoingMessage } from './message.ts';
import type { Publisher } from './ports.ts';
import type { Request } from './request.ts';

/** Why a message ended here. */
export interface DeadLetterReason {
  /** A problem's code, or a reply fault. */
  readonly code: string;
  /** One sentence for an operator: never a stack trace, a secret or a body. */
  readonly text: string;
}

export interface DeadLetterOptions {
  readonly publisher: Publisher;
  readonly topic: string;
  readonly groupId: string;
  readonly clock: Clock;
}

/** A reason is for reading; whatever is longer belongs to the logs. */
const MAX_REASON_CHARACTERS = 1_000;

/** The message as it goes to the dead-letter topic: key, value and headers as they were, with its provenance (D2's date too). */
export function createDeadLetter(
  request: Request,
  reason: DeadLetterReason,
  options: Omit<DeadLetterOptions, 'publisher'>,
): OutgoingMessage {
  const { message, attempt, originTimestampMs } = request;
  return {
    topic: options.topic,
    key: message.key,
    value: message.value,
    headers: {
      ...message.headers,
      [HEADER.originTimestamp]: String(originTimestampMs),
      [HEADER.deadLetterTopic]: message.topic,
      [HEADER.deadLetterPartition]: String(message.partition),
      [HEADER.deadLetterOffset]: String(message.offset),
      [HEADER.deadLetterTimestamp]: String(message.timestampMs),
      [HEADER.deadLetterGroup]: options.groupId,
      [HEADER.deadLetterCode]: reason.code,
      [HEADER.deadLetterReason]: reason.text.slice(0, MAX_REASON_CHARACTERS),
      [HEADER.deadLetterAttempts]: String(attempt),
      [HEADER.deadLetterAt]: String(options.clock.now()),
    },
  };
}

/** Writes dead letters. Rejects only with lost infrastructure: the message then stays on its own topic. */
export class DeadLetters {
  readonly #options: DeadLetterOptions;

  constructor(options: DeadLetterOptions) {
    this.#options = options;
  }

  async write(request: Request, reason: DeadLetterReason): Promise<void> {
    const letter = createDeadLetter(request, reason, this.#options);
    try {
      await this.#options.publisher.publish([letter]);
    } catch (error) {
      if (isPassingFailure(error)) throw error;
      if (!isTooLarge(error)) throw this.#lost(error);
      await this.#writeWithoutValue(letter, reason);
    }
  }

  /** The provenance headers were too much for a value at the limit: it can still be read where they point to. */
  async #writeWithoutValue(letter: OutgoingMessage, reason: DeadLetterReason): Promise<void> {
    const text = `${reason.text} (value left out: too large)`;
    const headers = { ...letter.headers, [HEADER.deadLetterReason]: text };
    try {
      await this.#options.publisher.publish([{ ...letter, value: null, headers }]);
    } catch (error) {
      throw isPassingFailure(error) ? error : this.#lost(error);
    }
  }

  /** A dead-letter topic that takes nothing is lost infrastructure: no message may vanish. */
  #lost(error: unknown): InfrastructureError {
    const what = `dead letters cannot be written to ${this.#options.topic}: ${errorText(error)}`;
    return new InfrastructureError('dead-letters-unavailable', what, error);
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof MessagingError && error.code === 'message-too-large';
}
