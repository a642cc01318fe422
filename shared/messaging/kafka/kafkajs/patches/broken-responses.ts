import type { Socket } from 'node:net';
import { kafkajsModule, replaceFunction } from './internals.ts';

const MIB = 1_024 * 1_024;
const BROKEN_RESPONSE = 'ERR_BROKEN_RESPONSE';
const LENGTH_BYTES = 4;
const CORRELATION_ID_BYTES = 4;
/**
 * Largest response: a fetch returns at most 2 MiB or one whole record batch, which has 8 MiB at most on our topics; topics of
 * other systems may allow more. A greater length is corrupt, and must not exhaust the memory of the process.
 */
export const MAX_RESPONSE_BYTES = 64 * MIB;

/** A broker's throttle times are a few seconds at most (its quota windows); kafkajs would pause for up to 24 days. */
const MAX_THROTTLE_MS = 60_000;

/**
 * The error of an invalid response. kafkajs retries a request that failed with it, unlike one with a RangeError or TypeError,
 * which it treats as a bug.
 */
export function brokenResponse(what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? `${what}: ${cause.message}` : what;
  return Object.assign(new Error(reason, { cause }), { code: BROKEN_RESPONSE });
}

export function isBrokenResponse(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === BROKEN_RESPONSE;
}

/** Splits the bytes of one connection into responses. Each starts with its length in four bytes. */
export class ResponseFrames {
  #pieces: Buffer[] = [];
  #buffered = 0;
  #needed = LENGTH_BYTES;

  /** Whether a part of the next response has arrived. */
  get isPartial(): boolean {
    return this.#buffered > 0;
  }

  /** Adds bytes and returns the responses that they complete, each with its length. Throws on an invalid length. */
  push(bytes: Buffer): Buffer[] {
    this.#pieces.push(bytes);
    this.#buffered += bytes.length;
    if (this.#buffered < this.#needed) return [];
    const all = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces, this.#buffered);
    const frames: Buffer[] = [];
    let at = 0;
    this.#needed = LENGTH_BYTES;
    while (all.length - at >= LENGTH_BYTES) {
      const length = all.readInt32BE(at);
      if (length < 0 || length > MAX_RESPONSE_BYTES) throw brokenResponse(`a length of ${length} bytes`);
      const size = LENGTH_BYTES + length;
      if (all.length - at < size) {
        this.#needed = size;
        break;
      }
      frames.push(all.subarray(at, at + size));
      at += size;
    }
    this.#buffered = all.length - at;
    this.#pieces = this.#buffered === 0 ? [] : [all.subarray(at)];
    return frames;
  }
}

interface SocketRequest {
  readonly correlationId: number;
  readonly expectResponse: boolean;
}

interface RequestQueue {
  readonly inflight: ReadonlyMap<number, unknown>;
}

interface Response {
  readonly decode: (raw: Buffer) => Promise<unknown>;
}

interface Connection {
  readonly broker: string;
  readonly requestTimeout: number;
  readonly requestQueue: RequestQueue;
  readonly authHandlers: { onError: () => void } | null;
  readonly authExpectResponse: boolean;
  socket?: Socket;
  chunks: Buffer[];
  bytesBuffered: number;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
}

interface ConnectionPrototype {
  connect: (this: Connection) => Promise<boolean>;
  processData: (this: Connection, data: Buffer) => unknown;
  send: (this: Connection, protocol: { readonly response: Response }) => Promise<unknown>;
}

interface QueuePrototype {
  sendSocketRequest: (this: RequestQueue, request: SocketRequest) => void;
}

/** The state of a connection since it was last opened. */
interface Session {
  readonly frames: ResponseFrames;
  /** Unanswered requests in the order of sending, including those that kafkajs has given up. */
  readonly unanswered: number[];
  /** Runs while a response is incomplete. */
  timer: NodeJS.Timeout | undefined;
}

/** Keyed by the request queue, of which each connection has its own. */
const sessions = new WeakMap<RequestQueue, Session>();
const connecting = new WeakMap<Connection, Promise<boolean>>();

/**
 * Isolates connections from each other, so that an invalid response closes only its own connection. After a reset kafkajs
 * appends the bytes of the new connection to those of an incomplete response, lets parse errors escape as uncaught exceptions,
 * and accepts a response to any request with its correlation id. Here
 * - each connection starts without buffered bytes, and its previous socket is destroyed;
 * - a response closes its connection when its length is negative or beyond MAX_RESPONSE_BYTES, when it does not answer the
 *   oldest request (a broker answers in the order of requests), when it does not end within the request timeout, or when it
 *   cannot be decoded. All requests of the connection fail with an error that kafkajs retries.
 */
export function guardConnections(): void {
  const { prototype } = kafkajsModule('network/connection') as { prototype: ConnectionPrototype };
  replaceFunction(prototype, 'connect', function connectOnce(connect) {
    if (this.isConnected()) return connect.call(this);
    const pending = connecting.get(this);
    if (pending !== undefined) return pending;
    const started = startSession(this, connect);
    connecting.set(this, started);
    const forget = () => {
      if (connecting.get(this) === started) connecting.delete(this);
    };
    started.then(forget, forget);
    return started;
  });
  replaceFunction(prototype, 'processData', function processFrames(processData, data) {
    const session = sessions.get(this.requestQueue);
    // Unguarded: a connection from before this patch, or a login without framing, as brokers before Kafka 1.0 use it.
    if (session === undefined || (this.authHandlers !== null && !this.authExpectResponse)) {
      return processData.call(this, data);
    }
    try {
      for (const frame of session.frames.push(data)) {
        acceptFrame(this, session, frame);
        processData.call(this, frame);
      }
      limitTime(this, session);
    } catch (error) {
      closeBroken(this, error);
    }
    return undefined;
  });
  replaceFunction(prototype, 'send', function sendAndDecode(send, protocol) {
    const decode = (raw: Buffer) => decodeOrClose(this, protocol.response, raw);
    return send.call(this, { ...protocol, response: { ...protocol.response, decode } });
  });
  const queue = (kafkajsModule('network/requestQueue') as { prototype: QueuePrototype }).prototype;
  replaceFunction(queue, 'sendSocketRequest', function sendInOrder(sendSocketRequest, request) {
    if (request.expectResponse) sessions.get(this)?.unanswered.push(request.correlationId);
    sendSocketRequest.call(this, request);
  });
  checkLengths((kafkajsModule('protocol/decoder') as { prototype: DecoderPrototype }).prototype);
}

function startSession(
  connection: Connection,
  connect: (this: Connection) => Promise<boolean>,
): Promise<boolean> {
  connection.socket?.destroy();
  connection.authHandlers?.onError();
  const session: Session = { frames: new ResponseFrames(), unanswered: [], timer: undefined };
  sessions.set(connection.requestQueue, session);
  const connected = connect.call(connection);
  const { socket } = connection;
  socket?.once('close', () => {
    clearTimeout(session.timer);
    if (connection.socket !== socket) return;
    connecting.delete(connection);
    // kafkajs accepts requests until it notices the end of the connection, and would never settle them.
    if (connection.requestQueue.inflight.size > 0) {
      connection.rejectRequests(new Error(`the connection to ${connection.broker} was closed`));
    }
  });
  return connected;
}

function acceptFrame(connection: Connection, session: Session, frame: Buffer): void {
  clearTimeout(session.timer);
  session.timer = undefined;
  if (connection.authHandlers === null) requireOldestRequest(session, frame);
  // kafkajs keeps the empty rest of the previous frame, and would copy this frame to append it.
  connection.chunks = [];
  connection.bytesBuffered = 0;
}

function requireOldestRequest(session: Session, frame: Buffer): void {
  if (frame.length < LENGTH_BYTES + CORRELATION_ID_BYTES) throw brokenResponse('it has no correlation id');
  const answered = frame.readInt32BE(LENGTH_BYTES);
  const oldest = session.unanswered.shift();
  if (answered !== oldest) throw brokenResponse('it does not answer the oldest request');
}

/** Starts the time limit for the rest of an incomplete response. */
function limitTime({ socket, requestTimeout }: Connection, session: Session): void {
  if (!session.frames.isPartial || session.timer !== undefined) return;
  const timer = setTimeout(() => {
    // After a blocked event loop timers run before the bytes that have arrived meanwhile are read.
    setImmediate(() => {
      if (session.timer === timer) socket?.destroy(brokenResponse('it is incomplete'));
    });
  }, requestTimeout).unref();
  session.timer = timer;
}

async function decodeOrClose(connection: Connection, response: Response, raw: Buffer): Promise<unknown> {
  const { socket } = connection;
  try {
    const decoded = await response.decode(raw);
    const { clientSideThrottleTime = 0 } = decoded as { readonly clientSideThrottleTime?: number };
    if (clientSideThrottleTime > MAX_THROTTLE_MS)
      throw brokenResponse(`a throttle time of ${clientSideThrottleTime} ms`);
    return decoded;
  } catch (error) {
    // An error class of kafkajs means that the response is valid, for example with an unknown codec.
    if (isOfKafkajs(error)) throw error;
    const broken = isBrokenResponse(error) ? error : brokenResponse('it cannot be decoded', error);
    socket?.destroy(broken as Error);
    throw broken;
  }
}

function isOfKafkajs(error: unknown): boolean {
  const { name } = error as Error;
  return name.startsWith('KafkaJS') && !name.startsWith('KafkaJSInvalid');
}

function closeBroken({ socket }: Connection, error: unknown): void {
  socket?.destroy(isBrokenResponse(error) ? (error as Error) : brokenResponse('it cannot be read', error));
}

interface Decoder {
  readonly buffer: Buffer;
  readonly offset: number;
}

type DecoderPrototype = Record<
  (typeof READERS | typeof ARRAY_READERS)[number],
  (this: Decoder, ...rest: unknown[]) => unknown
>;

/**
 * Readers of values that start with their length. kafkajs does not check the length: the readers return a shorter value, or
 * move backwards. Readers of record fields are not listed, since record batches have a checksum.
 */
const READERS = ['readString', 'readBytes'] as const;
const ARRAY_READERS = ['readArray', 'readArrayAsync'] as const;

function checkLengths(prototype: DecoderPrototype): void {
  for (const name of READERS) {
    replaceFunction(prototype, name, function readWithin(read, ...rest) {
      const from = this.offset;
      const value = read.apply(this, rest);
      if (this.offset < from || this.offset > this.buffer.length) {
        throw brokenResponse('a length exceeds the response');
      }
      return value;
    });
  }
  for (const name of ARRAY_READERS) {
    replaceFunction(prototype, name, function readItemsWithin(read, ...rest) {
      const items = this.buffer.readInt32BE(this.offset);
      // Each item takes at least a byte; kafkajs allocates an array of the stated length.
      if (items > this.buffer.length - this.offset) throw brokenResponse('more items than bytes');
      return read.apply(this, rest);
    });
  }
}
