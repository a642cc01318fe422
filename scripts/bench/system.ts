/** The processes of the system over Kafka, with their own topic prefix. */

import { execFileSync } from 'node:child_process';
import { startChild, type Child } from './processes.ts';
import { deleteTopics } from './raw-kafka.ts';

/** Partitions of the product's own request topics. */
export const PARTITIONS = 12;
const COMMAND_LIMIT_MS = 60_000;

/** A Kafka, and its processes if they are known. */
export interface KafkaUnderTest {
  readonly brokers: readonly string[];
  readonly brokerPids: readonly number[];
}

export interface System {
  readonly brokers: readonly string[];
  /** The prefix of its topics. */
  readonly prefix: string;
  /** The environment of its processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a script of this project until it exits. */
  command(...args: readonly string[]): void;
  /** Starts a child process that {@link close} ends. */
  start(args: readonly string[], ready?: RegExp, env?: Readonly<Record<string, string>>): Promise<Child>;
  /** Starts a process with one worker; resolves when it is ready. */
  startWorker(name: string, env?: Readonly<Record<string, string>>): Promise<Child>;
  /** Starts an ingress; resolves with its address. */
  startIngress(): Promise<string>;
  /** Stops all processes and deletes the topics. Idempotent. */
  close(): Promise<void>;
}

/** A prefix is not used twice: a busy broker may delete the topics of one system after the next one has created its own. */
let systems = 0;

/** Creates all topics under a prefix named after the part of the benchmark. */
export function openSystem(
  { brokers }: KafkaUnderTest,
  part: string,
  more: Readonly<Record<string, string>> = {},
): System {
  systems += 1;
  const prefix = `bench-${process.pid}.${part}-${systems}.`;
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
    ...more,
  };
  const command = (...args: readonly string[]): void => {
    execFileSync(process.execPath, args, {
      env: { ...process.env, ...env },
      timeout: COMMAND_LIMIT_MS,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const running: Child[] = [];
  let isClosed = false;
  const start: System['start'] = async (args, ready, own = {}) => {
    const child = await startChild(args, ready, { ...env, ...own });
    running.push(child);
    return child;
  };
  command('scripts/topics.ts', 'create');
  return {
    brokers,
    prefix,
    env,
    command,
    start,
    startWorker: (name, own) => start(['workers/main.ts', name], /Ready in/, own),
    startIngress: async () => addressOf(await start(['workers/main.ts', 'ingress'], INGRESS_READY)),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      for (const child of running.toReversed()) await child.stop();
      await deleteTopics(brokers, prefix);
    },
  };
}

/** The line that an ingress prints when it is ready. */
export const INGRESS_READY = /\/docs/;

/** The address that an ingress printed when it was ready. */
export function addressOf({ output }: Child): string {
  return /http:\/\/[^/\s]+/.exec(output)?.[0] ?? '';
}
