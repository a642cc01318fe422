import { errorText } from '../../platform/errors.ts';
import { backoffMs } from '../backoff.ts';
import type { TopicPartition } from '../message.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';

/**
 * Keeps processing stopped after an assignment until the data that it depends on is up to date, so that no message is
 * handled without the results of the partition's former owner. A failed wait is retried with growing delays; no message
 * is handled meanwhile, and the consumer stays in its group.
 */
export class AssignmentGate {
  readonly #options: Pick<RuntimeOptions, 'gate' | 'log' | 'retryBackoff' | 'random'>;
  readonly #onOpen: () => void;
  /** The wait of the present assignment; aborted by the next one. */
  #waiting: AbortController | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: Pick<RuntimeOptions, 'gate' | 'log' | 'retryBackoff' | 'random'>, onOpen: () => void) {
    this.#options = options;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#waiting === undefined;
  }

  /** Closes until the wait for these partitions is over; cancels the wait of an earlier assignment. */
  close(partitions: readonly TopicPartition[]): void {
    this.cancel();
    if (this.#options.gate === undefined) return;
    this.#waiting = new AbortController();
    void this.#wait(partitions, this.#waiting, 1);
  }

  /** Ends the wait without opening. */
  cancel(): void {
    clearTimeout(this.#retry);
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  async #wait(
    partitions: readonly TopicPartition[],
    waiting: AbortController,
    attempt: number,
  ): Promise<void> {
    const { gate, log, retryBackoff = CONSUMER_DEFAULTS.retryBackoff, random = Math.random } = this.#options;
    try {
      await gate?.(partitions, waiting.signal);
    } catch (error) {
      if (this.#waiting !== waiting) return;
      log.warn(
        { attempt, reason: errorText(error) },
        'messages wait: the data that they depend on could not be read after an assignment',
      );
      const delayMs = backoffMs(retryBackoff, attempt, random);
      this.#retry = setTimeout(() => void this.#wait(partitions, waiting, attempt + 1), delayMs);
      return;
    }
    if (this.#waiting !== waiting) return;
    this.#waiting = undefined;
    this.#onOpen();
  }
}
