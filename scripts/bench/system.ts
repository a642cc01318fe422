/** The processes that portfolios go through over Kafka, and what they use. */

import { execFileSync } from 'node:child_process';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { startChild, type Child } from '../child-process.ts';
import { rawKafka } from '../calls/raw-client.ts';

/** As the product's own topics have it. */
const PARTITIONS = 12;
const COMMAND_LIMIT_MS = 60_000;

/** A Kafka, and the processes of it where they are known. */
export interface KafkaUnderTest {
  readonly brokers: readonly string[];
  readonly brokerPids: readonly number[];
}

/** Topics under a prefix of their own, and the processes that use them. */
export interface BulkSystem {
  readonly env: Readonly<Record<string, string>>;
  /** A process with workers; ready when this resolves. */
  startWorker(lane: 'interactive' | 'bulk'): Promise<Child>;
  /** Resolves with its address. */
  startIngress(): Promise<string>;
  /** The raw requester of batches, on the bulk lane or on the topics of the echo. */
  startRequester(): Promise<Child>;
  startEcho(): Promise<Child>;
  /** Ends all processes and removes the topics. Idempotent. */
  close(): Promise<void>;
}

/** Makes all topics under `prefix`. */
export function openBulkSystem({ brokers }: KafkaUnderTest, prefix: string): BulkSystem {
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  };
  execFileSync(process.execPath, ['scripts/topics.ts', 'create'], {
    env: { ...process.env, ...env },
    timeout: COMMAND_LIMIT_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const running: Child[] = [];
  let isClosed = false;
  const start = async (
    args: readonly string[],
    ready: RegExp,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Child> => {
    const child = await startChild(args, ready, { ...env, ...more });
    running.push(child);
    return child;
  };
  const rawArgs = [
    brokers.join(','),
    topicName(prefix, 'scheduleBulkRequests'),
    topicName(prefix, 'recalculationReplies'),
    String(PARTITIONS),
  ];
  return {
    env,
    startWorker: (lane) => start(['workers/main.ts', 'schedule'], /Ready in/, { SCHEDULE_LANES: lane }),
    startIngress: async () => {
      const child = await start(['workers/main.ts', 'ingress'], /\/docs/);
      return /http:\/\/[^/\s]+/.exec(child.output)?.[0] ?? '';
    },
    startRequester: () => start(['scripts/bench/bulk/raw-batch-requester.ts', ...rawArgs], /READY/),
    startEcho: () => start(['scripts/bench/bulk/raw-batch-echo.ts', ...rawArgs], /READY/),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      for (const child of running.toReversed()) await child.stop();
      await removeTopics(brokers, prefix);
    },
  };
}

async function removeTopics(brokers: readonly string[], prefix: string): Promise<void> {
  const admin = rawKafka(brokers, 'bench-admin').admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  await admin.deleteTopics({ topics });
  await admin.disconnect();
}
