import { connect, type Socket } from 'node:net';

/** A load whose requests are sent at fixed times, whether or not earlier ones have been answered. */
export interface OpenLoad {
  /** Address and path of the call. */
  readonly url: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** Connections are kept alive and opened as needed, up to this number; a request beyond it waits for one. */
  readonly connections: number;
  readonly body: string;
  /** Further header lines. */
  readonly headers?: readonly string[];
  /** The address from which the connections come, and which the server takes for the caller; default 127.0.0.1. */
  readonly from?: string;
  /** Calls without an answer this long after the last one was due have none. */
  readonly drainMs: number;
}

/** How the calls of a load ended. Latencies are in milliseconds from the time at which the call was due. */
export interface LoadReport {
  readonly calls: number;
  /** 200 or 202. */
  readonly answered: number;
  /** Those of them within a second. */
  readonly inTime: number;
  /** 503 with Retry-After. */
  readonly refused: number;
  /** Other responses, by status. */
  readonly other: Readonly<Record<string, number>>;
  /** Connections that ended before or within a response, or could not be opened, by error. */
  readonly broken: Readonly<Record<string, number>>;
  readonly unanswered: number;
  readonly answeredMs: Latencies;
  readonly refusedMs: Latencies;
  /** How late calls were sent because this process was late or had no connection: the part of it in all latencies. */
  readonly sentLateMs: Latencies;
}

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

interface Connection {
  readonly socket: Socket;
  /** When the current call was due, or undefined while none is in progress. */
  dueMs: number | undefined;
  received: Buffer;
}

const TICK_MS = 1;
/** A call that takes longer is of no use to its caller. */
const IN_TIME_MS = 1_000;
const SECOND_MS = 1_000;
const STATUS_AT = 9;
const STATUS_LENGTH = 3;
const NO_BYTES = Buffer.alloc(0);
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** Sends the load and resolves with its report when all calls have ended, or the drain time has passed. */
export async function runOpenLoad(load: OpenLoad): Promise<LoadReport> {
  const run = new OpenLoadRun(load);
  await run.ended;
  return run.report();
}

class OpenLoadRun {
  readonly ended: Promise<void>;
  readonly #load: OpenLoad;
  readonly #url: URL;
  readonly #bytes: Buffer;
  readonly #calls: number;
  readonly #startMs = performance.now();
  readonly #end = Promise.withResolvers<void>();
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #answeredMs: number[] = [];
  readonly #refusedMs: number[] = [];
  readonly #lateMs: number[] = [];
  readonly #other: Record<string, number> = {};
  readonly #broken: Record<string, number> = {};
  #sent = 0;
  #done = 0;

  constructor(load: OpenLoad) {
    this.#load = load;
    this.#url = new URL(load.url);
    this.#bytes = requestBytes(this.#url, load);
    this.#calls = Math.floor((load.perSecond * load.forMs) / SECOND_MS);
    this.ended = this.#end.promise;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  report(): LoadReport {
    return {
      calls: this.#calls,
      answered: this.#answeredMs.length,
      inTime: this.#answeredMs.filter((ms) => ms <= IN_TIME_MS).length,
      refused: this.#refusedMs.length,
      other: this.#other,
      broken: this.#broken,
      unanswered: this.#calls - this.#done,
      answeredMs: summarise(this.#answeredMs),
      refusedMs: summarise(this.#refusedMs),
      sentLateMs: summarise(this.#lateMs),
    };
  }

  /** Sends all calls that are due, as far as there are connections for them. */
  #tick(): void {
    const elapsedMs = performance.now() - this.#startMs;
    const { perSecond, forMs, drainMs, connections } = this.#load;
    const due = Math.min(this.#calls, Math.floor((elapsedMs * perSecond) / SECOND_MS));
    while (this.#sent < due) {
      const connection = this.#idle.pop();
      if (connection !== undefined) this.#send(connection);
      else if (this.#open.size < connections) this.#connect();
      else break;
    }
    const isOver = this.#done === this.#calls || elapsedMs > forMs + drainMs;
    if (!isOver) return;
    clearInterval(this.#timer);
    for (const { socket } of this.#open) socket.destroy();
    this.#end.resolve();
  }

  #connect(): void {
    const { hostname, port } = this.#url;
    const { from: localAddress = '127.0.0.1' } = this.#load;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, localAddress });
    const connection: Connection = { socket, dueMs: undefined, received: NO_BYTES };
    this.#open.add(connection);
    socket.on('error', (error: NodeJS.ErrnoException) => this.#lose(connection, error.code ?? 'error'));
    socket.on('close', () => this.#lose(connection, 'closed without a response'));
    socket.on('data', (chunk: Buffer) => this.#receive(connection, chunk));
    this.#send(connection);
  }

  #send(connection: Connection): void {
    this.#sent += 1;
    const dueMs = this.#startMs + (this.#sent * SECOND_MS) / this.#load.perSecond;
    this.#lateMs.push(performance.now() - dueMs);
    connection.dueMs = dueMs;
    connection.socket.write(this.#bytes);
  }

  #lose(connection: Connection, how: string): void {
    if (!this.#open.delete(connection)) return;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (connection.dueMs === undefined) return;
    this.#done += 1;
    count(this.#broken, how);
  }

  #receive(connection: Connection, chunk: Buffer): void {
    const { dueMs, received } = connection;
    const bytes = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    connection.received = bytes;
    const headEnd = bytes.indexOf(END_OF_HEAD);
    if (headEnd < 0) return;
    const head = bytes.toString('latin1', 0, headEnd).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (dueMs === undefined || bytes.length < headEnd + END_OF_HEAD.length + length) return;
    connection.received = NO_BYTES;
    connection.dueMs = undefined;
    this.#done += 1;
    const latencyMs = performance.now() - dueMs;
    const status = head.slice(STATUS_AT, STATUS_AT + STATUS_LENGTH);
    if (status === '200' || status === '202') this.#answeredMs.push(latencyMs);
    else if (status === '503' && head.includes('\r\nretry-after: ')) this.#refusedMs.push(latencyMs);
    else count(this.#other, status);
    if (head.includes('\r\nconnection: close')) this.#open.delete(connection);
    else this.#idle.push(connection);
  }
}

function requestBytes(url: URL, { body, headers = [] }: OpenLoad): Buffer {
  const lines = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function summarise(latencies: readonly number[]): Latencies {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
