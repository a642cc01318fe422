/** `npm run catalogue`: validates and publishes folders of catalogue records, and shows and changes published ones. */
import { createLibraryCalendars } from '../shared/lending/calendars/library/library-calendars.ts';
import type { CalendarDate } from '../shared/lending/dates/calendar-date.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { createStartWait } from '../shared/messaging/start-wait.ts';
import { topicName } from '../shared/messaging/topics/topic-list.ts';
import { systemClock } from '../shared/platform/system-ports.ts';
import { loadConfig } from '../shared/platform/load-config.ts';
import { ConfigError, SystemError } from '../shared/platform/errors.ts';
import { createLog } from '../shared/platform/log.ts';
import { createCodec } from '../workers/create-codec.ts';
import { type CommandReport, runCatalogueCommand } from './catalogue/catalogue-command.ts';
import { HELP, readCatalogueArguments, type CatalogueCommand } from './catalogue/command-arguments.ts';
import type { CatalogueConnection } from './catalogue/publication.ts';
import { printJson, runCommandLine } from './command-line/run-command-line.ts';

let broker: Broker | undefined;
await runCommandLine({
  name: 'catalogue',
  help: HELP,
  read: readCatalogueArguments,
  run: async ({ command, json }) => print(command.name, json, await run(command)),
  failureCode: (error) => (error instanceof SystemError ? 3 : 1),
});
await broker?.close();

async function run(command: CatalogueCommand): Promise<CommandReport> {
  const today = Math.floor(systemClock.now() / 86_400_000) as CalendarDate;
  const attempt = () =>
    runCatalogueCommand(command, { connect, otherCalendars: createLibraryCalendars(), today });
  if (command.name !== 'publish') return attempt();
  // Deployments publish before they start workers, perhaps before Kafka is ready. A retry writes only what differs.
  const wait = createStartWait({ onWait: (line) => process.stderr.write(`catalogue: ${line}\n`) });
  return wait('Kafka and the schema registry', attempt);
}

async function connect(): Promise<CatalogueConnection> {
  const config = loadConfig(process.env);
  if (config.kafka === undefined) {
    throw new ConfigError(
      'KAFKA_BROKERS is not set. The embedded broker serves only its own process. To load a folder there, start it with ' +
        'CATALOGUE_FOLDER=FOLDER npm start, and restart it after a change',
    );
  }
  const { openKafkaBroker } = await import('../shared/messaging/kafka/kafka-broker.ts');
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
  if (!ok) process.exitCode = 1;
  if (json) return printJson({ command, ok, faults, ...result });
  const target = faults.length > 0 ? process.stderr : process.stdout;
  for (const line of lines) target.write(`${line}\n`);
}
