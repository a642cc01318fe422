/** The state of the system as it arrives: a stream that connects again by itself. */
import type { ShownState } from './state.ts';
import { ApiError, call } from '../api.ts';

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
  readonly onState: (state: ShownState) => void;
  readonly onConnection: (connection: Connection) => void;
}

const PATH = '/api/operations/v1/system/events';
/** The server ends a stream before that. */
const LONGEST_STREAM_MS = 3_600_000;
/** The server sends a comment every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** Instances that start again must not meet all their readers at once. */
const SPREAD = 0.3;
const NO_PERMISSION: ReadonlySet<number> = new Set([401, 403]);

/** Opens the stream and keeps it open. */
export function openStateStream({ onState, onConnection }: Observer): StateStream {
  let abort: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const stop = (): void => {
    abort?.abort();
    abort = undefined;
    clearTimeout(timer);
  };
  const retry = (error: unknown): void => {
    if (error instanceof ApiError && NO_PERMISSION.has(error.problem.status)) {
      return onConnection({ kind: 'refused', error });
    }
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (1 + Math.random() * SPREAD);
    failures += 1;
    onConnection({ kind: 'waiting', error, retryAtMs: Date.now() + delayMs });
    timer = setTimeout(connect, delayMs);
  };
  const connect = (): void => {
    stop();
    const own = (abort = new AbortController());
    onConnection({ kind: 'connecting' });
    const onFirst = (state: ShownState): void => {
      if (own.signal.aborted) return;
      failures = 0;
      onConnection({ kind: 'live' });
      onState(state);
    };
    follow(own, onFirst).then(
      // The server renews its streams now and then.
      () => (own.signal.aborted ? undefined : connect()),
      (error: unknown) => (own.signal.aborted ? undefined : retry(error)),
    );
  };
  connect();
  return {
    connect: () => {
      failures = 0;
      connect();
    },
    pause: () => {
      stop();
      onConnection({ kind: 'paused' });
    },
    close: stop,
  };
}

/** Reads one stream. Resolves when the server wants it to be opened again; rejects when it ends otherwise. */
async function follow(abort: AbortController, onState: (state: ShownState) => void): Promise<void> {
  const response = await call(PATH, {
    headers: { accept: 'text/event-stream' },
    signal: abort.signal,
    timeoutMs: LONGEST_STREAM_MS,
  });
  if (response.body === null) throw gone();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await readInTime(reader);
    if (done) throw gone();
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { event, data } = parseBlock(block);
      if (event === 'system') onState(JSON.parse(data) as ShownState);
      if (event === 'end' && data.includes('renew')) {
        await reader.cancel();
        return;
      }
    }
  }
}

/** Rejects when nothing arrives: a connection that is broken without a sign stays open. */
async function readInTime(reader: ReadableStreamDefaultReader<string>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(gone()), SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof ApiError ? error : gone();
  } finally {
    clearTimeout(timer);
  }
}

function gone(): ApiError {
  return new ApiError({ title: 'The engine cannot be reached', status: 0, code: 'unreachable' });
}

/** Fields of an event; a comment has none. */
function parseBlock(block: string): { readonly event: string; readonly data: string } {
  const field = (name: string): string =>
    block
      .split('\n')
      .flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))
      .join('\n');
  return { event: field('event'), data: field('data') };
}
