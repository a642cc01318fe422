/** `npm run bench`: measures this project and its peers in the same run, and compares their figures. */
import { constants, loadavg } from 'node:os';
import path from 'node:path';
import { benchCosts } from './bench/costs.ts';
import { benchEmbedded, benchPeers } from './bench/peers.ts';
import { type BenchOptions, type PartResult, ratioTable } from './bench/rounds.ts';
import { installOwnPackages } from './command-packages.ts';
import {
  type CommandLine,
  flag,
  oneOf,
  parseCommandLine,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from './command-line/parse-command-line.ts';
import { printJson, runCommandLine } from './command-line/run-command-line.ts';

const PARTS = { costs: benchCosts, embedded: benchEmbedded, peers: benchPeers } satisfies Record<
  string,
  (options: BenchOptions) => Promise<PartResult>
>;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

const HELP = `Usage: npm run bench [-- OPTIONS]

  --only PART     one of
                    costs     the steps of a schedule, in processor time (a quarter of a minute)
                    embedded  the engine in one process, beside fastify with the engine in its handler
                    peers     the engine over Kafka, with both clients, beside a Spring Boot pair
  --rounds N      number of rounds (default 7); the tables show their medians
  --json          one JSON document with every round on stdout instead of tables
  --help          this text

Runs on Linux. The load generator is installed into scripts/bench when it is first needed; the peers need Java 17, Maven and
some minutes of warm-up.

Exit codes: 0 measured, 1 failed, 2 wrong usage.
`;

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

// runProgram kills its program in an `exit` handler, which does not run when a signal ends Node by default.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

const OPTIONS = {
  only: oneOf(PART_NAMES),
  rounds: wholeNumber(1, 100),
  json: flag(),
};

await runCommandLine({ name: 'bench', help: HELP, read: (args) => parseCommandLine(args, OPTIONS), run });

async function run({ values, positionals, faults }: CommandLine<typeof OPTIONS>): Promise<void> {
  refuseFaults([...faults, ...unexpectedArguments(positionals)]);
  const { only, rounds = 7, json } = values;
  const parts = only === undefined ? PART_NAMES : [only];
  if (only !== 'costs') await installOwnPackages(path.join(import.meta.dirname, 'bench'), progress);
  const results: [Part, PartResult][] = [];
  for (const part of parts) results.push([part, await PARTS[part]({ rounds, progress })]);
  const ratios = results.flatMap(([, result]) => result.ratios);
  const loadAverage = Number((loadavg()[0] ?? 0).toFixed(1));
  const node = process.version;
  if (json) {
    const figures = results.map(([part, { figures: own }]) => [part, own] as const);
    printJson({ node, loadAverage, ...Object.fromEntries(figures), ratios });
  } else {
    const tables = [...results.map(([, { table }]) => table), ratioTable(ratios)];
    process.stdout.write(`\nload average ${loadAverage}, Node ${node}\n\n${tables.join('\n')}`);
  }
}
