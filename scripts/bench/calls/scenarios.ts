import { execFileSync } from 'node:child_process';
import { startChild, type Child } from '../child-process.ts';
import { closedLoop, type LoopResult } from '../closed-loop.ts';
import { openHttpLoad, type HttpLoad } from './http-load.ts';
import { summarise, type Measurement } from '../measurement.ts';
import { rawKafka } from './raw-client.ts';
import { startRawRequester, type RawRequester } from './raw-requester.ts';
import { ACTION_PATH, SAMPLE_BODY } from './sample-request.ts';

/** As the product's own topics have it. */
const PARTITIONS = 12;
export const PING_PONG_WINDOW = 1;
export const ECHO_WINDOW = 64;
/** Long enough for the just-in-time compilers on both sides of the broker. */
const WARM_UP_MS = 3_000;
const COMMAND_LIMIT_MS = 30_000;

/** What is asked of the system over HTTP. */
export interface KafkaCall {
  readonly scenario: string;
  /** The worker that answers it; absent: the ingress does. */
  readonly worker?: string;
  readonly path: string;
  /** The same for all connections, or of each one. */
  readonly body: string | ((slot: number) => string);
  /** Header lines of its own. */
  readonly headers?: readonly string[];
  /** The catalogue that is published before. */
  readonly catalogueFolder?: string;
}

export interface KafkaBenchOptions {
  readonly call: KafkaCall;
  readonly brokers: readonly string[];
  readonly rounds: number;
  readonly measureMs: number;
  /** Sizes of the very messages that the system exchanges, for the raw ones. */
  readonly requestBytes: number;
  readonly replyBytes: number;
  readonly progress: (text: string) => void;
}

export const RAW_PING_PONG = 'Kafka: raw kafkajs, two hops';
export const SCHEDULE_CALL: KafkaCall = {
  scenario: 'Kafka: schedule over HTTP',
  worker: 'schedule',
  path: ACTION_PATH,
  body: SAMPLE_BODY,
};

/**
 * Round trips over Kafka, raw kafkajs and the system's own in turns, so that both see the same machine. Everything is
 * apart as in production: requester or HTTP client here; echo, ingress and worker a process each.
 */
export async function benchKafka(options: KafkaBenchOptions): Promise<readonly Measurement[]> {
  const prefix = `bench-${process.pid}.`;
  const children: Child[] = [];
  const admin = rawKafka(options.brokers, 'bench-admin').admin();
  await admin.connect();
  try {
    const raw = await startRaw(options, prefix, children);
    const http = await startSystem(options, prefix, children);
    try {
      return await inTurns(options, raw, http);
    } finally {
      http.close();
      await raw.stop();
    }
  } finally {
    for (const child of children.toReversed()) await child.stop();
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  }
}

async function startRaw(
  options: KafkaBenchOptions,
  prefix: string,
  children: Child[],
): Promise<RawRequester> {
  const requestTopic = `${prefix}raw.requests`;
  const replyTopic = `${prefix}raw.replies`;
  const admin = rawKafka(options.brokers, 'bench-topics').admin();
  await admin.connect();
  await admin.createTopics({
    topics: [requestTopic, replyTopic].map((topic) => ({
      topic,
      numPartitions: PARTITIONS,
      replicationFactor: 1,
    })),
  });
  await admin.disconnect();
  const args = [
    options.brokers.join(','),
    requestTopic,
    replyTopic,
    String(PARTITIONS),
    String(options.replyBytes),
  ];
  children.push(await startChild(['scripts/bench/calls/raw-echo.ts', ...args], /READY/));
  return startRawRequester({ ...options, requestTopic, replyTopic, partitions: PARTITIONS });
}

async function startSystem(options: KafkaBenchOptions, prefix: string, children: Child[]): Promise<HttpLoad> {
  const env = {
    KAFKA_BROKERS: options.brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  };
  const { worker, path, catalogueFolder } = options.call;
  const command = (...args: readonly string[]): void => {
    execFileSync(process.execPath, args, {
      env: { ...process.env, ...env },
      timeout: COMMAND_LIMIT_MS,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  command('scripts/topics.ts', 'create');
  if (catalogueFolder !== undefined) command('scripts/catalogue.ts', 'publish', catalogueFolder);
  if (worker !== undefined) children.push(await startChild(['workers/main.ts', worker], /Ready in/, env));
  const ingress = await startChild(['workers/main.ts', 'ingress'], /\/docs/, env);
  children.push(ingress);
  const base = /http:\/\/[^/\s]+/.exec(ingress.output)?.[0] ?? '';
  return openHttpLoad(new URL(base + path), options.call, ECHO_WINDOW);
}

async function inTurns(
  options: KafkaBenchOptions,
  raw: RawRequester,
  http: HttpLoad,
): Promise<readonly Measurement[]> {
  const scenarios = [ECHO_WINDOW, PING_PONG_WINDOW].flatMap((window) => [
    { name: RAW_PING_PONG, window, request: () => raw.request() },
    { name: options.call.scenario, window, request: (slot: number) => http.request(slot) },
  ]);
  const results = scenarios.map((): LoopResult[] => []);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [index, { name, window, request }] of scenarios.entries()) {
      options.progress(`round ${round}/${options.rounds}: ${name}, window ${window}`);
      results[index]?.push(
        await closedLoop({ window, warmUpMs: WARM_UP_MS, measureMs: options.measureMs, request }),
      );
    }
  }
  return scenarios.map(({ name, window }, index) => summarise(name, window, results[index] ?? []));
}
