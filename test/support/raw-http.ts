import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 5_000;
const POLL_MS = 5;

/** Connects to a port on loopback. A connection error counts as the end of the connection. */
export async function openRawHttp(port: number) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let ended = false;
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (ended = true));
  await new Promise((resolve) => socket.once('connect', resolve));
  const wait = async (done: () => boolean, limitMs: number): Promise<void> => {
    const endsAt = performance.now() + limitMs;
    while (!done()) {
      if (performance.now() > endsAt)
        throw new Error(`timed out after ${limitMs} ms; received so far: ${text}`);
      await sleep(POLL_MS);
    }
  };
  return {
    socket,
    send: (data: string | Uint8Array) => void socket.write(data),
    /** The received text, once it satisfies `until` or the connection has ended; throws after the time limit. */
    received: async (until: (text: string) => boolean, limitMs = LIMIT_MS) => {
      await wait(() => ended || until(text), limitMs);
      return text;
    },
    /** Resolves when the other side has closed the connection; throws after the time limit. */
    closed: (limitMs = LIMIT_MS) => wait(() => ended, limitMs),
  };
}

export function hasBody(text: string): boolean {
  const found = /\r\ncontent-length: (\d+)\r\n/i.exec(text);
  const start = text.indexOf('\r\n\r\n');
  return found !== null && start >= 0 && text.length - start - 4 >= Number(found[1]);
}
