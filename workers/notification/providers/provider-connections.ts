import type { Priority } from '../../../shared/notification/notification-command.ts';
import { type Deadline, openDeadline } from '../../../shared/platform/system-ports.ts';
import { PrioritySlots } from './priority-slots.ts';

/** Longest wait of a call for a connection, as a share of its time limit, which begins when it has one. */
export const CONNECTION_WAIT_SHARE = 0.5;
/** With fewer connections, none is reserved for urgent messages. */
const MIN_CONNECTIONS_TO_RESERVE = 2;
/** No connection was free in time, which says nothing about the provider. */
export const NO_CONNECTION = 'no-connection';

export interface NotBegun {
  readonly kind: 'not-begun';
  readonly code: typeof NO_CONNECTION | 'aborted' | 'provider-closed';
}

export interface ProviderConnections {
  /** Makes a call when one of them is free. The call gets its time limit, which ends it together with `caller`. */
  use<Result>(
    wait: { readonly priority: Priority; readonly caller: AbortSignal },
    call: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result | NotBegun>;
  /** Refuses further calls, and resolves when those in progress have ended. */
  close(): Promise<void>;
}

/**
 * Calls wait here for a connection, since pools serve them in the order of their arrival: urgent ones first, and one
 * connection, if there are two or more, is reserved for them.
 */
export function createProviderConnections(count: number, timeoutMs: number): ProviderConnections {
  const reserved = count < MIN_CONNECTIONS_TO_RESERVE ? 0 : 1;
  const slots = new PrioritySlots(() => ({ normal: count - reserved, all: count }));
  const inProgress = new Set<Promise<unknown>>();
  let isClosed = false;
  const call: ProviderConnections['use'] = async ({ priority, caller }, send) => {
    using wait = openDeadline(caller, timeoutMs * CONNECTION_WAIT_SHARE);
    if (!(await slots.enter(priority, wait.signal)))
      return { kind: 'not-begun', code: wait.isTimedOut() ? NO_CONNECTION : 'aborted' };
    try {
      using deadline = openDeadline(caller, timeoutMs);
      return await send(deadline);
    } finally {
      slots.leave(priority);
    }
  };
  return {
    use: async (wait, send) => {
      if (isClosed) return { kind: 'not-begun', code: 'provider-closed' };
      const called = call(wait, send);
      inProgress.add(called);
      return called.finally(() => inProgress.delete(called));
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(inProgress);
    },
  };
}
