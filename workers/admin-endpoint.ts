import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADMIN_BODY, ADMIN_PATH } from '../shared/messaging/log-protocol.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { errorText, SystemError } from '../shared/platform/errors.ts';
import type { Log } from '../shared/platform/log.ts';
import { removeAdminFile, writeAdminFile } from './admin-file.ts';
import { createLogCalls, type LogCalls } from './admin-log-calls.ts';

/** The largest message of ours (8 MiB) as base64, with headers. */
const MAX_BODY_BYTES = 16 * 1_024 * 1_024;
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 5_000;
/** One command uses one connection; a few may run side by side. */
const MAX_CONNECTIONS = 8;
const TOKEN_BYTES = 32;

export interface AdminEndpointOptions {
  readonly broker: Broker;
  readonly topicPrefix: string;
  /** Takes address and token; readable by the user of this process only. */
  readonly file: string;
  readonly log: Log;
}

export interface AdminEndpoint {
  readonly url: string;
  stop(): Promise<void>;
}

/** A call that is refused before it reaches the log. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Lets the commands of this machine's user work on the log of an embedded broker, which no other process can reach: an
 * HTTP server of its own on 127.0.0.1, whose port and random token stand in a file of mode 0600. It reads and writes the
 * topics that `npm run dead-letters` needs and no others. Answers undefined, with a warning in the log, where the file
 * cannot be written: the process serves without it.
 */
export async function startAdminEndpoint(options: AdminEndpointOptions): Promise<AdminEndpoint | undefined> {
  const { broker, topicPrefix, file, log } = options;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const calls = createLogCalls(broker, topicPrefix);
  const server = createServer((request, response) => {
    serve(request, calls, digest(token)).then(
      (body) => answer(response, 200, body),
      (error: unknown) => refuse(response, error, log),
    );
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  const stop = async (): Promise<void> => {
    removeAdminFile(file, token);
    await close(server);
    await calls.stop();
  };
  try {
    await listen(server);
    await calls.start();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeAdminFile(file, { url, token, pid: process.pid });
    return { url, stop };
  } catch (error) {
    log.warn({ file, reason: errorText(error) }, 'no admin endpoint: npm run dead-letters cannot be used');
    await stop();
    return undefined;
  }
}

async function serve(request: IncomingMessage, calls: LogCalls, token: Buffer): Promise<unknown> {
  if (!isAllowed(request, token)) throw new Refusal(401, 'the token of the admin file is needed');
  const path = request.url;
  if (path !== ADMIN_PATH.ranges && path !== ADMIN_PATH.read && path !== ADMIN_PATH.publish) {
    throw new Refusal(404, 'there is no such call');
  }
  if (request.method !== 'POST') throw new Refusal(405, 'calls are made by POST');
  const body = parse(await readAll(request));
  if (path === ADMIN_PATH.ranges) return calls.ranges(checked(ADMIN_BODY.rangesCall.safeParse(body)));
  if (path === ADMIN_PATH.read) return calls.read(checked(ADMIN_BODY.readCall.safeParse(body)));
  return calls.publish(checked(ADMIN_BODY.publishCall.safeParse(body)));
}

/** Compares digests, which have one length whatever was sent, in a time that tells nothing of the token. */
function isAllowed({ headers }: IncomingMessage, token: Buffer): boolean {
  const [, given = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  return timingSafeEqual(digest(given), token);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new Refusal(413, `a call has at most ${MAX_BODY_BYTES} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
}

function checked<T>(parsed: { success: true; data: T } | { success: false }): T {
  if (!parsed.success) throw new Refusal(400, 'the body does not have the shape of the call');
  return parsed.data;
}

function refuse(response: ServerResponse, error: unknown, log: Log): void {
  if (error instanceof Refusal) {
    answer(response, error.status, { code: 'refused', message: error.message, canRetry: false });
  } else if (error instanceof SystemError) {
    const { code, message, canRetry } = error;
    answer(response, 422, { code, message, canRetry });
  } else {
    log.error({ err: error }, 'a call of the admin endpoint failed');
    answer(response, 500, { code: 'unexpected', message: 'the call failed', canRetry: false });
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  // A body that was not read to its end would be taken for the next call.
  const ending = status === 200 ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...ending });
  response.end(JSON.stringify(body));
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
