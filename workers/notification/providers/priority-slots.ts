import { PRIORITIES, type Priority } from '../../../shared/notification/notification-command.ts';

export interface SlotLimits {
  /** By normal messages: the others are reserved for urgent ones. */
  readonly normal: number;
  /** By normal and urgent messages together. */
  readonly all: number;
}

/**
 * Limits what is in progress at the same time. Waiting urgent messages are served first, and those of one priority in the
 * order of their arrival.
 */
export class PrioritySlots {
  readonly #waiting: Readonly<Record<Priority, Set<(isGranted: boolean) => void>>> = {
    normal: new Set(),
    urgent: new Set(),
  };
  readonly #busy: Record<Priority, number> = { normal: 0, urgent: 0 };
  readonly #limits: () => SlotLimits;

  constructor(limits: () => SlotLimits) {
    this.#limits = limits;
  }

  /** Waits for a slot; false on abort. Each granted slot must be released by leave(). */
  enter(priority: Priority, signal: AbortSignal): Promise<boolean> {
    const waiting = this.#waiting[priority];
    if (waiting.size === 0 && this.#hasRoom(priority)) {
      this.#busy[priority] += 1;
      return Promise.resolve(true);
    }
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isGranted: boolean): void => {
        signal.removeEventListener('abort', giveUp);
        waiting.delete(end);
        resolve(isGranted);
      };
      const giveUp = (): void => end(false);
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(end);
    });
  }

  leave(priority: Priority): void {
    this.#busy[priority] -= 1;
    for (const next of PRIORITIES.toReversed()) {
      const waiting = this.#waiting[next];
      while (waiting.size > 0 && this.#hasRoom(next)) {
        const [first] = waiting;
        this.#busy[next] += 1;
        first?.(true);
      }
    }
  }

  #hasRoom(priority: Priority): boolean {
    const { normal, urgent } = this.#busy;
    const limits = this.#limits();
    return normal + urgent < limits.all && (priority === 'urgent' || normal < limits.normal);
  }
}
