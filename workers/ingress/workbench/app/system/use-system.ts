import { useEffect, useRef, useState } from 'preact/hooks';
import { token } from '../preferences.ts';
import type { Schemas } from '../schemas.ts';
import { figuresOf, type Figures } from './figures.ts';
import { pollState, STEP_MS, type Connection, type StatePolling } from './poll-state.ts';

/** The state of the system, its recent past, and its connection. */
export interface System {
  /** Undefined before the first one arrived. */
  readonly state: Schemas['SystemState'] | undefined;
  /** Oldest first, one for each moment; undefined where the page was not connected. */
  readonly history: readonly (Figures | undefined)[];
  readonly connection: Connection;
  readonly pause: () => void;
  readonly connect: () => void;
}

/** Five minutes. */
export const HISTORY_STEPS = 150;
/** A hidden page needs no updates. */
const HIDDEN_MS = 60_000;

/** Follows the system while the component is shown. */
export function useSystem(): System {
  const [state, setState] = useState<Schemas['SystemState']>();
  const [connection, setConnection] = useState<Connection>({ kind: 'connecting' });
  const [history, setHistory] = useState<readonly (Figures | undefined)[]>([]);
  const polling = useRef<StatePolling>(undefined);
  const latest = useRef<Schemas['SystemState']>(undefined);
  const isLive = useRef(false);
  const isPausedByUser = useRef(false);
  const currentToken = token.value;
  useEffect(() => {
    const opened = pollState({
      onState: (arrived) => {
        const isFirst = latest.current === undefined;
        latest.current = arrived;
        setState(arrived);
        if (isFirst) setHistory((known) => append(known, figuresOf(arrived)));
      },
      onConnection: (changed) => {
        isLive.current = changed.kind === 'live';
        setConnection(changed);
      },
    });
    polling.current = opened;
    isPausedByUser.current = false;
    const stopHiding = pauseWhileHidden(opened, () => isPausedByUser.current);
    const timer = setInterval(() => {
      const known = latest.current;
      const figures = isLive.current && known !== undefined ? figuresOf(known) : undefined;
      if (known !== undefined) setHistory((before) => append(before, figures));
    }, STEP_MS);
    return () => {
      stopHiding();
      clearInterval(timer);
      opened.close();
    };
  }, [currentToken]);
  return {
    state,
    history,
    connection,
    pause: () => {
      isPausedByUser.current = true;
      polling.current?.pause();
    },
    connect: () => {
      isPausedByUser.current = false;
      polling.current?.connect();
    },
  };
}

function append(
  history: readonly (Figures | undefined)[],
  figures: Figures | undefined,
): readonly (Figures | undefined)[] {
  return [...history.slice(1 - HISTORY_STEPS), figures];
}

/** Pauses it when its page has been hidden for a minute, and continues it when it is shown again, unless the user paused it. */
function pauseWhileHidden(polling: StatePolling, isPausedByUser: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPaused = false;
  const change = (): void => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        if (isPausedByUser()) return;
        isPaused = true;
        polling.pause();
      }, HIDDEN_MS);
    } else if (isPaused) {
      isPaused = false;
      polling.connect();
    }
  };
  document.addEventListener('visibilitychange', change);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', change);
  };
}
