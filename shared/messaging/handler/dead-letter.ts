import type { Clock } from '../../platform/clock.ts';
import { errorText, InfrastructureError, MessagingError } from '../../platform/errors.ts';
import { isPassingFailure } from '../processing-result.ts';
import { HEADER } from '../header-names.ts';
import type { MessageHeaders, OutgoingMessage } from '../message.ts';
import type { Publisher } from '../ports.ts';
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
/** A key that makes a dead letter too large is left out; one up to this length cannot have been the cause. */
const MAX_BARE_KEY_BYTES = 1_024;

/** The message as it goes to the dead-letter topic: key, value and headers as they were, with its provenance (D2's date too). */
export function createDeadLetter(
  request: Request,
  reason: DeadLetterReason,
  options: Omit<DeadLetterOptions, 'publisher'>,
): OutgoingMessage {
  const { key, value, headers } = request.message;
  return {
    topic: options.topic,
    key,
    value,
    headers: { ...headers, ...provenance(request, reason, options) },
  };
}

function provenance(
  { message, attempt, originTimestampMs }: Request,
  reason: DeadLetterReason,
  { groupId, clock }: Pick<DeadLetterOptions, 'groupId' | 'clock'>,
): MessageHeaders {
  return {
    [HEADER.originTimestamp]: String(originTimestampMs),
    [HEADER.deadLetterTopic]: message.topic,
    [HEADER.deadLetterPartition]: String(message.partition),
    [HEADER.deadLetterOffset]: String(message.offset),
    [HEADER.deadLetterTimestamp]: String(message.timestampMs),
    [HEADER.deadLetterGroup]: groupId,
    [HEADER.deadLetterCode]: reason.code,
    [HEADER.deadLetterReason]: reason.text.slice(0, MAX_REASON_CHARACTERS),
    [HEADER.deadLetterAttempts]: String(attempt),
    [HEADER.deadLetterAt]: String(clock.now()),
  };
}

/** Writes dead letters. Rejects only with lost infrastructure: the message then stays on its own topic. */
export class DeadLetters {
  readonly #options: DeadLetterOptions;

  constructor(options: DeadLetterOptions) {
    this.#options = options;
  }

  async write(request: Request, reason: DeadLetterReason): Promise<void> {
    for (const letter of this.#shrinking(request, reason)) {
      if (await this.#fits(letter)) return;
    }
    throw this.#lost('not even the provenance fits');
  }

  /**
   * The whole message; for one at the topic's limit, which its provenance makes too large, without the value; and for
   * one whose headers or key take that much, only the provenance. What is left out can still be read where that points
   * to. Without the last a message of headers alone would hold up its partition for ever.
   */
  *#shrinking(request: Request, reason: DeadLetterReason): Iterable<OutgoingMessage> {
    const { topic } = this.#options;
    const { key } = request.message;
    yield createDeadLetter(request, reason, this.#options);
    const noValue = { ...reason, text: `${reason.text} (value left out: too large)` };
    yield { ...createDeadLetter(request, noValue, this.#options), value: null };
    const bare = { ...reason, text: `${reason.text} (value and headers left out: too large)` };
    const headers = provenance(request, bare, this.#options);
    yield { topic, key: key !== null && key.length > MAX_BARE_KEY_BYTES ? null : key, value: null, headers };
  }

  /** False when the topic takes no message of this size. */
  async #fits(letter: OutgoingMessage): Promise<boolean> {
    try {
      await this.#options.publisher.publish([letter]);
      return true;
    } catch (error) {
      if (isPassingFailure(error)) throw error;
      if (isTooLarge(error)) return false;
      throw this.#lost(errorText(error), error);
    }
  }

  /** A dead-letter topic that takes nothing is lost infrastructure: no message may vanish. */
  #lost(why: string, cause?: unknown): InfrastructureError {
    const what = `dead letters cannot be written to ${this.#options.topic}: ${why}`;
    return new InfrastructureError('dead-letters-unavailable', what, cause);
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof MessagingError && error.code === 'message-too-large';
}
