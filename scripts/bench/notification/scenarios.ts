/** Measures the e-mail rate of one worker compared with nodemailer alone, and the memory that many e-mails take. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IHeaders, Producer } from 'kafkajs';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { median } from '../load.ts';
import type { MemoryInUse } from '../memory-probe.ts';
import { askChild, startChild, type Child } from '../processes.ts';
import { rawKafka, rawProducer } from '../raw-kafka.ts';
import {
  atLeast,
  atMost,
  type BenchOptions,
  compareRates,
  inTurns,
  type PartResults,
  type Ratio,
} from '../rounds.ts';
import { benchCodec } from '../samples.ts';
import { openSystem, type KafkaUnderTest } from '../system.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import { sampleMail, SENDER } from './sample-mail.ts';

/**
 * Targets: e-mails per second, share of the rate of nodemailer alone, and additional MiB of memory from the first mark
 * to the last one.
 */
const AIM = { perSecond: 300, share: 0.6, growthMiB: 32 } as const;
/**
 * Messages of the warm-up runs, in which all processes compile their code; the last run determines how many are sent in
 * a round.
 */
const WARM_UPS = [1_000, 3_000, 6_000] as const;
/** Notifications sent at a time while memory is measured; at most this many wait in Kafka. */
const PORTION = 5_000;
/** The shares of all notifications after which memory is measured. */
const MARKS = [0.1, 0.5, 1] as const;
const MS_PER_SECOND = 1_000;
/** Connections to the mail server, as in the default configuration. */
const CONNECTIONS = 10;
/** Messages sent concurrently, as many as the worker sends. */
const DELIVERY_WINDOW = 64;
const PROBE_LIMIT_MS = 30_000;
/** The rate from which the time limit of a run is calculated. */
const LEAST_PER_SECOND = 10;
const START_LIMIT_MS = 60_000;
const RECORDS_OF_A_REQUEST = 500;

/** E-mails per second of one mailer, by round. */
interface DeliveryRate {
  readonly name: string;
  readonly rounds: readonly number[];
}

/** Memory of a worker after a number of notifications. */
interface MemoryMark extends MemoryInUse {
  readonly notifications: number;
}

interface DeliveryFigures {
  readonly rates: readonly DeliveryRate[];
  readonly memory: readonly MemoryMark[];
  readonly ratios: readonly Ratio[];
}

type Options = Pick<BenchOptions, 'rounds' | 'measureMs' | 'notifications' | 'progress'>;

/**
 * Mail server, nodemailer alone, worker and Kafka are separate processes; when a round starts, the commands are already
 * on their topic.
 */
export async function benchDelivery(
  options: Options,
  kafka: KafkaUnderTest,
): Promise<PartResults<DeliveryFigures>> {
  const child = await startChild(['scripts/bench/notification/mail-sink.ts'], /PORT \d+/);
  const sink = { child, port: Number(/PORT (\d+)/.exec(child.output)?.[1]) };
  try {
    const rates = await withWorker(kafka, 'delivery', sink, async (worker) => {
      const raw = await startRawMailer(sink);
      try {
        return await rateTurns(options, [raw, worker]);
      } finally {
        await raw.stop();
      }
    });
    const memory = await withWorker(kafka, 'delivery.many', sink, (worker) => memoryOf(options, worker));
    const ratios = [...rateRatios(rates), ...memoryRatios(memory)];
    const tables = [rateTable(rates), memoryTable(memory), ratioTable(ratios)];
    return { figures: { rates, memory, ratios }, tables };
  } finally {
    await child.stop();
  }
}

/** A mail server in a separate process, and its port. */
interface Sink {
  readonly child: Child;
  readonly port: number;
}

/** A sender of e-mails to the sink: the notification worker, or nodemailer alone. */
interface Mailer {
  readonly name: string;
  /**
   * Sends this many more e-mails; resolves with the number that the sink received per second, from the first to the
   * last one.
   */
  deliver(count: number): Promise<number>;
}

/** A notification worker on Kafka that delivers to the sink. */
interface WorkerMailer extends Mailer {
  /** Memory of the worker after a garbage collection. */
  memory(): Promise<MemoryInUse>;
}

/** Resolves when the sink has received this many e-mails. */
function received(sink: Sink, count: number): Promise<number> {
  const limitMs = START_LIMIT_MS + (count / LEAST_PER_SECOND) * MS_PER_SECOND;
  return askChild<number>(sink.child, { count }, limitMs);
}

/** nodemailer alone, in a separate process. */
async function startRawMailer(sink: Sink): Promise<Mailer & Pick<Child, 'stop'>> {
  const args = [sink.port, CONNECTIONS, DELIVERY_WINDOW].map(String);
  const mailer = await startChild(['scripts/bench/notification/raw-mailer.ts', ...args]);
  let next = 0;
  return {
    name: 'nodemailer alone, pooled',
    deliver: (count) => {
      const answer = received(sink, count);
      mailer.process.send({ from: next, count });
      next += count;
      return answer;
    },
    stop: () => mailer.stop(),
  };
}

/** Runs one notification worker process on separate topics; stops it and deletes the topics afterwards. */
async function withWorker<T>(
  kafka: KafkaUnderTest,
  part: string,
  sink: Sink,
  use: (worker: WorkerMailer) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-mail-'));
  const configFile = path.join(folder, 'providers.json');
  await writeFile(configFile, configuration(sink.port));
  const system = openSystem(kafka, part, {
    NOTIFICATION_CONFIG_FILE: configFile,
    LANES: String(DELIVERY_WINDOW),
  });
  const producer = await rawProducer(rawKafka(kafka.brokers, 'bench-upstream'));
  try {
    const probe = ['--expose-gc', '--import', './scripts/bench/memory-probe.ts'];
    const worker = await system.start([...probe, 'workers/main.ts', 'notification'], /Ready in/);
    const topic = topicName(system.prefix, 'emailCommands');
    let next = 0;
    return await use({
      name: 'Kafka: notification worker',
      deliver: async (count) => {
        const answer = received(sink, count);
        await publishMails(producer, topic, { from: next, count });
        next += count;
        return answer;
      },
      memory: () => askChild<MemoryInUse>(worker, 'memory', PROBE_LIMIT_MS),
    });
  } finally {
    await producer.disconnect();
    await system.close();
    await rm(folder, { recursive: true });
  }
}

/** Commands as an upstream system produces them, each for a different receiver. */
async function publishMails(
  producer: Producer,
  topic: string,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<void> {
  const codec = benchCodec();
  for (let start = from; start < from + count; start += RECORDS_OF_A_REQUEST) {
    const length = Math.min(RECORDS_OF_A_REQUEST, from + count - start);
    const messages = Array.from({ length }, async (_, place) => {
      const mail = sampleMail(start + place);
      const { value, headers } = await codec.encode('SendEmailCommand', mail, 'avro');
      return { key: mail.receiver, value, headers: headers as IHeaders };
    });
    await producer.send({ topic, acks: -1, messages: await Promise.all(messages) });
  }
}

function configuration(port: number): string {
  const provider = {
    url: `smtp://127.0.0.1:${port}`,
    provider: 'SMTP',
    'payload-template': '',
    'communication-channel': 'email',
    defaultSender: `${SENDER.name} <${SENDER.address}>`,
    authentication: { username: '', password: '', key: '' },
    smtp: { maxConnections: CONNECTIONS },
  };
  return JSON.stringify({
    notificationConfigurations: [{ realmId: 'platrealm', 'provider-configurations': [provider] }],
  });
}

/** Measures the mailers alternately, each with as many e-mails as it sends in about `measureMs`. */
async function rateTurns(options: Options, mailers: readonly Mailer[]): Promise<readonly DeliveryRate[]> {
  const { measureMs, progress } = options;
  const counts = new Map<Mailer, number>();
  for (const count of WARM_UPS) {
    for (const mailer of mailers) {
      progress(`warming up: ${mailer.name}`);
      counts.set(mailer, Math.ceil(((await mailer.deliver(count)) * measureMs) / MS_PER_SECOND));
    }
  }
  const rates = await inTurns(
    options,
    mailers,
    (mailer) => mailer.deliver(counts.get(mailer) ?? 1),
    (rate) => `, ${Math.round(rate)} e-mails per second`,
  );
  return mailers.map(({ name }, index) => ({ name, rounds: rates[index] ?? [] }));
}

async function memoryOf(
  { notifications, progress }: Options,
  worker: WorkerMailer,
): Promise<readonly MemoryMark[]> {
  const marks: MemoryMark[] = [];
  let done = 0;
  for (const share of MARKS) {
    const until = Math.round(notifications * share);
    while (done < until) {
      const portion = Math.min(PORTION, until - done);
      const rate = await worker.deliver(portion);
      done += portion;
      progress(`memory: ${done} of ${notifications} notifications, ${Math.round(rate)} per second`);
    }
    marks.push({ notifications: done, ...(await worker.memory()) });
  }
  return marks;
}

function rateRatios([raw, worker]: readonly DeliveryRate[]): readonly Ratio[] {
  if (raw === undefined || worker === undefined) return [];
  const share = compareRates(worker.rounds, raw.rounds);
  return [
    atLeast('e-mails per second through one worker', { value: median(worker.rounds) }, AIM.perSecond),
    atLeast('e-mails through one worker / nodemailer alone', share, AIM.share),
  ];
}

function memoryRatios(marks: readonly MemoryMark[]): readonly Ratio[] {
  const [first] = marks;
  const last = marks.at(-1);
  if (first === undefined || last === undefined) return [];
  const span = `${thousands(first.notifications)} to ${thousands(last.notifications)}`;
  const name = `MiB more heap and buffers from ${span} notifications`;
  return [atMost(name, { value: last.heap - first.heap }, AIM.growthMiB)];
}

function rateTable(rates: readonly DeliveryRate[]): string {
  const rows = rates.map(({ name, rounds }) => [
    name,
    thousands(median(rounds)),
    thousands(Math.max(...rounds)),
  ]);
  return table(['e-mails to one mail server', 'per second', 'fastest round'], rows);
}

function memoryTable(memory: readonly MemoryMark[]): string {
  const rows = memory.map(({ notifications, rss, heap }) => [
    thousands(notifications),
    rss.toFixed(0),
    heap.toFixed(1),
  ]);
  return table(['notifications by one worker', 'process MiB', 'heap and buffers MiB'], rows);
}
