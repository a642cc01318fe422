import { errorText } from '../../platform/errors.ts';
import { backoffMs } from '../backoff.ts';
import type { TopicPartition } from '../message.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';

type GateOptions = Pick<RuntimeOptions, 'gate' | 'log' | 'retryBackoff' | 'random' | 'timers'>;

/**
 * Delays processing after an assignment until the data that it depends on is up to date, so that no message is handled
 * without the results of the previous owner of the partition. A failed wait is retried with growing delays. The consumer
 * stays in its group meanwhile.
 */
export class AssignmentGate {
  readonly #options: GateOptions;
  readonly #onOpen: () => void;
  /** The wait of the current assignment; aborted by the next one. */
  #waiting: AbortController | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(options: GateOptions, onOpen: () => void) {
    this.#options = options;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#waiting === undefined;
  }

  /** Closes the gate until the data of these partitions is read; cancels the wait of an earlier assignment. */
  close(partitions: readonly TopicPartition[]): void {
    this.cancel();
    if (this.#options.gate === undefined) return;
    this.#waiting = new AbortController();
    void this.#wait(partitions, this.#waiting, 1);
  }

  /** Cancels the wait without calling `onOpen`. */
  cancel(): void {
    this.#cancelRetry?.();
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  async #wait(
    partitions: readonly TopicPartition[],
    waiting: AbortController,
    attempt: number,
  ): Promise<void> {
    const { gate, log, retryBackoff = CONSUMER_DEFAULTS.retryBackoff, random, timers } = this.#options;
    try {
      await gate?.(partitions, waiting.signal);
    } catch (error) {
      if (this.#waiting !== waiting) return;
      log.warn(
        { attempt, reason: errorText(error) },
        'messages wait: the data that they depend on could not be read after an assignment',
      );
      const delayMs = backoffMs(retryBackoff, attempt, random);
      const retry = (): void => void this.#wait(partitions, waiting, attempt + 1);
      this.#cancelRetry = timers.schedule(retry, delayMs);
      return;
    }
    if (this.#waiting !== waiting) return;
    this.#waiting = undefined;
    this.#onOpen();
  }
}
