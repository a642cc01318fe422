import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { EngineError } from '../engine-error.ts';
import { token } from '../preferences.ts';
import type { SystemState } from '../../../../../shared/api/operations/system-state.ts';
import { wait } from '../wait.ts';

/** Where the connection is. `waiting`: the server has gone, is stopping, or is busy; `refused`: trying again would not help. */
export type Connection =
  | { readonly kind: 'connecting' | 'live' | 'paused' | 'waiting' }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Oldest first, one for each moment; undefined where the page was not connected. */
export type History = readonly (SystemState | undefined)[];

/** The state of the system, its recent past, and its connection. */
export interface System {
  /** Undefined before the first one arrived. */
  readonly state: SystemState | undefined;
  readonly history: History;
  readonly connection: Connection;
  readonly pause: () => void;
  /** Asks again, after `paused` or `refused`. */
  readonly connect: () => void;
}

/** The engine observes the system as often. */
const STEP_MS = 2_000;
/** Five minutes. */
export const HISTORY_STEPS = 150;

/** Asks for the state of the system while the component is shown. */
export function useSystem(): System {
  const [history, setHistory] = useState<History>([]);
  const [connection, setConnection] = useState<Connection>({ kind: 'connecting' });
  const [isPaused, setPaused] = useState(false);
  const [attempt, setAttempt] = useState({});
  useEffect(() => {
    const step = (next: Connection, state?: SystemState): void => {
      setConnection(next);
      setHistory((known) => [...known.slice(1 - HISTORY_STEPS), state]);
    };
    if (isPaused) return step({ kind: 'paused' });
    const abort = new AbortController();
    setConnection({ kind: 'connecting' });
    void follow(abort.signal, step);
    return () => abort.abort();
  }, [attempt, isPaused, token.value]);
  const connect = (): void => {
    setPaused(false);
    setAttempt({});
  };
  const state = history.findLast((one) => one !== undefined);
  return { state, history, connection, connect, pause: () => setPaused(true) };
}

/** Asks at once, and then regularly while the page is seen, until it is aborted or refused. */
async function follow(
  signal: AbortSignal,
  onStep: (connection: Connection, state?: SystemState) => void,
): Promise<void> {
  while (!signal.aborted) {
    let pauseMs = STEP_MS;
    try {
      const options = { signal, attempts: 1 };
      if (!document.hidden) onStep({ kind: 'live' }, await getJson('/api/operations/v1/system', {}, options));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof EngineError && error.isTemporary)) return onStep({ kind: 'refused', error });
      pauseMs = Math.max(error.retryAfterMs ?? 0, STEP_MS);
      onStep({ kind: 'waiting' });
    }
    await wait(pauseMs, signal);
  }
}
