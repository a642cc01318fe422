/** The processes that e-mails go through when their delivery is measured. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IHeaders, Producer } from 'kafkajs';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { askChild, startChild, type Child } from '../child-process.ts';
import type { MemoryInUse } from '../memory-probe.ts';
import { rawKafka, rawProducer } from '../calls/raw-client.ts';
import { benchCodec } from '../calls/sample-messages.ts';
import { sampleMail, SENDER } from './sample-mail.ts';

/** Connections to the mail server, as the configuration has it by default. */
const CONNECTIONS = 10;
/** Messages handed over at once: the worker's lanes. */
export const DELIVERY_WINDOW = 64;
const COMMAND_LIMIT_MS = 30_000;
const PROBE_LIMIT_MS = 30_000;
/** The slowest that is worth waiting for. */
const LEAST_PER_SECOND = 10;
const START_LIMIT_MS = 60_000;
const RECORDS_OF_A_REQUEST = 500;

/** Something that sends e-mails to the sink: the system or what it is compared with. */
export interface Mailer {
  readonly name: string;
  /** Sends so many more; resolves with how many the sink took in a second, from the first to the last. */
  deliver(count: number): Promise<number>;
}

/** A notification worker on Kafka that delivers to the sink. */
export interface WorkerMailer extends Mailer {
  /** What the worker uses, once the collector has run. */
  memory(): Promise<MemoryInUse>;
  stop(): Promise<void>;
}

/** A mail server in a process of its own, and its port. */
export async function startMailSink(children: Child[]): Promise<{ sink: Child; port: number }> {
  const sink = await startChild(['scripts/bench/notification/mail-sink.ts'], /PORT \d+/);
  children.push(sink);
  return { sink, port: Number(/PORT (\d+)/.exec(sink.output)?.[1]) };
}

/** Answers when the sink has taken so many. */
function taken(sink: Child, count: number): Promise<number> {
  const limitMs = START_LIMIT_MS + (count / LEAST_PER_SECOND) * 1_000;
  return askChild<number>(sink, { count }, limitMs);
}

/** nodemailer alone, in a process of its own. */
export async function startRawMailer(
  { sink, port }: { readonly sink: Child; readonly port: number },
  children: Child[],
): Promise<Mailer> {
  const args = [
    'scripts/bench/notification/raw-mailer.ts',
    String(port),
    String(CONNECTIONS),
    String(DELIVERY_WINDOW),
  ];
  const mailer = await startChild(args, /READY/);
  children.push(mailer);
  let next = 0;
  return {
    name: 'nodemailer alone, pooled',
    deliver: (count) => {
      const answer = taken(sink, count);
      mailer.process.send({ from: next, count });
      next += count;
      return answer;
    },
  };
}

/** Makes the topics under `prefix` and starts one notification worker process. */
export async function startWorkerMailer(
  { sink, port }: { readonly sink: Child; readonly port: number },
  { brokers, prefix }: { readonly brokers: readonly string[]; readonly prefix: string },
): Promise<WorkerMailer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-mail-'));
  const configFile = path.join(folder, 'providers.json');
  await writeFile(configFile, configuration(port));
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    NOTIFICATION_CONFIG_FILE: configFile,
    LANES: String(DELIVERY_WINDOW),
    LOG_LEVEL: 'warn',
  };
  execFileSync(process.execPath, ['scripts/topics.ts', 'create'], {
    env: { ...process.env, ...env },
    timeout: COMMAND_LIMIT_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const args = [
    '--expose-gc',
    '--import',
    './scripts/bench/memory-probe.ts',
    'workers/main.ts',
    'notification',
  ];
  const worker = await startChild(args, /Ready in/, env);
  const producer = await rawProducer(rawKafka(brokers, 'bench-upstream'));
  const topic = topicName(prefix, 'emailCommands');
  let next = 0;
  return {
    name: 'Kafka: notification worker',
    deliver: async (count) => {
      const answer = taken(sink, count);
      await publishMails(producer, topic, { from: next, count });
      next += count;
      return answer;
    },
    memory: () => askChild<MemoryInUse>(worker, 'memory', PROBE_LIMIT_MS),
    stop: async () => {
      await producer.disconnect();
      await worker.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Commands as an upstream system produces them, each for a receiver of its own. */
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
