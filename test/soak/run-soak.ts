/** `npm run test:soak`: runs the long soak test on a three-node Kafka and prints its figures as a table. */
import {
  type CommandLine,
  oneOf,
  parseCommandLine,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from '../../scripts/command-line/parse-command-line.ts';
import { runCommandLine } from '../../scripts/command-line/run-command-line.ts';
import { runNetwork } from './network-run.ts';
import { runPortfolio } from './portfolio-run.ts';
import { rollingRestart } from './rolling-restart.ts';
import { openSoakWorld, type SoakWorld } from './soak-world.ts';

const HELP = `Usage: npm run test:soak -- [--contracts N] [--rounds N] [--seconds N] [--only PART]

On Apache Kafka of three nodes, started here, or on the one of KAFKA_BROKERS (whose brokers are then left alone):
  portfolio  N contracts of 12 to 360 rows through npm run recalculate, while workers are killed at 20, 40, 60 and 80 %,
             a broker is restarted at 50 % and the command itself is killed and resumed at 70 % of the results
  rolling    a restart of all processes, one after another, N rounds, under constant load over HTTP
  network    calls and notifications for N seconds over connections that are torn, delayed, black-holed and silent; always
             on a separate Kafka, behind proxies

  --contracts  default 100000
  --rounds     default 5
  --seconds    of the network part, default 600
  --only       one of the parts
Exit codes: 0 nothing lost, repeated or mixed up, 1 a fault (listed below the table), 2 wrong usage.
`;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const OPTIONS = {
  contracts: wholeNumber(1_000, 100_000_000),
  rounds: wholeNumber(1, 1_000),
  seconds: wholeNumber(10, 1_000_000),
  only: oneOf(['portfolio', 'rolling', 'network']),
};

const startedAt = performance.now();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  print(`${((performance.now() - startedAt) / SECOND_MS).toFixed(1).padStart(7)} s  ${line}`);
}

function printTable(part: string, report: object & { readonly faults: readonly string[] }): void {
  const { faults, ...figures } = report;
  print(`\n${part}`);
  for (const [name, value] of Object.entries<unknown>(figures)) {
    const shown = typeof value === 'number' ? Math.round(value).toLocaleString('en-GB') : String(value);
    print(`  ${name.padEnd(24)} ${shown}`);
  }
  for (const fault of faults) print(`  !!! ${fault}`);
  print(faults.length === 0 ? '  passed' : `  ${faults.length} FAULTS`);
  if (faults.length > 0) process.exitCode = 1;
}

async function run({ values, positionals, faults }: CommandLine<typeof OPTIONS>): Promise<void> {
  refuseFaults([...faults, ...unexpectedArguments(positionals)]);
  const { contracts = 100_000, rounds = 5, seconds = 600, only } = values;
  if (only !== 'network') {
    const given = process.env['KAFKA_BROKERS'] ?? '';
    const world = await openSoakWorld({ ...(given === '' ? {} : { brokers: given.split(',') }), say });
    try {
      await runOn(world, { contracts, rounds, only });
    } finally {
      await world.close();
    }
  }
  if (only === undefined || only === 'network')
    printTable('network', await runNetwork(say, seconds * SECOND_MS));
}

async function runOn(
  world: SoakWorld,
  {
    contracts,
    rounds,
    only,
  }: { readonly contracts: number; readonly rounds: number; readonly only: string | undefined },
): Promise<void> {
  if (only !== 'rolling') {
    const report = await runPortfolio(world, {
      contracts,
      workers: 3,
      workerKillsAt: [0.2, 0.4, 0.6, 0.8],
      brokerRestartAt: 0.5,
      brokerAwayMs: 20 * SECOND_MS,
      commandKillAt: 0.7,
      commandOptions: [],
      sampleEvery: 50,
      limitMs: 90 * MINUTE_MS,
    });
    printTable('portfolio', report);
  }
  if (only === 'portfolio') return;
  const report = await rollingRestart(world, {
    workers: ['schedule', 'product', 'simulation', 'notification'],
    calls: ['schedule', 'schedule', 'payment', 'schedule', 'simulation', 'schedule', 'product'],
    rounds,
    callsPerSecond: 50,
  });
  printTable('rolling', report);
}

/** Exiting ends the child processes; the Kafka nodes have their own watchdog. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

await runCommandLine({ name: 'soak', help: HELP, read: (args) => parseCommandLine(args, OPTIONS), run });
process.exit();
