/** Server-sent events over fetch, which sends the token in a header as every other call does. */
import { UnreadableAnswer } from './answer.ts';
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

export interface ServerEvent<Data> {
  /** Kind of the event; `message` if the engine names none. */
  readonly event: string;
  /** The JSON of the event. */
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
 * again, with the id of the last event. The time limit applies to each connection until its first byte. Throws an
 * {@link EngineError} when the engine refuses the connection for good, such as for a missing permission.
 */
export async function* readServerEvents(
  settings: HttpSettings,
  call: HttpCall,
  options: CallOptions,
): AsyncGenerator<ServerEvent<unknown>, undefined> {
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const position: Position = { lastId: undefined, retryMs: RETRY_MS };
  let interruptions = 0;
  try {
    for (;;) {
      const body = await connect(settings, call, { ...options, signal }, position);
      for await (const event of body === undefined ? [] : eventsOf(settings, { body, position, signal })) {
        interruptions = 0;
        yield { ...event, data: settings.parseJson(event.data) };
      }
      interruptions += 1;
      await wait(settings.system, repeatDelay(settings.system, interruptions, position.retryMs), signal);
    }
  } finally {
    left.abort();
  }
}

/** Opens a connection; undefined if that may succeed later. */
async function connect(
  settings: HttpSettings,
  call: HttpCall,
  options: CallOptions,
  { lastId }: Position,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const headers = {
    ...call.headers,
    accept: 'text/event-stream',
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  try {
    return (await exchange(settings, { ...call, headers }, options, openStream)).body;
  } catch (error) {
    if (error instanceof EngineError && (error.code === 'timeout' || isTemporary(error))) return undefined;
    throw error;
  }
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
async function* eventsOf(settings: HttpSettings, stream: Stream): AsyncGenerator<ServerEvent<string>> {
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
