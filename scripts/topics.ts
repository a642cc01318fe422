/** `npm run topics`: creates, checks and lists the required topics on the configured Kafka. */
import { openKafkaBroker } from '../shared/messaging/kafka/kafka-broker.ts';
import type { TopicSpec } from '../shared/messaging/ports.ts';
import { createStartWait } from '../shared/messaging/start-wait.ts';
import { allTopicSpecs, topicDifferences } from '../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../shared/platform/load-config.ts';
import { ConfigError } from '../shared/platform/errors.ts';
import { createLog } from '../shared/platform/log.ts';
import {
  flag,
  parseCommandLine,
  readCommand,
  refuseFaults,
  unexpectedArguments,
} from './command-line/parse-command-line.ts';
import { runCommandLine } from './command-line/run-command-line.ts';

const HELP = `Usage: npm run topics -- COMMAND [OPTIONS]

  create   creates missing topics, then checks all; never changes an existing topic. Waits at most two minutes
           while Kafka is starting. The replication factor is the number of brokers listed in KAFKA_BROKERS,
           at most three, and create waits until that many are running. With a single listed address, the factor
           is the number of running brokers, at most three
  check    lists the topics that are missing or differ in partitions or settings
  list     the required topics with their partitions and settings, and whether they exist

  --json   one JSON document on standard output
  --help   this text

Environment: KAFKA_BROKERS (required), KAFKA_TOPIC_PREFIX and the other KAFKA_* settings (docs/settings.md);
NOTIFICATION_RETRY_TIERS determines the retry topics.
Partition counts are never changed in place, since keys would move to other partitions: replace such a topic manually
when its messages are no longer needed.
Exit codes: 0 listed, or all topics are correct, 1 a topic is missing or differs, or Kafka cannot be reached, 2 wrong usage.
`;

/** With three replicas one broker may fail without data loss; more replicas are not worth their cost. */
const MAX_REPLICAS = 3;

const COMMANDS = { create: [], check: [], list: [] } as const;
type Command = keyof typeof COMMANDS;

type Arguments = NonNullable<ReturnType<typeof readArguments>>;

await runCommandLine({
  name: 'topics',
  help: HELP,
  read: readArguments,
  run: async (args) => print(args, await run(args.command)),
});

function readArguments(args: readonly string[]) {
  const line = parseCommandLine(args, { json: flag() });
  if (line === undefined) return undefined;
  const command = readCommand(line, COMMANDS);
  refuseFaults(unexpectedArguments(line.positionals.slice(1)));
  return { command, json: line.values.json };
}

async function run(command: Command) {
  const config = loadConfig(process.env);
  if (config.kafka === undefined) {
    throw new ConfigError('KAFKA_BROKERS is not set (the embedded broker creates its own topics)');
  }
  const log = createLog({ level: config.logLevel, name: 'topics' });
  const broker = await openKafkaBroker({ ...config.kafka, clientId: 'topics', log });
  try {
    const specs = allTopicSpecs(config.topicPrefix, config.notification.retryTiersMs);
    // Deployments run `create` first, so it waits for brokers that are starting; the other commands do not.
    const wait = createStartWait({ onWait: (line) => process.stderr.write(`topics: ${line}\n`) });
    const replicated = setReplicationFactor(config.kafka.brokers.length, specs);
    const created =
      command === 'create' ? await wait('Kafka', () => broker.admin.createTopics(replicated)) : [];
    const states = await broker.admin.topicStates(specs.map(({ topic }) => topic));
    const topics = specs.map((spec) => ({ ...spec, exists: states.has(spec.topic) }));
    const missing = topics.filter(({ exists }) => !exists).map(({ topic }) => topic);
    const differences = specs.flatMap((spec) => {
      const state = states.get(spec.topic);
      return state === undefined ? [] : topicDifferences(spec, state);
    });
    return { created, missing, differences, topics };
  } finally {
    await broker.close();
  }
}

/** Listed brokers count, running or not: a topic keeps its first factor. One address may stand for many brokers. */
function setReplicationFactor(listedBrokers: number, specs: readonly TopicSpec[]): readonly TopicSpec[] {
  if (listedBrokers < 2) return specs;
  const replicationFactor = Math.min(MAX_REPLICAS, listedBrokers);
  return specs.map((spec) => ({ ...spec, replicationFactor }));
}

function print(
  { command, json }: Arguments,
  { created, missing, differences, topics }: Awaited<ReturnType<typeof run>>,
): void {
  const isCorrect = missing.length === 0 && differences.length === 0;
  if (command !== 'list') process.exitCode = isCorrect ? 0 : 1;
  if (json) {
    const result = command === 'list' ? { topics } : { created, missing, differences };
    console.log(JSON.stringify(result));
    return;
  }
  if (command === 'list') {
    for (const { topic, partitions, config = {}, exists } of topics) {
      const settings = Object.entries(config)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ');
      console.log(`${topic}  ${exists ? 'exists' : 'missing'}  ${partitions} partitions  ${settings}`);
    }
    return;
  }
  for (const topic of created) console.log(`created ${topic}`);
  for (const topic of missing) console.log(`missing ${topic}; create it with: npm run topics -- create`);
  for (const difference of differences) console.log(`differs: ${difference}`);
  if (isCorrect) console.log(`all ${topics.length} topics are correct`);
}
