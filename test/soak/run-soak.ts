/** `npm run test:soak`: runs the long soak test on a three-node Kafka and prints its figures as a table. */
import { parseArgs } from 'node:util';
import { assertNever, errorText } from '../../shared/platform/errors.ts';
import { runPortfolio } from './portfolio-run.ts';
import { rollingRestart } from './rolling-restart.ts';
import { runNetwork } from './network-run.ts';
import { longSoak, networkSoak } from './soak-sizes.ts';
import { networkFaults, portfolioFaults, rollingFaults } from './soak-verdict.ts';
import { openSoakWorld, type SoakWorld } from './soak-world.ts';

const HELP = `Usage: npm run test:soak -- [--contracts N] [--rounds N] [--seconds N] [--only PART]

On Apache Kafka of three nodes, started here, or on the one of KAFKA_BROKERS (whose brokers are then left alone):
  portfolio  N contracts of 12 to 360 rows through npm run recalculate, while workers are killed at 20, 40, 60 and 80 %,
             a broker is restarted at 50 % and the command itself is killed and resumed at 70 % of the results
  rolling    a restart of all processes, one after another, N rounds, under constant load over HTTP
  network    calls and notifications for N seconds over connections that are torn, delayed, black-holed and silent; always
             on a separate Kafka, behind proxies

  --contracts  default 100000, or SOAK_CONTRACTS
  --rounds     default 5
  --seconds    of the network part, default 600
  --only       one of the parts
Exit codes: 0 nothing lost, repeated or mixed up, 1 a fault (listed below the table), 2 wrong usage.
`;
const DEFAULT_CONTRACTS = '100000';
const DEFAULT_ROUNDS = '5';
const SECOND_MS = 1_000;
const DEFAULT_SECONDS = '600';
const PARTS = ['portfolio', 'rolling', 'network'] as const;
type Part = (typeof PARTS)[number];

interface SoakArguments {
  readonly contracts: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly parts: readonly Part[];
}

/** Figures of a part, and its faults. */
interface PartResult {
  readonly part: Part;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly faults: readonly string[];
}

const startedAt = performance.now();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  print(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
}

/** Returns undefined if help was requested, and an error message for invalid arguments. */
function readArguments(args: string[]): SoakArguments | string | undefined {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args,
      options: {
        contracts: text,
        rounds: text,
        seconds: text,
        only: text,
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return undefined;
    const contracts = Number(values.contracts ?? (process.env['SOAK_CONTRACTS'] || DEFAULT_CONTRACTS));
    const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
    const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
    const only = PARTS.filter((part) => values.only === undefined || part === values.only);
    if (only.length === 0) return `--only must be one of ${PARTS.join(', ')}`;
    if (!Number.isSafeInteger(contracts) || contracts < 1_000) return '--contracts must be 1000 or more';
    if (!Number.isSafeInteger(rounds) || rounds < 1) return '--rounds must be 1 or more';
    if (!Number.isSafeInteger(seconds) || seconds < 10) return '--seconds must be 10 or more';
    return { contracts, rounds, seconds, parts: only };
  } catch (error) {
    return errorText(error);
  }
}

type WorldPart = Exclude<Part, 'network'>;

async function runPart(world: SoakWorld, part: WorldPart, args: SoakArguments): Promise<PartResult> {
  const size = longSoak(args.contracts, args.rounds);
  say(`--- ${part}`);
  switch (part) {
    case 'portfolio': {
      const report = await runPortfolio(world, size.portfolio);
      return { part, figures: { ...report }, faults: portfolioFaults(report) };
    }
    case 'rolling': {
      const report = await rollingRestart(world, size.rolling);
      return { part, figures: { ...report }, faults: rollingFaults(report) };
    }
    default:
      return assertNever(part);
  }
}

function printTable({ part, figures, faults }: PartResult): void {
  const rows = Object.entries(figures).map(([name, value]): [string, string] => {
    if (Array.isArray(value)) return [name, String(value.length)];
    if (name.endsWith('Ms')) return [name.slice(0, -2), `${(Number(value) / 1_000).toFixed(1)} s`];
    return [name, typeof value === 'number' ? value.toLocaleString('en-GB') : String(value)];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  print(`\n${part}`);
  for (const [name, value] of rows) print(`  ${name.padEnd(width)}  ${value}`);
  for (const fault of faults) print(`  !!! ${fault}`);
  print(faults.length === 0 ? '  passed' : `  ${faults.length} FAULTS`);
}

async function run(args: SoakArguments): Promise<number> {
  const results: PartResult[] = [];
  try {
    const parts = args.parts.filter((part) => part !== 'network');
    if (parts.length > 0) await runInOneWorld(parts, args, results);
    if (args.parts.includes('network')) {
      say('--- network');
      const report = await runNetwork(say, networkSoak(args.seconds * SECOND_MS));
      results.push({ part: 'network', figures: { ...report }, faults: networkFaults(report) });
    }
  } finally {
    for (const result of results) printTable(result);
  }
  return results.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

/** Runs the parts that share a Kafka and adds the result of each to `results`. */
async function runInOneWorld(
  parts: readonly WorldPart[],
  args: SoakArguments,
  results: PartResult[],
): Promise<void> {
  const given = process.env['KAFKA_BROKERS'];
  const brokers = given === undefined || given === '' ? {} : { brokers: given.split(',') };
  const world = await openSoakWorld({ ...brokers, say });
  try {
    for (const part of parts) results.push(await runPart(world, part, args));
  } finally {
    await world.close();
  }
}

/** Exiting ends the child processes; the Kafka nodes have their own guard. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

const args = readArguments(process.argv.slice(2));
if (args === undefined) process.stdout.write(HELP);
else if (typeof args === 'string') {
  process.stderr.write(`soak: ${args}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  try {
    process.exit(await run(args));
  } catch (error) {
    process.stderr.write(`soak: ${error instanceof Error ? error.stack : errorText(error)}\n`);
    process.exit(1);
  }
}
