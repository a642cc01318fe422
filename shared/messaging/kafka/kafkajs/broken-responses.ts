import type { Socket } from 'node:net';
import { kafkajsModule, replaceFunction } from './internals.ts';

const MIB = 1_024 * 1_024;
const BROKEN_RESPONSE = 'ERR_BROKEN_RESPONSE';
const LENGTH_BYTES = 4;
const CORRELATION_ID_BYTES = 4;
/**
 * Largest response: a fetch returns at most 2 MiB or one whole record batch, which has 8 MiB at most on our topics; topics of
 * other systems may allow more. A greater length is damaged, and must not exhaust the memory of the process.
 */
export const MAX_RESPONSE_BYTES = 64 * MIB;

/**
 * A broker requests pauses of seconds at most (its quota windows); kafkajs would pause for whatever it reads, up to 24 days.
 */
const MAX_THROTTLE_MS = 60_000;

/**
 * The error of an invalid response. kafkajs retries a request that failed with it: it is not one of the errors (RangeError,
 * TypeError) that kafkajs treats as its own bugs.
 */
export function brokenResponse(what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? `${what}: ${cause.message}` : what;
  return Object.assign(new Error(reason, { cause }), { code: BROKEN_RESPONSE });
}

export function isBrokenResponse(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === BROKEN_RESPONSE;
}

/** Splits the bytes of one connection into responses: a length of four bytes, then that number of bytes. */
export class ResponseFrames {
  #pieces: Buffer[] = [];
  #buffered = 0;
  #needed = LENGTH_BYTES;

  /** Whether a response has begun and has not ended. */
  get isPartial(): boolean {
    return this.#buffered > 0;
  }

  /** Adds bytes; returns the responses that they complete, each with its length. Throws on an invalid length. */
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

/** State of one life of a connection, from connecting to its end. */
interface Life {
  readonly frames: ResponseFrames;
  /** Unanswered requests in the order of sending, including those that kafkajs has given up. */
  readonly unanswered: number[];
  /** Runs while a response has begun and has not ended. */
  timer: NodeJS.Timeout | undefined;
}

/** Keyed by the queue: it belongs to one connection permanently. */
const lives = new WeakMap<RequestQueue, Life>();
const connecting = new WeakMap<Connection, Promise<boolean>>();

/**
 * Isolates each connection from what a broken one leaves behind, and makes an invalid response end only its own connection.
 * kafkajs parses the bytes of a new connection behind those of a response that a reset cut off, lets parse errors escape as
 * uncaught exceptions, and delivers a response to any request of that number. Here
 * - each connection begins without bytes, and the socket before it is closed;
 * - a response whose length is negative or beyond MAX_RESPONSE_BYTES, that answers another request than the oldest one (a
 *   broker answers in the order of requests), that does not end within the request time-out, or that cannot be decoded
 *   closes its connection. All its requests fail with an error on which kafkajs retries.
 */
export function guardConnections(): void {
  const { prototype } = kafkajsModule('network/connection') as { prototype: ConnectionPrototype };
  replaceFunction(prototype, 'connect', function connectAnew(connect) {
    if (this.isConnected()) return connect.call(this);
    const pending = connecting.get(this);
    if (pending !== undefined) return pending;
    const begun = beginLife(this, connect);
    connecting.set(this, begun);
    const forget = () => {
      if (connecting.get(this) === begun) connecting.delete(this);
    };
    begun.then(forget, forget);
    return begun;
  });
  replaceFunction(prototype, 'processData', function processFrames(processData, data) {
    const life = lives.get(this.requestQueue);
    // A connection made before the guard, or a login without framing, as brokers before Kafka 1.0 use it.
    if (life === undefined || (this.authHandlers !== null && !this.authExpectResponse)) {
      return processData.call(this, data);
    }
    try {
      for (const frame of life.frames.push(data)) {
        expectAnswer(this, life, frame);
        processData.call(this, frame);
      }
      limitTime(this, life);
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
    // Before the call: a request without a response is forgotten within it.
    if (request.expectResponse) lives.get(this)?.unanswered.push(request.correlationId);
    sendSocketRequest.call(this, request);
  });
  boundDecoders((kafkajsModule('protocol/decoder') as { prototype: DecoderPrototype }).prototype);
}

function beginLife(
  connection: Connection,
  connect: (this: Connection) => Promise<boolean>,
): Promise<boolean> {
  connection.socket?.destroy();
  connection.authHandlers?.onError();
  const life: Life = { frames: new ResponseFrames(), unanswered: [], timer: undefined };
  lives.set(connection.requestQueue, life);
  const connected = connect.call(connection);
  const { socket } = connection;
  socket?.once('close', () => {
    clearTimeout(life.timer);
    if (connection.socket !== socket) return;
    connecting.delete(connection);
    // kafkajs accepts requests until it notices the end; otherwise they would never be settled.
    if (connection.requestQueue.inflight.size > 0) {
      connection.rejectRequests(new Error(`the connection to ${connection.broker} was closed`));
    }
  });
  return connected;
}

function expectAnswer(connection: Connection, life: Life, frame: Buffer): void {
  clearTimeout(life.timer);
  life.timer = undefined;
  if (connection.authHandlers === null) expectOldest(life, frame);
  // kafkajs keeps the empty rest of the previous frame, and would copy the frame to append it.
  connection.chunks = [];
  connection.bytesBuffered = 0;
}

function expectOldest(life: Life, frame: Buffer): void {
  if (frame.length < LENGTH_BYTES + CORRELATION_ID_BYTES) throw brokenResponse('no correlation id');
  const answered = frame.readInt32BE(LENGTH_BYTES);
  const oldest = life.unanswered.shift();
  if (answered !== oldest) throw brokenResponse('it answers another request than the oldest one');
}

/** A response that has begun must end within the request time-out. */
function limitTime({ socket, requestTimeout }: Connection, life: Life): void {
  if (!life.frames.isPartial || life.timer !== undefined) return;
  const timer = setTimeout(() => {
    // After a blocked event loop timers run before the bytes that have arrived meanwhile are read.
    setImmediate(() => {
      if (life.timer === timer) socket?.destroy(brokenResponse('it does not end'));
    });
  }, requestTimeout).unref();
  life.timer = timer;
}

async function decodeOrClose(connection: Connection, response: Response, raw: Buffer): Promise<unknown> {
  const { socket } = connection;
  try {
    const decoded = await response.decode(raw);
    const { clientSideThrottleTime = 0 } = decoded as { readonly clientSideThrottleTime?: number };
    if (clientSideThrottleTime > MAX_THROTTLE_MS)
      throw brokenResponse(`a pause of ${clientSideThrottleTime} ms`);
    return decoded;
  } catch (error) {
    // kafkajs throws its own errors for valid responses, for example for an unknown codec.
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
 * Readers of lengths, which kafkajs does not compare with the available bytes: they return a shorter value, or move back. The
 * readers of record fields are not among them: a record batch has a checksum.
 */
const READERS = ['readString', 'readBytes'] as const;
const ARRAY_READERS = ['readArray', 'readArrayAsync'] as const;

function boundDecoders(prototype: DecoderPrototype): void {
  for (const name of READERS) {
    replaceFunction(prototype, name, function readWithin(read, ...rest) {
      const from = this.offset;
      const value = read.apply(this, rest);
      if (this.offset < from || this.offset > this.buffer.length) {
        throw brokenResponse('a length leads out of the response');
      }
      return value;
    });
  }
  for (const name of ARRAY_READERS) {
    replaceFunction(prototype, name, function readItemsWithin(read, ...rest) {
      const items = this.buffer.readInt32BE(this.offset);
      // Each item takes a byte at least; kafkajs makes room for as many as the response claims.
      if (items > this.buffer.length - this.offset) throw brokenResponse('more items than bytes');
      return read.apply(this, rest);
    });
  }
}
