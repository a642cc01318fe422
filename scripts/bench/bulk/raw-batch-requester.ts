/**
 * Child process that keeps batches of contracts in flight; each reply triggers the next batch. For a request with a
 * duration, it returns the number of contracts answered per second. It exits if a reply is an error, and checks every
 * contract of the last reply.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { IHeaders, Message } from 'kafkajs';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { REPLY_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import { lowerPriority } from '../../../shared/platform/lower-priority.ts';
import { systemTimers } from '../../../shared/platform/timers.ts';
import { answerParent, endProcess } from '../processes.ts';
import { benchCodec } from '../samples.ts';
import { BATCHES_IN_FLIGHT, bulkRequests, CONTRACTS_PER_BATCH } from './contracts.ts';
import {
  batchReader,
  batchSender,
  type BulkAnswer,
  type BulkWords,
  rawBatchKafka,
  type ReadMessage,
} from './raw-batches.ts';

const MS_PER_SECOND = 1_000;
const STATUS_OK = 200;
/** Deadline of a request, and time limit for missing replies at the end of a run, after which the run fails. */
const PATIENCE_MS = 30_000;
const [brokers = '', requestTopic = '', replyTopic = '', partitions = '12', priority] = process.argv.slice(2);
if (priority === 'background') lowerPriority(console, systemTimers);
const codec = benchCodec();
const requests = await bulkRequests(codec);
const kafka = rawBatchKafka(brokers.split(','), 'raw-batch-requester');
const send = await batchSender(kafka, requestTopic);
const waiting = new Set<string>();
let sent = 0;
let answered = 0;
let isRunning = false;
let latest: ReadMessage | undefined;
let onIdle: (() => void) | undefined;
await batchReader(kafka, { topic: replyTopic, partitions: Number(partitions) }, takeAll);
answerParent(measure);

function nextRequest(): Message {
  const request = requests[sent % requests.length];
  const id = randomUUID();
  const now = Date.now();
  waiting.add(id);
  sent += 1;
  return {
    key: id,
    partition: sent % Number(partitions),
    value: request?.value ?? null,
    headers: {
      ...(request?.headers as IHeaders),
      [HEADER.replyTopic]: replyTopic,
      [HEADER.correlationId]: id,
      [HEADER.deadline]: String(now + PATIENCE_MS),
      [HEADER.originTimestamp]: String(now),
    },
  };
}

function takeAll(messages: readonly ReadMessage[]): void {
  const before = answered;
  for (const message of messages) take(message);
  if (isRunning) send(Array.from({ length: answered - before }, nextRequest));
  else if (waiting.size === 0) onIdle?.();
}

function take(message: ReadMessage): void {
  const id = message.headers?.[HEADER.correlationId];
  if (!Buffer.isBuffer(id) || !waiting.delete(id.toString('latin1'))) return;
  if (message.headers?.[HEADER.errorCode] !== undefined) endProcess(new Error('a batch was refused'));
  latest = message;
  answered += 1;
}

async function measure({ warmUpMs = 0, measureMs }: BulkWords): Promise<BulkAnswer> {
  isRunning = true;
  for (let batch = 0; batch < BATCHES_IN_FLIGHT; batch += 1) send([nextRequest()]);
  await pause(warmUpMs);
  const startedAt = performance.now();
  const before = answered;
  await pause(measureMs);
  const contracts = (answered - before) * CONTRACTS_PER_BATCH;
  const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
  isRunning = false;
  await idle();
  await checkLatest();
  return { contractsPerSecond: contracts / seconds, contracts };
}

/** Resolves when nothing is in flight. */
async function idle(): Promise<void> {
  if (waiting.size === 0) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('batches were not answered')), PATIENCE_MS);
  onIdle = resolve;
  await promise;
  clearTimeout(timer);
}

/** Throws unless the latest reply contains the result of every contract. */
async function checkLatest(): Promise<void> {
  const decoded = await codec.decode({ value: (latest?.value as Buffer | undefined) ?? null, headers: {} });
  if (decoded.kind !== 'decoded' || decoded.type !== REPLY_BATCH) throw new Error('not a batch of replies');
  const { items } = decoded.payload as { items: readonly { status: number }[] };
  const isComplete =
    items.length === CONTRACTS_PER_BATCH && items.every(({ status }) => status === STATUS_OK);
  if (!isComplete) throw new Error('a contract was refused');
}
