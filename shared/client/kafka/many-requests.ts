/** Many requests in few messages, with a bounded number of messages in flight (docs/bulk-events.md). */
import type { RequestOf, ReplyOf } from '../actions.ts';
import {
  aboutReply,
  MESSAGE_HEADER,
  readReplyValue,
  REQUEST_MESSAGES,
  textHeader,
  type ValueReader,
} from './messages.ts';
import type { AnswerWarning } from '../answer.ts';
import { wait } from '../client-system.ts';
import { EngineError, type ProblemDocument } from '../engine-error.ts';
import type { Exchanges } from './exchange.ts';
import type { KafkaClientSystem } from './kafka-system.ts';

/** The actions that the bulk topic takes. */
export type BulkAction = 'calculateRepaymentSchedule' | 'calculatePmt' | 'calculateRate';

/** A request, with an id of the caller's: a string of 1 to 200 characters or a whole number. */
export type BulkRequest<Name extends BulkAction> = RequestOf<Name> & { readonly id?: string | number };

export interface BulkOptions {
  readonly signal?: AbortSignal | undefined;
  /** Requests in a message, 1 to 500; 100 by default, which suits schedules of up to 120 rows. */
  readonly requestsPerMessage?: number;
  /** Messages in flight at most; 16 by default. At least two for each process that serves the bulk topic. */
  readonly messagesInFlight?: number;
  /** A message without a reply is sent again after this time, then after twice as long; 30 s by default. */
  readonly repeatAfterMs?: number;
  /** How long a message may take with its repeats; 10 minutes by default. */
  readonly timeoutMs?: number;
  /** The time for which everything that depends on the current day is calculated, in epoch milliseconds; now by default. */
  readonly originTimestampMs?: number;
}

/** The outcome of one request: its reply, or the problem that it has. */
export type BulkResult<Name extends BulkAction> = {
  /** Position among the requests, from 0. */
  readonly index: number;
  readonly id: string | number | undefined;
} & (
  | {
      readonly problem?: undefined;
      readonly reply: ReplyOf<Name>;
      readonly warnings: readonly AnswerWarning[];
      readonly holidayCalendar: string | undefined;
    }
  | { readonly problem: ProblemDocument; readonly reply?: undefined }
);

export interface BulkParts {
  readonly exchanges: Exchanges;
  readonly topic: string;
  readonly reader: ValueReader;
  readonly system: KafkaClientSystem;
}

const MAX_REQUESTS = 500;
/** A message that is refused but may succeed later waits this long, then twice as long each time. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 300_000;

type Settings = Required<Omit<BulkOptions, 'signal'>>;

interface Item {
  readonly index: number;
  readonly request: { readonly id?: string | number };
}
interface ReplyItem {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}
interface Run extends BulkParts, Settings {
  readonly action: BulkAction;
  readonly signal: AbortSignal;
}

/**
 * Yields the result of each request as its message is answered, so not in the order of the requests. Reads further requests
 * only while fewer messages than allowed are in flight. Throws an {@link EngineError} when a message gets no reply in time, and
 * a RangeError for a number of messages or requests with which nothing could be sent.
 */
export async function* calculateMany<Name extends BulkAction>(
  parts: BulkParts,
  action: Name,
  requests: AsyncIterable<BulkRequest<Name>> | Iterable<BulkRequest<Name>>,
  options: BulkOptions,
): AsyncGenerator<BulkResult<Name>, undefined> {
  const settings = readOptions(options, parts.system);
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const run: Run = { ...parts, ...settings, action, signal };
  const batches = inBatches(requests, run.requestsPerMessage);
  const tasks = new Set<Promise<readonly BulkResult<Name>[]>>();
  const add = (task: Promise<readonly BulkResult<Name>[]>): void => {
    tasks.add(task);
    // It is awaited later, or not at all if the caller leaves.
    task.catch(() => undefined);
  };
  let isReading = false;
  let isEnded = false;
  const read = async (): Promise<readonly []> => {
    const { value } = await batches.next();
    isReading = false;
    if (value === undefined) isEnded = true;
    else add(calculateBatch(run, value) as Promise<readonly BulkResult<Name>[]>);
    return [];
  };
  try {
    for (;;) {
      if (!isReading && !isEnded && tasks.size < run.messagesInFlight) {
        isReading = true;
        add(read());
      }
      if (tasks.size === 0) return undefined;
      const [finished, results] = await Promise.race(
        [...tasks].map(async (one) => [one, await one] as const),
      );
      tasks.delete(finished);
      yield* results;
    }
  } finally {
    left.abort();
    batches.return(undefined).catch(() => undefined);
  }
}

function readOptions(
  {
    requestsPerMessage = 100,
    messagesInFlight = 16,
    repeatAfterMs = 30_000,
    timeoutMs = 600_000,
    originTimestampMs,
  }: BulkOptions,
  { epochMs }: KafkaClientSystem,
): Settings {
  if (!isCount(requestsPerMessage) || requestsPerMessage > MAX_REQUESTS)
    throw new RangeError(`requestsPerMessage must be a whole number from 1 to ${MAX_REQUESTS}`);
  if (!isCount(messagesInFlight)) throw new RangeError('messagesInFlight must be a whole number, 1 or more');
  const settings = { requestsPerMessage, messagesInFlight, repeatAfterMs, timeoutMs };
  return { ...settings, originTimestampMs: originTimestampMs ?? epochMs() };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

async function* inBatches<Request extends Item['request']>(
  requests: AsyncIterable<Request> | Iterable<Request>,
  size: number,
): AsyncGenerator<readonly Item[], undefined> {
  let batch: Item[] = [];
  let index = 0;
  for await (const request of requests) {
    batch.push({ index, request });
    index += 1;
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
  return undefined;
}

/** Calculates the requests of one message; of a message that is refused as a whole, those of each half. */
async function calculateBatch(run: Run, batch: readonly Item[]): Promise<readonly BulkResult<BulkAction>[]> {
  try {
    return await sendBatch(run, batch);
  } catch (error) {
    if (!(error instanceof EngineError) || error.problem === undefined) throw error;
    const [first] = batch;
    if (first !== undefined && batch.length === 1) {
      return [{ index: first.index, id: first.request.id, problem: error.problem }];
    }
    const middle = Math.ceil(batch.length / 2);
    const halves = [batch.slice(0, middle), batch.slice(middle)];
    return (await Promise.all(halves.map((half) => calculateBatch(run, half)))).flat();
  }
}

/** Sends a message, again while it has no reply or one that says to repeat it: always the same bytes, so the same results. */
async function sendBatch(run: Run, batch: readonly Item[]): Promise<readonly BulkResult<BulkAction>[]> {
  const { exchanges, system, reader, signal } = run;
  const correlationId = system.newUuid();
  const request = {
    topic: run.topic,
    // Spreads over the partitions: messages of one key are calculated one after another.
    key: correlationId,
    value: JSON.stringify(batch.map((item) => item.request)),
    headers: {
      [MESSAGE_HEADER.messageType]: REQUEST_MESSAGES[run.action].type,
      [MESSAGE_HEADER.originTimestamp]: String(run.originTimestampMs),
    },
  };
  const giveUpAt = system.now() + run.timeoutMs;
  for (let copies = 1; ; copies += 1) {
    const leftMs = giveUpAt - system.now();
    const timeoutMs = Math.min(run.repeatAfterMs * 2 ** (copies - 1), LONGEST_DELAY_MS, leftMs);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (copies - 1), LONGEST_DELAY_MS);
    const reply = await exchanges.exchange(request, { correlationId, timeoutMs, signal }).catch(notMissing);
    const isRefused = textHeader(reply?.headers, MESSAGE_HEADER.errorRetryable) === 'true';
    if (reply !== undefined && !isRefused) {
      return toResults(batch, await readReplyValue(reply, { correlationId, reader }), correlationId);
    }
    const pauseMs = isRefused ? delayMs : 0;
    if (system.now() + pauseMs >= giveUpAt) {
      const text = `No result of a message within ${run.timeoutMs} ms`;
      throw new EngineError(text, { code: 'timeout', correlationId, attempts: copies });
    }
    await wait(system, pauseMs, signal);
  }
}

/** Undefined for a reply that has not come in time, which may still come. */
function notMissing(error: unknown): undefined {
  if (!(error instanceof EngineError) || error.code !== 'timeout') throw error;
}

/** The items of a reply are in the order of the requests. */
function toResults(
  batch: readonly Item[],
  body: unknown,
  correlationId: string,
): readonly BulkResult<BulkAction>[] {
  const items = Array.isArray(body) ? (body as readonly ReplyItem[]) : [];
  if (items.length !== batch.length) {
    const text = `The reply has ${items.length} items for ${batch.length} requests`;
    throw new EngineError(text, { code: 'unreadable-answer', correlationId, attempts: 1 });
  }
  return items.map(({ status, headers, body: result }, place) => {
    const { index = -1, request } = batch[place] ?? {};
    const about = { index, id: request?.id };
    return status === 200
      ? { ...about, reply: result as ReplyOf<BulkAction>, ...aboutReply(headers) }
      : { ...about, problem: result as ProblemDocument };
  });
}
