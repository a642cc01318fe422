import type { SendResult } from '../../../shared/notification/provider.ts';
import { PRIORITIES, type Priority } from '../../../shared/notification/notification-command.ts';
import { type Deadline, openDeadline } from '../../../shared/platform/system-ports.ts';

/** Longest wait for a connection, as a share of the time limit of a call, which begins when it has a connection. */
export const CONNECTION_WAIT_SHARE = 0.5;

type Transient = Extract<SendResult, { readonly kind: 'transient' }>;

interface Waiting {
  readonly priority: Priority;
  readonly caller: AbortSignal;
}

/** Calls wait here, because pools ignore priority. Urgent ones go first, and one of several connections is for them. */
export function createProviderConnections(count: number, timeoutMs: number) {
  const slots = new PrioritySlots(() => ({ normal: Math.max(1, count - 1), all: count }));
  const inProgress = new Set<Promise<unknown>>();
  let isClosed = false;
  const call = async <Result>(
    { priority, caller }: Waiting,
    send: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result | Transient> => {
    using wait = openDeadline(caller, timeoutMs * CONNECTION_WAIT_SHARE);
    const leave = await slots.enter(priority, wait.signal);
    if (leave === undefined && wait.isTimedOut())
      return { kind: 'transient', code: 'no-connection', isUncalled: true };
    if (leave === undefined) return { kind: 'transient', code: 'aborted' };
    try {
      using deadline = openDeadline(caller, timeoutMs);
      return await send(deadline);
    } finally {
      leave();
    }
  };
  return {
    /** Calls `send` when a connection is free. Its deadline is the time limit, or earlier when `caller` aborts. */
    use: async <Result>(
      waiting: Waiting,
      send: (deadline: Deadline) => Promise<Result>,
    ): Promise<Result | Transient> => {
      if (isClosed) return { kind: 'transient', code: 'provider-closed' };
      const called = call(waiting, send);
      inProgress.add(called);
      return called.finally(() => inProgress.delete(called));
    },
    /** Refuses further calls. Resolves when the calls in progress have ended. */
    close: async (): Promise<void> => {
      isClosed = true;
      await Promise.allSettled(inProgress);
    },
  };
}

export interface SlotLimits {
  /** Maximum number of slots for normal messages. The rest of `all` is reserved for urgent ones. */
  readonly normal: number;
  readonly all: number;
}

/** Serves waiting urgent messages first, and messages of the same priority in the order of arrival. */
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

  /** Waits for a slot. Returns the function that gives it back, or undefined on abort. */
  async enter(priority: Priority, signal: AbortSignal): Promise<(() => void) | undefined> {
    const isGranted = await this.#isGranted(priority, signal);
    let isHeld = isGranted;
    const leave = (): void => {
      if (isHeld) this.#leave(priority);
      isHeld = false;
    };
    return isGranted ? leave : undefined;
  }

  #isGranted(priority: Priority, signal: AbortSignal): boolean | Promise<boolean> {
    const waiting = this.#waiting[priority];
    if (waiting.size === 0 && this.#hasRoom(priority)) {
      this.#busy[priority] += 1;
      return true;
    }
    if (signal.aborted) return false;
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

  #leave(priority: Priority): void {
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
