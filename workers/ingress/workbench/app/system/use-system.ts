import { useEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../api.ts';
import { EngineError } from '../engine-error.ts';
import { token } from '../preferences.ts';
import type { Schemas } from '../schemas.ts';
import { wait } from '../wait.ts';
import { figuresOf, type Figures } from './figures.ts';

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

/** The state of the system, its recent past, and its connection. */
export interface System {
  /** Undefined before the first one arrived. */
  readonly state: Schemas['SystemState'] | undefined;
  /** Oldest first, one for each moment; undefined where the page was not connected. */
  readonly history: readonly (Figures | undefined)[];
  readonly connection: Connection;
  readonly pause: () => void;
  /** Asks again at once, after `paused` or `waiting`. */
  readonly connect: () => void;
}

type PausedBy = 'user' | 'hidden' | undefined;

/** The engine observes the system as often. */
const STEP_MS = 2_000;
/** Five minutes. */
export const HISTORY_STEPS = 150;
/** A server that has gone is asked again after 2 s, later after up to half a minute. */
const LONGEST_PAUSE_MS = 30_000;
/** A hidden page needs no updates. */
const HIDDEN_MS = 60_000;

/** Asks for the state of the system while the component is shown. */
export function useSystem(): System {
  const [state, setState] = useState<Schemas['SystemState']>();
  const [connection, setConnection] = useState<Connection>({ kind: 'connecting' });
  const [history, setHistory] = useState<readonly (Figures | undefined)[]>([]);
  /** Who paused it. */
  const [paused, setPaused] = useState<PausedBy>();
  const [attempt, setAttempt] = useState({});
  const connect = (): void => {
    setPaused(undefined);
    setAttempt({});
  };
  useEffect(() => {
    if (paused !== undefined) return setConnection({ kind: 'paused' });
    const abort = new AbortController();
    setConnection({ kind: 'connecting' });
    void follow(abort.signal, setConnection, (arrived) => {
      setState(arrived);
      setHistory((known) => (known.length === 0 ? [figuresOf(arrived)] : known));
    });
    return () => abort.abort();
  }, [attempt, paused, token.value]);
  const latest = useRef<Figures>(undefined);
  latest.current = connection.kind === 'live' && state !== undefined ? figuresOf(state) : undefined;
  useEffect(() => {
    const timer = setInterval(
      () =>
        setHistory((known) =>
          known.length === 0 ? known : [...known.slice(1 - HISTORY_STEPS), latest.current],
        ),
      STEP_MS,
    );
    return () => clearInterval(timer);
  }, []);
  useEffect(() => pauseWhileHidden(setPaused), []);
  return { state, history, connection, connect, pause: () => setPaused('user') };
}

/** Asks at once, and then regularly, until it is aborted or refused. */
async function follow(
  signal: AbortSignal,
  onConnection: (connection: Connection) => void,
  onState: (state: Schemas['SystemState']) => void,
): Promise<void> {
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

/** Pauses when the page has been hidden for a minute, and continues when it is shown again, unless the user paused. */
function pauseWhileHidden(setPaused: (change: (paused: PausedBy) => PausedBy) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => setPaused((paused) => paused ?? 'hidden'), HIDDEN_MS);
    else setPaused((paused) => (paused === 'hidden' ? undefined : paused));
  };
  document.addEventListener('visibilitychange', change);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', change);
  };
}
