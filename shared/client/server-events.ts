/** Server-sent events over fetch, which sends the token in a header as every other call does. */
import { UnreadableAnswer, type Received } from './answer.ts';
import { wait } from './client-system.ts';
import { EngineError } from './engine-error.ts';
import {
  exchange,
  isTemporary,
  repeatDelay,
  type CallOptions,
  type HttpCall,
  type HttpSettings,
} from './http-call.ts';
import type { Schemas } from './typed-call.ts';

/** What a stream is doing. */
export type StreamConnection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** It connects again after `delayMs`. The error says why it could not connect, or how the stream ended. */
  | { readonly kind: 'waiting'; readonly delayMs: number; readonly error: EngineError };

export interface EventOptions extends Omit<CallOptions, 'attempts'> {
  /** Called whenever what the stream is doing changes, for example to show it to a user. */
  readonly onConnection?: ((connection: StreamConnection) => void) | undefined;
}

interface ReceivedEvent<Data> {
  /** Kind of the event; `message` if the engine names none. */
  readonly event: string;
  readonly data: Data;
  /** Id of the last event that has one. */
  readonly id: string | undefined;
}

interface Position {
  lastId: string | undefined;
  /** How long the engine asks to wait before a new connection. */
  retryMs: number;
}

const RETRY_MS = 1_000;
/** The engine sends a comment every 15 s; a connection that is silent for longer is broken. */
const SILENCE_MS = 45_000;

/**
 * Yields the events of an address until the caller leaves the loop or aborts `signal`. After an interruption it connects
 * again, with the id of the last event; at once where the engine has asked for it. The time limit applies to each
 * connection until its first byte. Throws an {@link EngineError} when the engine refuses the connection for good, such as
 * for a missing permission, and when an event is not JSON.
 */
export async function* readServerEvents(
  settings: HttpSettings,
  call: HttpCall,
  { onConnection = () => undefined, ...options }: EventOptions,
): AsyncGenerator<ReceivedEvent<unknown>, undefined> {
  const { system } = settings;
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const position: Position = { lastId: undefined, retryMs: RETRY_MS };
  let interruptions = 0;
  try {
    for (;;) {
      onConnection({ kind: 'connecting' });
      const connected = await connect(settings, call, { ...options, signal }, position);
      const isConnected = !(connected instanceof EngineError);
      if (isConnected) onConnection({ kind: 'open' });
      let isRenewed = false;
      for await (const { data: text, ...event } of isConnected
        ? eventsOf(settings, { ...connected, position, signal })
        : []) {
        const data = readData(settings, connected as Connected, text);
        interruptions = 0;
        isRenewed = event.event === 'end' && (data as Schemas['StreamEnd'] | null)?.reason === 'renew';
        yield { ...event, data };
      }
      interruptions += 1;
      const error = isConnected ? streamEnd(connected) : connected;
      const askedMs = isRenewed ? 0 : (error.retryAfterMs ?? position.retryMs);
      const delayMs = repeatDelay(system, interruptions, askedMs);
      if (!isRenewed) onConnection({ kind: 'waiting', delayMs, error });
      await wait(system, delayMs, signal);
    }
  } finally {
    left.abort();
  }
}

type Connected = Received<ReadableStream<Uint8Array>>;

/** Opens a connection; returns the error if that may succeed later. */
async function connect(
  settings: HttpSettings,
  call: HttpCall,
  options: CallOptions,
  { lastId }: Position,
): Promise<Connected | EngineError> {
  const headers = {
    ...call.headers,
    accept: 'text/event-stream',
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  try {
    return await exchange(settings, { ...call, headers }, { ...options, attempts: 1 }, openStream);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const isPassing = error.code === 'timeout' || isTemporary(error) || (error.status ?? 0) >= 500;
    if (isPassing) return error;
    throw error;
  }
}

function readData(
  { parseJson }: HttpSettings,
  { correlationId, attempts, response }: Connected,
  text: string,
) {
  try {
    return parseJson(text);
  } catch (cause) {
    const details = { correlationId, attempts, status: response.status, cause };
    const words = 'The answer cannot be read: the data of an event are not JSON';
    throw new EngineError(words, { ...details, code: 'unreadable-answer' });
  }
}

function streamEnd({ correlationId, attempts }: Connected): EngineError {
  return new EngineError('The stream ended', { code: 'unreachable', correlationId, attempts });
}

async function openStream(response: Response): Promise<ReadableStream<Uint8Array>> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body !== null && /^text\/event-stream\b/i.test(type)) return response.body;
  throw new UnreadableAnswer(`the content type is ${type || 'missing'}`);
}

interface Stream {
  readonly body: ReadableStream<Uint8Array>;
  readonly position: Position;
  readonly signal: AbortSignal;
}

/** The events of one connection (HTML standard, 9.2.6), with their text. */
async function* eventsOf(settings: HttpSettings, stream: Stream): AsyncGenerator<ReceivedEvent<string>> {
  const { position } = stream;
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(settings, stream)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id: position.lastId };
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
    if (field === 'id' && !value.includes('\0')) position.lastId = value;
    if (field === 'retry' && /^\d{1,9}$/.test(value)) position.retryMs = Number(value);
  }
}

/** The lines of a stream, which end with CR, LF or both. An incomplete last one is dropped, also of a broken stream. */
async function* linesOf({ system }: HttpSettings, { body, signal }: Stream): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const cancelSilence = system.startTimer(SILENCE_MS, () => void reader.cancel().catch(() => undefined));
    const chunk = await reader.read().catch(() => undefined);
    cancelSilence();
    signal.throwIfAborted();
    if (chunk?.value === undefined) return;
    rest += decoder.decode(chunk.value, { stream: true });
    // A CR at the end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
