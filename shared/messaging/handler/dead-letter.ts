import type { Clock } from '../../platform/system-ports.ts';
import { errorText, InfrastructureError, MessagingError } from '../../platform/errors.ts';
import { HEADER } from '../headers.ts';
import type { MessageHeaders, OutgoingMessage } from '../message.ts';
import type { Publisher } from '../ports.ts';
import type { Request } from './request.ts';

export interface DeadLetterReason {
  readonly code: string;
  /** One sentence for an operator, without stack traces, secrets or bodies. */
  readonly text: string;
}

interface DeadLetterOptions {
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly topic: string;
  readonly groupId: string;
  readonly clock: Clock;
}

type DeadRequest = Pick<Request, 'message' | 'attempt' | 'originTimestampMs' | 'timeFault'>;

const MAX_REASON_CHARACTERS = 1_000;
/** Longer keys are omitted from a dead letter without value and headers. Shorter keys cannot make it too large. */
const MAX_BARE_KEY_BYTES = 1_024;

/** `write` rejects with transient failures only. The message then stays on its topic. */
export class DeadLetters {
  readonly #options: DeadLetterOptions;

  constructor(options: DeadLetterOptions) {
    this.#options = options;
  }

  async write(request: DeadRequest, { code, text }: DeadLetterReason): Promise<void> {
    const { topic } = this.#options;
    const { key, value, headers } = request.message;
    const provenance = (further: string): MessageHeaders => this.#provenance(request, code, text + further);
    const bareKey = key !== null && key.length > MAX_BARE_KEY_BYTES ? null : key;
    // The largest version that the topic accepts is written, so that long headers or keys do not block a partition.
    const versions: readonly OutgoingMessage[] = [
      { topic, key, value, headers: { ...headers, ...provenance('') } },
      { topic, key, value: null, headers: { ...headers, ...provenance(' (value left out: too large)') } },
      { topic, key: bareKey, value: null, headers: provenance(' (value and headers left out: too large)') },
    ];
    for (const letter of versions) if (await this.#accepts(letter)) return;
    throw this.#unavailable('even the provenance is too large');
  }

  /** Headers with the origin and reason of a dead letter, and its origin timestamp unless that is implausible (D2). */
  #provenance(
    { message, attempt, originTimestampMs, timeFault }: DeadRequest,
    code: string,
    text: string,
  ): MessageHeaders {
    const { groupId, clock } = this.#options;
    return {
      ...(timeFault === undefined ? { [HEADER.originTimestamp]: String(originTimestampMs) } : {}),
      [HEADER.deadLetterTopic]: message.topic,
      [HEADER.deadLetterPartition]: String(message.partition),
      [HEADER.deadLetterOffset]: String(message.offset),
      [HEADER.deadLetterTimestamp]: String(message.timestampMs),
      [HEADER.deadLetterGroup]: groupId,
      [HEADER.deadLetterCode]: code,
      [HEADER.deadLetterReason]: text.slice(0, MAX_REASON_CHARACTERS),
      [HEADER.deadLetterAttempts]: String(attempt),
      [HEADER.deadLetterAt]: String(clock.now()),
    };
  }

  async #accepts(letter: OutgoingMessage): Promise<boolean> {
    try {
      await this.#options.publisher.publish([letter]);
      return true;
    } catch (error) {
      if (error instanceof MessagingError && error.code === 'message-too-large') return false;
      throw this.#unavailable(errorText(error), error);
    }
  }

  /** Failures of the dead-letter topic count as transient, so that no message is lost. */
  #unavailable(why: string, cause?: unknown): InfrastructureError {
    const what = `dead letters cannot be written to ${this.#options.topic}: ${why}`;
    return new InfrastructureError('dead-letters-unavailable', what, cause);
  }
}
