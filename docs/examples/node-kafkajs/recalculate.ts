/**
 * Recalculates a portfolio over Kafka alone (docs/bulk-events.md):
 *
 *     KAFKA_BROKERS=127.0.0.1:9092 node recalculate.ts portfolio.ndjson results.ndjson
 *
 * A line of the portfolio is a contract, {"id": ..., "jsonParam": {...}}. Each gives exactly one line of results,
 * {"id", "schedule"}, or of results.ndjson.failures.ndjson, {"line", "id", "problem"}, in the order of the replies.
 * Exit code: 0 all well, 1 some contracts failed, 2 wrong usage, 3 given up.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type IHeaders } from 'kafkajs';
import { type Contract, readContract, readLines } from './portfolio.ts';

const env = process.env;
const REQUEST_TOPIC = env['REQUEST_TOPIC'] ?? 'plat.schedule.requests.bulk.v1';
/** Ours alone, and for one run at a time: two in one group would share out the partitions, and so the replies. */
const REPLY_TOPIC = env['REPLY_TOPIC'] ?? 'upstream.recalculation.replies.v1';
/** 1 to 500 contracts fit a message; the rows bound its reply, which has some 330 bytes for each of them. */
const CONTRACTS_PER_MESSAGE = Number(env['CONTRACTS_PER_MESSAGE'] ?? 100);
const ROWS_PER_MESSAGE = 12_000;
/** Fewer would leave workers idle; more only wait longer. */
const MESSAGES_IN_FLIGHT = Number(env['MESSAGES_IN_FLIGHT'] ?? 16);
/** A message without a reply is repeated after this, then after twice as long each time up to the longest. */
const REPEAT_AFTER_MS = Number(env['REPEAT_AFTER_MS'] ?? 30_000);
const LONGEST_REPEAT_MS = 300_000;
/** What is refused but may succeed later waits so long, then twice as long each time. */
const BACKOFF_MS = 1_000;
/** Without any reply for this long, no worker seems to be running. */
const PATIENCE_MS = Number(env['PATIENCE_MS'] ?? 600_000);
const LOOK_EVERY_MS = 500;
const MAX_LOOKS = 20;
/** What depends on today is calculated for this moment; the same moment again gives the same answers again. */
const RUN_TIME_MS = Number(env['RUN_TIME_MS'] ?? Date.now());
const RUN = randomUUID().slice(0, 8);

interface Batch {
  readonly correlationId: string;
  readonly contracts: readonly Contract[];
  sent: number;
  dueAtMs: number;
}
type Item = { id?: unknown; status: unknown; headers?: Record<string, string>; body: unknown };
type Read = (name: string, value: unknown, context: { source?: string }) => unknown;
/** Reads JSON so that numbers keep their text when they are written: 100.00 stays 100.00. */
const exact = JSON as unknown as { parse(text: string, read: Read): unknown; rawJSON(text: string): unknown };
const parseExactly = (text: string): unknown =>
  exact.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  );

const [input, output] = process.argv.slice(2);
if (input === undefined || output === undefined || !existsSync(input)) {
  console.error('Usage: KAFKA_BROKERS=host:port node recalculate.ts PORTFOLIO RESULTS');
  process.exit(2);
}
const results = createWriteStream(output);
const failures = createWriteStream(`${output}.failures.ndjson`);
const waiting = new Map<string, Batch>();
const halves: Batch[] = [];
const count = { read: 0, calculated: 0, failed: 0, messages: 0, repeated: 0, dropped: 0 };
let lastReplyAtMs = Date.now();
let wake = (): void => undefined;

const brokers = (env['KAFKA_BROKERS'] ?? '127.0.0.1:9092').split(',');
const kafka = new Kafka({ clientId: 'upstream-recalculation', brokers, logLevel: logLevel.ERROR });
const producer = kafka.producer({ allowAutoTopicCreation: false });
const consumer = kafka.consumer({ groupId: `${REPLY_TOPIC}.reader`, allowAutoTopicCreation: false });
const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
consumer.on(consumer.events.CRASH, ({ payload }) => {
  if (!payload.restart) breakOff(payload.error);
});
try {
  await createReplyTopic();
  await Promise.all([producer.connect(), consumer.connect()]);
  // From the first reply that this group has not seen: none is missed, however early it comes.
  await subscribe();
  await consumer.run({
    eachMessage: ({ message: { headers, value } }) =>
      takeReply(headers ?? {}, value?.toString('utf8') ?? '').catch(breakOff),
  });
  await Promise.race([sendAll(), broken]);
  process.exitCode = Math.min(count.failed, 1);
} catch (error) {
  console.error(`given up with ${waiting.size} messages unanswered: ${String(error)}`);
  process.exitCode = 3;
}
await Promise.all([consumer.disconnect(), producer.disconnect()]);
await Promise.all([results, failures].map((file) => finished(file.end())));
console.error(`run ${RUN} of ${RUN_TIME_MS}: ${JSON.stringify(count)}`);

/** Makes the topic unless it is there. Replies come in packed batches (gzip), each at most 8 MiB. */
async function createReplyTopic(): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  const configEntries = [
    { name: 'max.message.bytes', value: String(8 * 1_024 * 1_024) },
    { name: 'retention.ms', value: String(24 * 3_600_000) },
  ];
  const topics = [{ topic: REPLY_TOPIC, numPartitions: 3, configEntries }];
  for (let looks = 0; !(await admin.listTopics()).includes(REPLY_TOPIC); looks += 1) {
    if (looks === MAX_LOOKS) throw new Error(`topic ${REPLY_TOPIC} does not appear`);
    if (looks === 0) await admin.createTopics({ topics, waitForLeaders: false });
    await sleep(LOOK_EVERY_MS);
  }
  await admin.disconnect();
}

/** A broker that has not heard of a topic just made calls it unknown, and kafkajs asks no other one. */
async function subscribe(): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    try {
      await consumer.subscribe({ topic: REPLY_TOPIC, fromBeginning: true });
      return;
    } catch (error) {
      const { type } = error as { type?: string };
      if (type !== 'UNKNOWN_TOPIC_OR_PARTITION' || looks === MAX_LOOKS) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Keeps the window full until everything is answered. Rejects when replies have stopped coming. */
async function sendAll(): Promise<void> {
  const batches = readBatches();
  for (;;) {
    while (waiting.size < MESSAGES_IN_FLIGHT) {
      const batch = halves.shift() ?? (await batches.next()).value;
      if (batch === undefined) break;
      waiting.set(batch.correlationId, batch);
      count.messages += 1;
      await send(batch);
    }
    if (waiting.size === 0) return;
    if (Date.now() - lastReplyAtMs > PATIENCE_MS) throw new Error(`no reply for ${PATIENCE_MS} ms`);
    await Promise.race([new Promise<void>((resolve) => (wake = resolve)), sleep(LOOK_EVERY_MS)]);
    for (const batch of waiting.values()) {
      if (Date.now() < batch.dueAtMs) continue;
      count.repeated += 1;
      await send(batch);
    }
  }
}

/** Sends a message, for the first time or again: always the same bytes and headers, so always the same answer. */
async function send(batch: Batch): Promise<void> {
  batch.dueAtMs = Date.now() + Math.min(REPEAT_AFTER_MS * 2 ** batch.sent, LONGEST_REPEAT_MS);
  batch.sent += 1;
  const headers = {
    kafka_correlationId: batch.correlationId,
    kafka_replyTopic: REPLY_TOPIC,
    'plat-message-type': 'CalculateRepaymentScheduleRequest',
    'plat-origin-timestamp': String(RUN_TIME_MS),
  };
  const value = `[${batch.contracts.map(({ text }) => text).join(',')}]`;
  const key = batch.correlationId; // Spreads over the partitions: messages of one key are calculated one by one.
  const messages = [{ key, value, headers }];
  await producer.send({ topic: REQUEST_TOPIC, acks: -1, messages }).catch((error: unknown) => {
    console.error(`message ${batch.correlationId} was not sent, it will be again: ${String(error)}`);
  });
}

async function* readBatches(): AsyncGenerator<Batch, undefined> {
  let contracts: Contract[] = [];
  let rows = 0;
  let number = 0;
  for await (const line of readLines(createReadStream(input ?? ''))) {
    count.read += 1;
    const contract = readContract(line, count.read);
    if (contract === undefined) {
      await fail(count.read, undefined, { code: 'malformed-line', title: 'The line is not a contract' });
      continue;
    }
    const isFull = contracts.length === CONTRACTS_PER_MESSAGE || rows + contract.rows > ROWS_PER_MESSAGE;
    if (isFull && contracts.length > 0) {
      yield newBatch(`${RUN}-${(number += 1)}`, contracts);
      contracts = [];
      rows = 0;
    }
    contracts.push(contract);
    rows += contract.rows;
  }
  if (contracts.length > 0) yield newBatch(`${RUN}-${number + 1}`, contracts);
}

function newBatch(correlationId: string, contracts: readonly Contract[]): Batch {
  return { correlationId, contracts, sent: 0, dueAtMs: 0 };
}

async function takeReply(headers: IHeaders, value: string): Promise<void> {
  const correlationId = String(headers['kafka_correlationId']);
  const batch = waiting.get(correlationId);
  if (batch === undefined) {
    count.dropped += 1; // A second copy, or of another run: deliveries are at least once, and repeats make more.
    return;
  }
  lastReplyAtMs = Date.now();
  const isError = headers['plat-error-code'] !== undefined;
  if (isError && String(headers['plat-error-retryable']) === 'true') {
    batch.dueAtMs = Date.now() + Math.min(BACKOFF_MS * 2 ** batch.sent, LONGEST_REPEAT_MS);
    return;
  }
  await (isError ? divide(batch, value) : settle(batch, value));
  waiting.delete(correlationId);
  wake();
}

/** Items come in the order of the contracts. Each has the id that was sent, or none where it could not be read. */
async function settle({ contracts, correlationId }: Batch, value: string): Promise<void> {
  const items = parseExactly(value) as readonly Item[];
  if (items.length !== contracts.length) throw new Error(`the reply to ${correlationId} has another length`);
  for (const [index, { id, status, headers, body }] of items.entries()) {
    const contract = contracts[index];
    const isOther = id !== undefined && JSON.stringify(id) !== JSON.stringify(contract?.id);
    if (contract === undefined || isOther) {
      throw new Error(`the reply to ${correlationId} has another id at ${index}`);
    }
    if (JSON.stringify(status) === '200') {
      count.calculated += 1;
      await write(results, { id: contract.id, schedule: body, warnings: headers?.['plat-warnings'] });
    } else {
      await fail(contract.line, contract.id, body);
    }
  }
}

/** The message as a whole was refused, such as `reply-too-large`. Halves may do; a single contract has failed. */
async function divide({ contracts, correlationId }: Batch, problem: string): Promise<void> {
  const [first, ...others] = contracts;
  if (first !== undefined && others.length === 0) return fail(first.line, first.id, parseExactly(problem));
  const middle = Math.ceil(contracts.length / 2);
  halves.push(newBatch(`${correlationId}a`, contracts.slice(0, middle)));
  halves.push(newBatch(`${correlationId}b`, contracts.slice(middle)));
}

function fail(line: number, id: unknown, problem: unknown): Promise<void> {
  count.failed += 1;
  return write(failures, { line, id, problem });
}

async function write(file: WriteStream, line: object): Promise<void> {
  if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain');
}
