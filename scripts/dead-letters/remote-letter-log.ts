import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import {
  ADMIN_BODY,
  ADMIN_PATH,
  adminFileShape,
  outgoingMessageJson,
  type AdminFile,
} from '../../shared/messaging/admin-endpoint-messages.ts';
import type { OffsetRange, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { OnRangeMessage, ReadOn } from '../../shared/messaging/ports.ts';
import { InfrastructureError, MessagingError } from '../../shared/platform/errors.ts';
import type { LetterLog } from '../../shared/dead-letters/letter-log.ts';

/** A healthy process responds within milliseconds; one that swaps or is stopped in a debugger does not. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Access to the embedded broker of a running process through its admin endpoint. Throws InfrastructureError with advice if
 * no such process runs.
 */
export function remoteLetterLog(file: string): LetterLog {
  const endpoint = readAdminFile(file);
  const call = <T extends z.ZodType>(path: string, body: unknown, shape: T) =>
    callEndpoint({ ...endpoint, file }, path, body, shape);
  const readRange = async (range: OffsetRange, onMessage: OnRangeMessage): Promise<ReadOn> => {
    for (let from = range.from; from < range.to;) {
      const { messages, next } = await call(
        ADMIN_PATH.read,
        { range: { ...range, from } },
        ADMIN_BODY.readAnswer,
      );
      for (const message of messages) {
        if ((await onMessage(message)) === 'stop') return 'stop';
      }
      from = next;
    }
    return 'more';
  };
  return {
    ranges: async (topics) => (await call(ADMIN_PATH.ranges, { topics }, ADMIN_BODY.rangesAnswer)).ranges,
    read: async (ranges, onMessage) => {
      for (const range of ranges) {
        if ((await readRange(range, onMessage)) === 'stop') return;
      }
    },
    publish: async (messages: readonly OutgoingMessage[]) => {
      await call(
        ADMIN_PATH.publish,
        { messages: messages.map(outgoingMessageJson) },
        ADMIN_BODY.publishAnswer,
      );
    },
    close: () => Promise.resolve(),
  };
}

function readAdminFile(file: string): AdminFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw noProcess(`there is no ${file}`);
  }
  try {
    return adminFileShape.parse(JSON.parse(text));
  } catch {
    throw noProcess(`${file} is not a valid admin file`);
  }
}

async function callEndpoint<T extends z.ZodType>(
  { url, token, file }: AdminFile & { readonly file: string },
  path: string,
  body: unknown,
  shape: T,
): Promise<z.infer<T>> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    answer = await response.json();
  } catch (error) {
    const failure = noProcess(`the process of ${file} does not respond at ${url}`, error);
    if (path !== ADMIN_PATH.publish) throw failure;
    // It may have stored the messages before the connection ended.
    throw new MessagingError('send-unknown', failure.message, { canRetry: true, cause: failure });
  }
  if (response.ok) return shape.parse(answer);
  const fault = ADMIN_BODY.fault.safeParse(answer);
  if (response.status === 401)
    throw noProcess(`the process that responds at ${url} is not the one that wrote ${file}`);
  const {
    code = 'unexpected',
    message = `the process responded with ${response.status}`,
    canRetry = false,
  } = fault.data ?? {};
  throw new MessagingError(code, message, { canRetry });
}

function noProcess(why: string, cause?: unknown): InfrastructureError {
  const advice =
    'KAFKA_BROKERS is not set, so the command requires a running `npm start` on this machine: start one in this folder ' +
    '(or set its DATA_DIR), or set KAFKA_BROKERS';
  return new InfrastructureError('no-process', `${why}. ${advice}`, cause);
}
