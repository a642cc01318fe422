import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the parser sets the headers: names and values in turn. */
const { _addHeaderLines: addHeaderLines } = IncomingMessage.prototype as unknown as {
  readonly _addHeaderLines: (this: IncomingMessage, lines: readonly string[], count: number) => void;
};
const HEAD_END = '\r\n\r\n';

/** Uses no socket and, unlike fastify's inject(), no turn of the event loop. Rejects when the connection is closed. */
export function inject(app: FastifyInstance, call: Call): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const written: Buffer[] = [];
  const connection = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      done();
    },
  });
  const socket = Object.assign(connection, { remoteAddress: '127.0.0.1' }) as unknown as Socket;
  const request = createRequest(socket, call);
  const response = new ServerResponse(request);
  // Chunks are for clients that read while the response is written.
  response.useChunkedEncodingByDefault = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    resolve(readAnswer(Buffer.concat(written)));
    process.nextTick(() => response.emit('close'));
  });
  connection.once('close', () => reject(new Error('the connection was closed without a response')));
  app.server.emit('request', request, response);
  return promise;
}

function createRequest(socket: Socket, { method, url, headers, body }: Call): IncomingMessage {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    host: '127.0.0.1',
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  };
  const lines = Object.entries(all).flat();
  const request = new IncomingMessage(socket);
  addHeaderLines.call(request, lines, lines.length);
  Object.assign(request, { method, url, httpVersionMajor: 1, httpVersionMinor: 1, httpVersion: '1.1' });
  if (body !== undefined) request.push(text);
  request.complete = true;
  request.push(null);
  return request;
}

function readAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf(HEAD_END);
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: bytes.subarray(end + HEAD_END.length).toString('utf8'),
  };
}
