/**
 * Child process that sends and receives messages with a Kafka client alone, kafkajs or @platformatic/kafka, without anything of
 * this project. As requester it runs closed loops for its parent; as echo it answers each message. Messages of a turn, and
 * those that wait while a request is in flight, leave in one request.
 *
 * Arguments: client, `requester` or `echo`, brokers, topic to write, topic to read, bytes of a message.
 */
import { randomUUID } from 'node:crypto';
import { Consumer, MessagesStreamModes, Producer, ProduceAcks } from '@platformatic/kafka';
import { closedLoop, type LoopResult } from '../load.ts';
import { answerParent, endProcess } from '../processes.ts';
import { rawKafka, rawProducer, runConsumer } from '../raw-kafka.ts';

/** The request of the parent process to a requester. */
export interface LoopWords {
  readonly window: number;
  readonly forMs: number;
}

type Send = (ids: readonly Buffer[]) => Promise<unknown>;

const SESSION_MS = 30_000;
const PARTITIONS = 12;
const ID_HEADER = 'kafka_correlationId';
const [client = '', end = '', brokers = '', writeTopic = '', readTopic = '', bytes = '100'] =
  process.argv.slice(2);
const value = Buffer.alloc(Number(bytes), 0x61);
const settings = { brokers: brokers.split(','), clientId: `raw-${end}`, groupId: `${readTopic}.${end}` };
const pending = new Map<string, () => void>();
const waiting: Buffer[] = [];
let isSending = false;

const send: Send = client === 'kafkajs' ? await kafkajsSender() : platformaticSender();
const received = end === 'echo' ? enqueue : settle;
await (client === 'kafkajs' ? readByKafkajs() : readByPlatformatic());
answerParent(({ window, forMs }: LoopWords) => runLoop(window, forMs));

function runLoop(window: number, forMs: number): Promise<{ [K in keyof LoopResult]: number }> {
  return closedLoop({ window, warmUpMs: 0, measureMs: forMs, request });
}

function request(): Promise<void> {
  const id = randomUUID();
  return new Promise((resolve) => {
    pending.set(id, resolve);
    enqueue(Buffer.from(id));
  });
}

function settle(id: Buffer): void {
  const key = id.toString('latin1');
  pending.get(key)?.();
  pending.delete(key);
}

function enqueue(id: Buffer): void {
  if (waiting.push(id) === 1 && !isSending) setImmediate(startFlush);
}

function startFlush(): void {
  flush().catch(endProcess);
}

async function flush(): Promise<void> {
  isSending = true;
  while (waiting.length > 0) await send(waiting.splice(0));
  isSending = false;
}

async function kafkajsSender(): Promise<Send> {
  const producer = await rawProducer(rawKafka(settings.brokers, settings.clientId));
  return (ids) =>
    producer.send({
      topic: writeTopic,
      acks: -1,
      messages: ids.map((id) => ({ key: id, value, headers: { [ID_HEADER]: id } })),
    });
}

async function readByKafkajs(): Promise<void> {
  const group = { topic: readTopic, groupId: settings.groupId, sessionMs: SESSION_MS };
  await runConsumer(rawKafka(settings.brokers, settings.clientId), group, {
    partitionsConsumedConcurrently: PARTITIONS,
    eachBatch: async ({ batch }) => {
      for (const { headers } of batch.messages) received(headers?.[ID_HEADER] as Buffer);
    },
  });
}

function platformaticSender(): Send {
  const { clientId, brokers: bootstrapBrokers } = settings;
  const producer = new Producer({ clientId, bootstrapBrokers: [...bootstrapBrokers], acks: ProduceAcks.ALL });
  return (ids) =>
    producer.send({
      messages: ids.map((id) => ({
        topic: writeTopic,
        key: id,
        value,
        headers: new Map([[Buffer.from(ID_HEADER), id]]),
      })),
    });
}

async function readByPlatformatic(): Promise<void> {
  const { clientId, brokers: bootstrapBrokers, groupId } = settings;
  const consumer = new Consumer({
    clientId,
    groupId,
    bootstrapBrokers: [...bootstrapBrokers],
    sessionTimeout: SESSION_MS,
    maxWaitTime: 1_000,
    autocommit: 1_000,
  });
  const stream = await consumer.consume({ topics: [readTopic], mode: MessagesStreamModes.EARLIEST });
  stream.on('error', endProcess);
  stream.on('data', ({ headers }) => {
    for (const [name, id] of headers) if (name.toString() === ID_HEADER) received(id);
  });
}
