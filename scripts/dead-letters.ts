/** `npm run dead-letters`: lists, shows, redrives, edits and discards dead letters, and marks notifications as sent. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { createCommandProofs } from '../shared/notification/command-proof.ts';
import { loadConfig, type Config } from '../shared/platform/load-config.ts';
import { ConfigError, errorText } from '../shared/platform/errors.ts';
import { createLog } from '../shared/platform/log.ts';
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
  else print(args, await run(args));
} catch (error) {
  process.stderr.write(`dead-letters: ${errorText(error)}\n`);
  process.exitCode = error instanceof UsageError || error instanceof ConfigError ? USAGE : FAILED;
}

async function run({ command, operator, reason }: DeadLettersArguments): Promise<CommandReport> {
  const config = loadConfig(process.env);
  const log = await connect(config);
  try {
    const secret = secretOf(config);
    return await runDeadLettersCommand(command, {
      log,
      ...systemPorts,
      codec: await createCodec(config, systemPorts.clock),
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

/**
 * Connects to Kafka if it is configured, otherwise to the running process on this machine. Loads only the
 * code that it needs.
 */
async function connect(config: Config): Promise<LetterLog> {
  if (config.kafka !== undefined) return connectKafka(config, config.kafka);
  if (config.adminFile === undefined) {
    throw new ConfigError(
      'set KAFKA_BROKERS or the DATA_DIR of a running npm start: one with DATA_DIR=memory shows its dead letters in the workbench only',
    );
  }
  const { remoteLetterLog } = await import('./dead-letters/remote-letter-log.ts');
  return remoteLetterLog(config.adminFile);
}

async function connectKafka(config: Config, kafka: NonNullable<Config['kafka']>): Promise<LetterLog> {
  const { openKafkaBroker } = await import('../shared/messaging/kafka/open-kafka-broker.ts');
  const log = createLog({ level: config.logLevel, name: 'dead-letters' });
  return brokerLetterLog(await openKafkaBroker({ ...kafka, clientId: 'dead-letters', log }));
}

function print({ command, json }: DeadLettersArguments, { ok, lines, result }: CommandReport): void {
  if (!ok) process.exitCode = FAILED;
  if (json) {
    process.stdout.write(`${toPlainJson({ command: command.name, ok, ...result })}\n`);
    return;
  }
  for (const line of lines) process.stdout.write(`${line}\n`);
}
