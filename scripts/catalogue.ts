/** `npm run catalogue`: validates, publishes and shows the product catalogue on the configured Kafka. */
import { createLibraryCalendars } from '../shared/calendars/library-calendars.ts';
import type { CalendarDate } from '../shared/lending/dates/calendar-date.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { createStartWait } from '../shared/messaging/start-wait.ts';
import { topicName } from '../shared/messaging/topics/topics.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { loadConfig } from '../shared/platform/load-config.ts';
import { ConfigError, errorText, SystemError } from '../shared/platform/errors.ts';
import { createLog } from '../shared/platform/log.ts';
import { createCodec } from '../workers/create-codec.ts';
import { type CommandReport, runCatalogueCommand } from './catalogue/catalogue-command.ts';
import { HELP, readCatalogueArguments, type CatalogueCommand } from './catalogue/command-arguments.ts';
import type { CatalogueConnection } from './catalogue/topic-records.ts';
import { continueWithClosedPipes } from './command-line/closed-pipes.ts';
import { UsageError } from './command-line/parse-command-line.ts';

const FAULTS = 1;
const USAGE = 2;
const BROKER = 3;
const DAY_MS = 86_400_000;

continueWithClosedPipes();

let broker: Broker | undefined;
try {
  const args = readCatalogueArguments(process.argv.slice(2));
  if (args === undefined) process.stdout.write(HELP);
  else print(args.command.name, args.json, await run(args.command));
} catch (error) {
  process.stderr.write(`catalogue: ${errorText(error)}\n`);
  process.exitCode = exitCodeOf(error);
} finally {
  await broker?.close();
}

async function run(command: CatalogueCommand): Promise<CommandReport> {
  const today = Math.floor(systemClock.now() / DAY_MS) as CalendarDate;
  const attempt = () =>
    runCatalogueCommand(command, { connect, otherCalendars: createLibraryCalendars(), today });
  if (command.name !== 'publish') return attempt();
  // Deployments publish before the workers start, possibly before the brokers are up. A retry writes only what is missing.
  const wait = createStartWait({
    onWait: (line) => process.stderr.write(`catalogue: ${line}\n`),
  });
  return wait('Kafka and the schema registry', attempt);
}

async function connect(): Promise<CatalogueConnection> {
  const config = loadConfig(process.env);
  if (config.kafka === undefined) {
    throw new ConfigError(
      'KAFKA_BROKERS is not set. The embedded broker serves its own process only: start it with the folder instead, ' +
        'CATALOGUE_FOLDER=FOLDER npm start; restart it after a change',
    );
  }
  const { openKafkaBroker } = await import('../shared/messaging/kafka/open-kafka-broker.ts');
  const log = createLog({ level: config.logLevel, name: 'catalogue' });
  broker ??= await openKafkaBroker({ ...config.kafka, clientId: 'catalogue', log });
  return {
    broker,
    codec: await createCodec(config, systemClock),
    topic: topicName(config.topicPrefix, 'catalogueRecords'),
    log,
  };
}

function print(command: string, json: boolean, { ok, faults, lines, result }: CommandReport): void {
  if (!ok) process.exitCode = FAULTS;
  if (json) {
    process.stdout.write(`${JSON.stringify({ command, ok, faults, ...result }, undefined, 2)}\n`);
    return;
  }
  const target = faults.length > 0 ? process.stderr : process.stdout;
  for (const line of lines) target.write(`${line}\n`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError) return USAGE;
  return error instanceof SystemError ? BROKER : FAULTS;
}
