import { errorText } from '../../platform/errors.ts';
import { backoffMs } from '../backoff.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';
import type { TopicPartition } from '../message.ts';

/**
 * Keeps the lanes shut after an assignment until what the work depends on has been read as far as it stood then, so that
 * a message is not handled by what was known before somebody else's work on it. A wait that fails is begun anew, with
 * growing delays; nothing is handled meanwhile, and the membership lives on.
 */
export class AssignmentFence {
  readonly #options: Pick<RuntimeOptions, 'fence' | 'log' | 'holdBackoff' | 'random'>;
  readonly #onOpen: () => void;
  /** The wait of the present assignment; aborted by the next one. */
  #waiting: AbortController | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(options: Pick<RuntimeOptions, 'fence' | 'log' | 'holdBackoff' | 'random'>, onOpen: () => void) {
    this.#options = options;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#waiting === undefined;
  }

  /** Shuts until the wait for these partitions is over; the wait of an earlier assignment counts no more. */
  shut(partitions: readonly TopicPartition[]): void {
    this.drop();
    if (this.#options.fence === undefined) return;
    this.#waiting = new AbortController();
    void this.#wait(partitions, this.#waiting, 1);
  }

  /** Waits for nothing any more. */
  drop(): void {
    clearTimeout(this.#again);
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  async #wait(
    partitions: readonly TopicPartition[],
    waiting: AbortController,
    attempt: number,
  ): Promise<void> {
    const { fence, log, holdBackoff = CONSUMER_DEFAULTS.holdBackoff, random = Math.random } = this.#options;
    try {
      await fence?.(partitions, waiting.signal);
    } catch (error) {
      if (this.#waiting !== waiting) return;
      log.warn(
        { attempt, reason: errorText(error) },
        'messages wait: what they depend on could not be read after an assignment',
      );
      const delayMs = backoffMs(holdBackoff, attempt, random);
      this.#again = setTimeout(() => void this.#wait(partitions, waiting, attempt + 1), delayMs);
      return;
    }
    if (this.#waiting !== waiting) return;
    this.#waiting = undefined;
    this.#onOpen();
  }
}
