import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import type { z } from 'zod';
import {
  ADMIN_BODY,
  ADMIN_PATH,
  adminFileShape,
  logMessageJson,
  type AdminFile,
} from '../shared/messaging/admin-endpoint-messages.ts';
import type { LogMessage, OffsetRange, OutgoingMessage } from '../shared/messaging/message.ts';
import type { Broker, Publisher } from '../shared/messaging/ports.ts';
import { DEAD_LETTER_TOPICS, topicName, topicNames, WORK_TOPICS } from '../shared/messaging/topics/topics.ts';
import { errorText, MessagingError, SystemError } from '../shared/platform/errors.ts';
import { closeServer, createServer, listen } from '../shared/platform/http-server.ts';
import type { Log } from '../shared/platform/log.ts';

/** Allows for the largest message (8 MiB) as base64, with headers. */
const MAX_BODY_BYTES = 16 * 1_024 * 1_024;
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 5_000;
/** Each command uses one connection; a few may run at the same time. */
const MAX_CONNECTIONS = 8;
const TOKEN_BYTES = 32;
/** Only the user of this process can read the token. */
const FILE_MODE = 0o600;
/** Size limit of a response of `read`, which contains at least one message. */
const MAX_READ_BYTES = 1_024 * 1_024;
const MAX_READ_MESSAGES = 500;

export interface AdminEndpointOptions {
  readonly broker: Broker;
  readonly topicPrefix: string;
  /** The file with address and token, readable only by the user of this process. */
  readonly file: string;
  readonly log: Log;
}

export interface AdminEndpoint {
  readonly url: string;
  stop(): Promise<void>;
}

/** The calls by their path; each parses its body. */
type Calls = Readonly<Record<string, (body: unknown) => Promise<unknown>>>;

/** A call that is refused before it accesses the broker. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Starts an HTTP server on 127.0.0.1 for commands that access an embedded broker, which other processes cannot reach. Its
 * port and random token are in a file of mode 0600. It reads and writes only the topics that `npm run dead-letters` needs.
 * Logs a warning and resolves to undefined when the file cannot be written.
 */
export async function startAdminEndpoint(options: AdminEndpointOptions): Promise<AdminEndpoint | undefined> {
  const { broker, topicPrefix, file, log } = options;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const publisher = broker.createPublisher({ clientId: 'admin-endpoint' });
  const calls = createCalls(broker, publisher, topicPrefix);
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
    await closeServer(server);
    await publisher.stop();
  };
  try {
    const url = await listen(server, '127.0.0.1', 0);
    await publisher.start();
    writeAdminFile(file, { url, token, pid: process.pid });
    return { url, stop };
  } catch (error) {
    log.warn(
      { file, reason: errorText(error) },
      'the admin endpoint is not available: npm run dead-letters cannot be used',
    );
    await stop();
    return undefined;
  }
}

/**
 * Creates the calls. Dead letters, their audit and work topics can be read; audit and work topics, and the states of notifications, can be written. All other
 * topics are refused with MessagingError `topic-refused`.
 */
function createCalls(broker: Broker, publisher: Publisher, topicPrefix: string): Calls {
  const audit = topicName(topicPrefix, 'deadLetterAudit');
  const outcomes = topicName(topicPrefix, 'notificationOutcomes');
  const readable = new Set([...topicNames(topicPrefix, [...WORK_TOPICS, ...DEAD_LETTER_TOPICS]), audit]);
  const writable = new Set([...topicNames(topicPrefix, WORK_TOPICS), audit, outcomes]);
  return {
    [ADMIN_PATH.ranges]: async (body) => {
      const { topics } = parseCall(ADMIN_BODY.rangesCall, body);
      for (const topic of topics) allow(readable, topic);
      const counts = await broker.admin.partitionCounts(topics);
      const ranges = await Promise.all([...counts.keys()].map((topic) => readRetained(broker, topic)));
      return { ranges: ranges.flat() };
    },
    [ADMIN_PATH.read]: async (body) => {
      const { range } = parseCall(ADMIN_BODY.readCall, body);
      allow(readable, range.topic);
      return readStep(broker, range);
    },
    [ADMIN_PATH.publish]: async (body) => {
      const { messages } = parseCall(ADMIN_BODY.publishCall, body);
      for (const { topic } of messages) allow(writable, topic);
      await publisher.publish(
        messages.map(({ partition, ...rest }): OutgoingMessage =>
          partition === undefined ? rest : { ...rest, partition },
        ),
      );
      return {};
    },
  };
}

function parseCall<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw new Refusal(400, 'the body does not match the schema of the call');
  return parsed.data;
}

function allow(topics: ReadonlySet<string>, topic: string): void {
  if (topics.has(topic)) return;
  const text = `the admin endpoint does not allow this access to ${topic}`;
  throw new MessagingError('topic-refused', text, { canRetry: false });
}

/** Reads the retained offsets of each partition of a topic. */
async function readRetained(broker: Broker, topic: string): Promise<OffsetRange[]> {
  const offsets = await broker.admin.offsets(topic);
  return offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
}

async function readStep(broker: Broker, range: OffsetRange) {
  const messages: LogMessage[] = [];
  let bytes = 0;
  const isFull = (): boolean => bytes >= MAX_READ_BYTES || messages.length >= MAX_READ_MESSAGES;
  await broker.readRanges([range], (message) => {
    messages.push(message);
    bytes += message.value?.length ?? 0;
    return isFull() ? 'stop' : 'more';
  });
  const last = messages.at(-1);
  const next = isFull() && last !== undefined ? last.offset + 1 : range.to;
  return { messages: messages.map(logMessageJson), next };
}

async function serve(request: IncomingMessage, calls: Calls, token: Buffer): Promise<unknown> {
  if (!isAllowed(request, token)) throw new Refusal(401, 'the token of the admin file is required');
  const url = request.url ?? '';
  const call = Object.hasOwn(calls, url) ? calls[url] : undefined;
  if (call === undefined) throw new Refusal(404, 'there is no such call');
  if (request.method !== 'POST') throw new Refusal(405, 'calls are made by POST');
  return call(parseJson(await readBody(request)));
}

/** Compares digests of equal length in constant time, so that timing reveals nothing about the token. */
function isAllowed({ headers }: IncomingMessage, token: Buffer): boolean {
  const [, given = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  return timingSafeEqual(digest(given), token);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new Refusal(413, `the body of a call may have at most ${MAX_BODY_BYTES} bytes`);
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

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
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
  // Otherwise the unread rest of a body would be parsed as the next call.
  const ending = status === 200 ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...ending });
  response.end(JSON.stringify(body));
}

/**
 * Writes the address file atomically by a rename, so that it never exists with other permissions or partial content.
 * Replaces the file of an earlier process. Throws when it cannot be written.
 */
function writeAdminFile(file: string, content: AdminFile): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: FILE_MODE, flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes the file unless another process has replaced it. Never throws, since its token is no longer valid. */
function removeAdminFile(file: string, token: string): void {
  try {
    const read = adminFileShape.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (read.success && read.data.token === token) rmSync(file, { force: true });
  } catch {
    // It no longer exists.
  }
}
