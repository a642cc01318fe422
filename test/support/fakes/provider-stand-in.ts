import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export type StandInReply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | object;
      readonly delayMs?: number;
    }
  | { readonly fault: StandInFault; readonly status?: number; readonly body?: string };

/** `reset-unread`: before the body is read. `silent`: no response. `cut-answer`: half a body. `slow-headers`: half a line. */
type StandInFault = 'reset-unread' | 'silent' | keyof typeof FAULTS;

const FAULTS = {
  reset: ({ socket }: ServerResponse) => socket?.resetAndDestroy(),
  close: ({ socket }: ServerResponse) => socket?.end(),
  'cut-answer': (response: ServerResponse, status: number, body: string) => {
    response.writeHead(status, { 'content-length': String(body.length * 2) });
    response.write(body, () => response.socket?.destroySoon());
  },
  'slow-headers': ({ socket }: ServerResponse, status: number) => socket?.write(`HTTP/1.1 ${status} O`),
  endless: (response: ServerResponse, status: number) => pour(response.writeHead(status)),
};

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  /** Keys are names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export type ProviderStandIn = Awaited<ReturnType<typeof startProviderStandIn>>;

interface StandInOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The port to use, for example that of a stopped stand-in; any free one if absent. */
  readonly port?: number;
}

const emptyAnswer = (): StandInReply => ({ status: 200, body: {} });
const PIECE = Buffer.alloc(16_384, 0x20);

export async function startProviderStandIn(options: StandInOptions = {}) {
  const requests: StandInRequest[] = [];
  const sockets = new Set<Socket>();
  let scripted: StandInReply[] = [];
  let fallback: (request: StandInRequest) => StandInReply = emptyAnswer;
  let connections = 0;

  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const reply = scripted.shift();
    if (reply !== undefined && 'fault' in reply && reply.fault === 'reset-unread') {
      requests.push(received(incoming, Buffer.alloc(0)));
      incoming.socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('error', () => undefined);
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = received(incoming, Buffer.concat(chunks));
      requests.push(request);
      answer(reply ?? fallback(request), response);
    });
  };
  const server = options.tls === undefined ? createServer(serve) : createTlsServer({ ...options.tls }, serve);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    origin: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests: requests as readonly StandInRequest[],
    get connections() {
      return connections;
    },
    script: (...replies: readonly StandInReply[]): void => {
      scripted.push(...replies);
    },
    otherwise: (reply: StandInReply | ((request: StandInRequest) => StandInReply)): void => {
      fallback = typeof reply === 'function' ? reply : () => reply;
    },
    reset: (): void => {
      requests.length = 0;
      scripted = [];
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function received(incoming: IncomingMessage, body: Buffer): StandInRequest {
  const { method = '', url = '', headers } = incoming;
  return { method, path: url, headers: headers as Readonly<Record<string, string | undefined>>, body };
}

function answer(reply: StandInReply, response: ServerResponse): void {
  if ('fault' in reply) {
    const { fault, status = 200, body = '{"half":' } = reply;
    if (fault !== 'silent' && fault !== 'reset-unread') FAULTS[fault](response, status, body);
    return;
  }
  const { status, headers = {}, body = '', delayMs = 0 } = reply;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const write = (): void => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  };
  if (delayMs === 0) write();
  else setTimeout(write, delayMs);
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write(PIECE, (error) => {
    if (!error) setImmediate(() => pour(response));
  });
}

export function multipartParts(
  request: StandInRequest,
): readonly { readonly headers: Readonly<Record<string, string>>; readonly content: Buffer }[] {
  const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  const text = request.body.toString('latin1');
  const [preamble, ...rest] = text.split(`--${boundary}`);
  if (preamble !== '' || rest.at(-1) !== '--\r\n') throw new Error('not a multipart body');
  return rest.slice(0, -1).map((part) => {
    const end = part.indexOf('\r\n\r\n');
    const headers = Array.from(part.slice(2, end).split('\r\n'), (line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 2)] as const;
    });
    const content = Buffer.from(part.slice(end + 4, -2), 'latin1');
    return { headers: Object.fromEntries(headers), content };
  });
}
