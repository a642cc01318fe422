/** `npm run kafka`: runs Apache Kafka and a schema registry on this machine until Ctrl-C. See docs/real-kafka.md. */
import { runCommandLine } from './command-line/run-command-line.ts';
import { EXIT_CODES, LocalKafkaError } from './dev/local-kafka/local-kafka-error.ts';
import { HELP, type KafkaArguments, parseArguments } from './dev/local-kafka/kafka-arguments.ts';
import { type LocalKafka, startLocalKafka } from './dev/local-kafka/start-local-kafka.ts';

await runCommandLine({
  name: 'kafka',
  help: HELP,
  read: parseArguments,
  run: runUntilStopped,
  failureCode: (error) =>
    error instanceof LocalKafkaError ? EXIT_CODES[error.code] : EXIT_CODES['broker-failed'],
});

async function runUntilStopped(args: KafkaArguments): Promise<void> {
  // with-node.mjs sends this process SIGTERM when the shell of npm has ended.
  const { promise: stopRequest, resolve } = Promise.withResolvers<undefined>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(undefined));
  const startedAt = performance.now();
  // Progress goes to standard error, so that with --json standard output contains only the JSON line.
  const starting = startLocalKafka({ ...args, report: (line) => console.error(`kafka: ${line}`) });
  const kafka = await Promise.race([starting, stopRequest]);
  if (kafka === undefined) process.exit(0);
  print(kafka, args.json, (performance.now() - startedAt) / 1_000);
  const failure = await Promise.race([stopRequest, kafka.failure]);
  await kafka.stop();
  if (failure !== undefined) throw failure;
}

function print(kafka: LocalKafka, asJson: boolean, seconds: number): void {
  if (asJson) {
    const nodes = kafka.nodes.map((node) => ({ nodeId: node.nodeId, broker: node.broker, pid: node.pid }));
    const { brokers, registryUrl, folder } = kafka;
    console.log(JSON.stringify({ brokers, registryUrl, nodes, folder }));
    return;
  }
  console.log(
    `Apache Kafka is ready (${kafka.nodes.length} node(s), ${seconds.toFixed(1)} s). Run in a shell:\n`,
  );
  console.log(`export KAFKA_BROKERS=${kafka.brokers.join(',')}`);
  if (kafka.registryUrl !== undefined) console.log(`export SCHEMA_REGISTRY_URL=${kafka.registryUrl}`);
  console.log(`\nLogs and data: ${kafka.folder}\nCtrl-C stops it.`);
}
