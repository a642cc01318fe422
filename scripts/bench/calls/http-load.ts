import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpCall } from '../samples.ts';

/** A keep-alive HTTP/1.1 client on plain sockets, which burdens the server under test as little as possible. */
export interface HttpLoad {
  /**
   * Sends the request on the connection of the slot; resolves with the size of the body when the response is complete.
   * Rejects unless the status is 200 or 202.
   */
  request(slot: number): Promise<number>;
  /**
   * The same, but repeats a request that the server could not answer for the moment (5xx), which is part of its latency.
   * Rejects after ANSWER_LIMIT_MS.
   */
  requestUntilAnswered(slot: number, onRefused?: () => void): Promise<number>;
  close(): void;
}

/** A caller repeats a refused request after this time. */
const REPEAT_MS = 20;
/** A server that refuses a request for so long has failed. */
const ANSWER_LIMIT_MS = 60_000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const NO_BYTES = Buffer.alloc(0);
const STATUS_OK = Buffer.from('HTTP/1.1 20');
/** 503, or what Spring answers when a reply is late. */
const STATUS_REFUSED = Buffer.from('HTTP/1.1 5');
const LENGTH = /content-length: (\d+)/i;

/** Opens one connection per slot to `url` and prepares the bytes of each slot once. */
export async function openHttpLoad(
  url: URL,
  call: Pick<HttpCall, 'body' | 'headers'>,
  slots: number,
): Promise<HttpLoad> {
  const requests = Array.from({ length: slots }, (_, slot) => bytesOf(url, call, slot));
  const connections = await Promise.all(Array.from({ length: slots }, () => openConnection(url)));
  /** A server closes connections that are idle for a long time; the slot then opens a new one, as any client would. */
  const reopen = async (slot: number): Promise<number> => {
    const connection = await openConnection(url);
    connections[slot] = connection;
    return connection.send(requests[slot] ?? NO_BYTES);
  };
  const request = (slot: number): Promise<number> => {
    const connection = connections[slot];
    if (connection === undefined) throw new RangeError(`there is no slot ${slot}`);
    return connection.socket.destroyed || connection.socket.readableEnded
      ? reopen(slot)
      : connection.send(requests[slot] ?? NO_BYTES);
  };
  return {
    request,
    requestUntilAnswered: async (slot, onRefused) => {
      const giveUpAtMs = performance.now() + ANSWER_LIMIT_MS;
      for (;;) {
        try {
          return await request(slot);
        } catch (error) {
          if (!isRefusal(error) || performance.now() > giveUpAtMs) throw error;
          onRefused?.();
          await pause(REPEAT_MS);
        }
      }
    },
    close: () => {
      for (const connection of connections) connection.socket.destroy();
    },
  };
}

function bytesOf(url: URL, call: Pick<HttpCall, 'body' | 'headers'>, slot: number): Buffer {
  const body = typeof call.body === 'string' ? call.body : call.body(slot);
  const lines = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(call.headers ?? []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Whether a request was rejected because the server could not answer it for the moment. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.cause === REFUSAL;
}

const REFUSAL = 'refused';

function startsWith(answer: Buffer, beginning: Buffer): boolean {
  return answer.compare(beginning, 0, beginning.length, 0, beginning.length) === 0;
}

async function openConnection(url: URL): Promise<{ socket: Socket; send(bytes: Buffer): Promise<number> }> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let waiting: { resolve: (bytes: number) => void; reject: (error: Error) => void } | undefined;
  let received = Buffer.alloc(0);
  const fail = (error: Error): void => {
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const headEnd = received.indexOf(END_OF_HEAD);
    if (headEnd < 0) return;
    const announced = LENGTH.exec(received.toString('latin1', 0, headEnd))?.[1];
    // An error of Spring is chunked: its connection is not read further, and the slot opens another one.
    if (announced === undefined) socket.destroy();
    const length = Number(announced ?? 0);
    if (received.length < headEnd + END_OF_HEAD.length + length) return;
    const answer = received;
    received = Buffer.alloc(0);
    if (!startsWith(answer, STATUS_OK)) {
      const cause = startsWith(answer, STATUS_REFUSED) ? REFUSAL : undefined;
      fail(new Error(`unexpected answer: ${answer.toString('utf8', 0, 400)}`, { cause }));
      return;
    }
    const current = waiting;
    waiting = undefined;
    current?.resolve(length);
  });
  return {
    socket,
    send: (bytes) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection is closed'));
        waiting = { resolve, reject };
        socket.write(bytes);
      }),
  };
}
