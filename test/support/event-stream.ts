import { request, type IncomingMessage } from 'node:http';

/** An event as it arrived; `event` is absent for comments. */
export interface ReceivedEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** A reader of server-sent events. */
export interface EventStreamReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The body of a response that is not a stream. */
  readonly body: () => string;
  /** Events in the order of their arrival. */
  readonly events: readonly ReceivedEvent[];
  /** Comments, without their colon. */
  readonly comments: readonly string[];
  /** Resolves when the server has ended the stream; rejects when its connection was reset. */
  readonly ended: Promise<void>;
  /** Stops reading; the system buffers what arrives until its buffers are full. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a stream with a connection of its own. Resolves with its headers. */
export function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStreamReader> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false });
    sent.once('error', reject);
    sent.once('response', (response) => resolve(read(response)));
    sent.end();
  });
}

function read(response: IncomingMessage): EventStreamReader {
  const events: ReceivedEvent[] = [];
  const comments: string[] = [];
  let rest = '';
  let all = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    all += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block.slice(1).trim());
      else if (!block.startsWith('retry:')) events.push(parse(block));
    }
  });
  const ended = new Promise<void>((resolve, reject) => {
    response.once('end', resolve);
    response.once('error', reject);
  });
  // A test that does not wait for the end must not fail by it.
  ended.catch(() => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: () => all,
    events,
    comments,
    ended,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void response.destroy(),
  };
}

function parse(block: string): ReceivedEvent {
  const lines = block.split('\n');
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { event: field('event'), data: field('data') ?? '' };
}
