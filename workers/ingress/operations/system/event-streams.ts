import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { STREAM_LIMITS, type StreamEnd } from '../../../../shared/contract/operations/system.ts';
import { repeat, type Timers } from '../../../../shared/platform/timers.ts';

/** The open streams of server-sent events of this instance (WHATWG HTML, section 9.2). */
export interface EventStreams {
  /** Why no further stream of the caller is opened; undefined: one may be. */
  refusal(caller: string): 'caller' | 'instance' | undefined;
  /** Responds with a stream whose first event has these data. `onEnd` is called once, when it has ended for any reason. */
  open(reply: FastifyReply, caller: string, data: string): void;
  /** Sends an event with these data to all streams. One that has not taken the last event gets the newest one once it has. */
  send(data: string): void;
  count(): number;
  /** Ends all streams with an event that says so, and with the end of their connections. */
  close(): void;
}

export interface EventStreamsOptions {
  readonly timers: Timers;
  /** Name of the events. */
  readonly event: string;
  /** Called when the first stream is open, and when the last one has ended. */
  readonly onWatched: (isWatched: boolean) => void;
  readonly limits?: Partial<typeof STREAM_LIMITS>;
}

interface Stream {
  readonly response: ServerResponse;
  readonly caller: string;
  /** Whether the reader has not taken yet what was written last. */
  isBehind: boolean;
  /** The text that is written once it has; only the newest is kept. */
  waiting: string | undefined;
}

/** Creates the set of streams; timers run only while there are any. */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { timers, event, onWatched } = options;
  const limits = { ...STREAM_LIMITS, ...options.limits };
  const streams = new Set<Stream>();
  let stopHeartbeats: (() => void) | undefined;
  const beat = (): void => {
    for (const stream of streams) if (!stream.isBehind) write(stream, ': heartbeat\n\n');
  };
  const add = (stream: Stream): void => {
    streams.add(stream);
    if (streams.size > 1) return;
    stopHeartbeats = repeat(timers, beat, limits.heartbeatMs, 'background');
    onWatched(true);
  };
  const remove = (stream: Stream): void => {
    if (!streams.delete(stream) || streams.size > 0) return;
    stopHeartbeats?.();
    onWatched(false);
  };
  const ofCaller = (caller: string): number =>
    [...streams].filter((stream) => stream.caller === caller).length;
  return {
    refusal: (caller) => {
      if (ofCaller(caller) >= limits.streamsOfCaller) return 'caller';
      return streams.size >= limits.streams ? 'instance' : undefined;
    },
    open: (reply, caller, data) => {
      const response = reply.hijack().raw;
      const stream: Stream = { response, caller, isBehind: false, waiting: undefined };
      begin(reply);
      write(stream, `retry: ${limits.retryMs}\n\n${eventText(event, data)}`);
      const cancel = timers.schedule(() => end(stream, 'renew'), limits.durationMs, 'background');
      response.once('close', () => {
        cancel();
        remove(stream);
      });
      add(stream);
    },
    send: (data) => {
      const text = eventText(event, data);
      for (const stream of streams) {
        if (stream.isBehind) stream.waiting = text;
        else write(stream, text);
      }
    },
    count: () => streams.size,
    close: () => {
      for (const stream of streams) end(stream, 'stopping');
    },
  };
}

/** Sends the headers, those that are already set included. The stream is the last response of its connection. */
function begin(reply: FastifyReply): void {
  const { raw: response } = reply;
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    // Asks nginx not to collect the events.
    'x-accel-buffering': 'no',
  } as OutgoingHttpHeaders;
  response.writeHead(200, headers);
  // Events are small and rare: waiting for more of them would delay each.
  response.socket?.setNoDelay(true);
}

/** Writes to the reader unless its stream has ended, which Node would report as an error. Node keeps what the system does not take: one event at most, and the newest after it. */
function write(stream: Stream, text: string): void {
  const { response } = stream;
  if (response.writableEnded || response.destroyed) return;
  stream.isBehind = true;
  response.write(text, () => {
    const { waiting } = stream;
    stream.isBehind = false;
    stream.waiting = undefined;
    if (waiting !== undefined) write(stream, waiting);
  });
}

/** A reader that is behind is disconnected by the idle timeout of its connection, or at the end of a shutdown. */
function end({ response }: Stream, reason: StreamEnd['reason']): void {
  response.end(eventText('end', JSON.stringify({ reason } satisfies StreamEnd)));
}

/** The data must not contain line breaks, which JSON text escapes. */
function eventText(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
