/** The state of the system as it is asked for, every two seconds until it is paused. */
import { getJson } from '../api.ts';
import { EngineError } from '../engine-error.ts';
import type { Schemas } from '../schemas.ts';
import { wait } from '../wait.ts';

/** Where the connection is. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** By the user, or because the page has been hidden for a while. */
  | { readonly kind: 'paused' }
  /** The server has gone, is stopping, or is busy. `retryAtMs`: epoch milliseconds. */
  | { readonly kind: 'waiting'; readonly error: unknown; readonly retryAtMs: number }
  /** The token does not permit it: trying again would not help. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface StatePolling {
  /** Asks again at once, after `paused` or `waiting`. */
  connect(): void;
  pause(): void;
  /** Ends it for good. */
  close(): void;
}

interface Observer {
  readonly onState: (state: Schemas['SystemState']) => void;
  readonly onConnection: (connection: Connection) => void;
}

/** The engine observes the system as often. */
export const STEP_MS = 2_000;
/** A server that has gone is asked again after 2 s, later after up to half a minute. */
const LONGEST_PAUSE_MS = 30_000;

/** Asks at once, and then regularly. */
export function pollState(observer: Observer): StatePolling {
  let abort = new AbortController();
  const connect = (): void => {
    abort.abort();
    abort = new AbortController();
    void follow(observer, abort.signal);
  };
  connect();
  return {
    connect,
    pause: () => {
      abort.abort();
      observer.onConnection({ kind: 'paused' });
    },
    close: () => abort.abort(),
  };
}

/** Asks until it is aborted or refused. */
async function follow({ onState, onConnection }: Observer, signal: AbortSignal): Promise<void> {
  onConnection({ kind: 'connecting' });
  let failures = 0;
  while (!signal.aborted) {
    let pauseMs = STEP_MS;
    try {
      const options = { signal, attempts: 1 };
      const state = await getJson<Schemas['SystemState']>('/api/operations/v1/system', {}, options);
      failures = 0;
      onState(state);
      onConnection({ kind: 'live' });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof EngineError && error.isTemporary)) {
        return onConnection({ kind: 'refused', error });
      }
      pauseMs = Math.max(error.retryAfterMs ?? 0, Math.min(STEP_MS * 2 ** failures, LONGEST_PAUSE_MS));
      failures += 1;
      onConnection({ kind: 'waiting', error, retryAtMs: Date.now() + pauseMs });
    }
    await wait(pauseMs, signal);
  }
}
