/** `npm run dead-letters`: lists, shows, redrives, edits and discards dead letters, and marks notifications as sent. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { BrokerClock } from '../shared/messaging/clock/broker-clock.ts';
import { ClockWatch } from '../shared/messaging/clock/clock-watch.ts';
import { topicName } from '../shared/messaging/topics/topics.ts';
import { createCommandProofs } from '../shared/notification/command-proof.ts';
import type { Clock } from '../shared/platform/clock.ts';
import { loadConfig, type Config } from '../shared/platform/load-config.ts';
import { ConfigError, errorText } from '../shared/platform/errors.ts';
import { createLog } from '../shared/platform/log.ts';
import { createMetrics } from '../shared/platform/metrics.ts';
import { systemPorts } from '../shared/platform/system-ports.ts';
import { createCodec } from '../workers/create-codec.ts';
import { readKeptSecret } from '../workers/runtime/result-secret.ts';
import { continueWithClosedPipes } from './command-line/closed-pipes.ts';
import { UsageError } from './command-line/parse-command-line.ts';
import { type DeadLettersArguments, HELP, readDeadLettersArguments } from './dead-letters/arguments.ts';
import { toPlainJson } from './dead-letters/letter-lines.ts';
import { letterTopics } from '../shared/dead-letters/letter-context.ts';
import { type CommandReport, runDeadLettersCommand } from './dead-letters/command.ts';
import { brokerLetterLog, type LetterLog } from '../shared/dead-letters/letter-log.ts';

/** Those of a million letters with several redrives each; they are not kept, and take some minutes. */
const MAX_AUDIT_RECORDS = 10_000_000;
const FAILED = 1;
const USAGE = 2;

continueWithClosedPipes();

const interruption = new AbortController();
process.once('SIGINT', () => {
  process.stderr.write('dead-letters: stopping after the current letter\n');
  interruption.abort();
});

try {
  const argv = process.argv.slice(2);
  const args = readDeadLettersArguments(argv, Date.now());
  if (args === undefined) process.stdout.write(HELP);
  else print(args, await run(argv, args));
} catch (error) {
  process.stderr.write(`dead-letters: ${errorText(error)}\n`);
  process.exitCode = error instanceof UsageError || error instanceof ConfigError ? USAGE : FAILED;
}

async function run(argv: readonly string[], given: DeadLettersArguments): Promise<CommandReport> {
  const config = loadConfig(process.env);
  const { log, clock } = await connect(config);
  try {
    // Times such as 2h are before the time of the broker, which is known only now.
    const secret = secretOf(config);
    const { command, operator, reason } = readDeadLettersArguments(argv, clock.now()) ?? given;
    return await runDeadLettersCommand(command, {
      log,
      ...systemPorts,
      clock,
      codec: await createCodec(config, clock),
      proofs: secret === undefined ? undefined : createCommandProofs(secret),
      actor: { operator: operator ?? userInfo().username, run: randomUUID(), reason },
      topics: letterTopics(config.topicPrefix),
      maxAuditRecords: MAX_AUDIT_RECORDS,
      onProgress: (line) => process.stderr.write(`${line}\n`),
      signal: interruption.signal,
    });
  } finally {
    await log.close();
  }
}

/** The secret of the ingress, as far as this process can know it. */
function secretOf({ resultIdSecret, kafka, dataFolder }: Config): string | undefined {
  if (resultIdSecret !== undefined || kafka !== undefined || dataFolder === undefined) return resultIdSecret;
  return readKeptSecret(dataFolder);
}

interface Connected {
  readonly log: LetterLog;
  readonly clock: Clock;
}

/**
 * Connects to Kafka if it is configured, otherwise to the running process on this machine, which has its clock. Loads only the
 * code that it needs.
 */
async function connect(config: Config): Promise<Connected> {
  if (config.kafka !== undefined) return connectKafka(config, config.kafka);
  if (config.adminFile === undefined) {
    throw new ConfigError('set KAFKA_BROKERS or ADMIN_FILE: without them there is no broker to connect to');
  }
  const { remoteLetterLog } = await import('./dead-letters/remote-letter-log.ts');
  return { log: remoteLetterLog(config.adminFile), clock: systemPorts.clock };
}

/**
 * Dead letters have the time of the broker, and the time limit of a redriven notification begins at it: the machine of an operator
 * may be a desktop. Without a reading, of which the log says why, its own clock counts.
 */
async function connectKafka(config: Config, kafka: NonNullable<Config['kafka']>): Promise<Connected> {
  const { openKafkaBroker } = await import('../shared/messaging/kafka/open-kafka-broker.ts');
  const log = createLog({ level: config.logLevel, name: 'dead-letters' });
  const clock = new BrokerClock(systemPorts);
  const clockTopic = topicName(config.topicPrefix, 'clockReadings');
  const broker = await openKafkaBroker({ ...kafka, clientId: 'dead-letters', log, clock, clockTopic });
  const letters = await brokerLetterLog(broker);
  const readTime = broker.time?.bind(broker);
  const metrics = createMetrics();
  const watch = new ClockWatch({ ...systemPorts, brokerClock: clock, readTime, limitMs: 0, log, metrics });
  await watch.start();
  watch.stop();
  return { log: letters, clock };
}

function print({ command, json }: DeadLettersArguments, { ok, lines, result }: CommandReport): void {
  if (!ok) process.exitCode = FAILED;
  if (json) {
    process.stdout.write(`${toPlainJson({ command: command.name, ok, ...result })}\n`);
    return;
  }
  for (const line of lines) process.stdout.write(`${line}\n`);
}
