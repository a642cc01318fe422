/** The state of the system as it arrives, over a stream that can be paused. */
import type { Schemas } from '../../../../../shared/client/client.ts';
import { engine } from '../api.ts';

/** Where the connection is. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** By the user, or because the page has been hidden for a while. */
  | { readonly kind: 'paused' }
  /** The server has gone, is stopping, or does not accept a stream now. `retryAtMs`: epoch milliseconds. */
  | { readonly kind: 'waiting'; readonly error: unknown; readonly retryAtMs: number }
  /** The token does not permit it: trying again would not help. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface StateStream {
  /** Tries again at once, after `paused` or `waiting`. */
  connect(): void;
  pause(): void;
  /** Ends it for good. */
  close(): void;
}

interface Observer {
  readonly onState: (state: Schemas['SystemState']) => void;
  readonly onConnection: (connection: Connection) => void;
}

/** Opens the stream and keeps it open. */
export function openStateStream(observer: Observer): StateStream {
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

/** Follows the stream until it is aborted or refused. */
async function follow({ onState, onConnection }: Observer, signal: AbortSignal): Promise<void> {
  const events = engine.events('/api/operations/v1/system/events', {
    signal,
    onConnection: (connection) => {
      if (connection.kind === 'connecting') onConnection(connection);
      if (connection.kind === 'open') onConnection({ kind: 'live' });
      if (connection.kind === 'waiting') {
        const { error, delayMs } = connection;
        onConnection({ kind: 'waiting', error, retryAtMs: Date.now() + delayMs });
      }
    },
  });
  try {
    for await (const { event, data } of events) if (event === 'system') onState(data);
  } catch (error) {
    if (!signal.aborted) onConnection({ kind: 'refused', error });
  }
}
