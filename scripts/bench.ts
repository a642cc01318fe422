/** `npm run bench`: measures this project beside its peers in the same run, records the ratios, and compares two records. */
import { loadavg } from 'node:os';
import path from 'node:path';
import { benchCosts } from './bench/costs.ts';
import { benchEmbedded, benchPeers } from './bench/peers.ts';
import { compareRecords, writeRecord } from './bench/recorded-ratios.ts';
import { type BenchOptions, type PartResult, ratioTable } from './bench/rounds.ts';
import { installOwnPackages } from './command-packages.ts';
import {
  type CommandLine,
  flag,
  oneOf,
  optionalText,
  parseCommandLine,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from './command-line/parse-command-line.ts';
import { runCommandLine } from './command-line/run-command-line.ts';

const PARTS = { costs: benchCosts, embedded: benchEmbedded, peers: benchPeers } satisfies Record<
  string,
  (options: BenchOptions) => Promise<PartResult>
>;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];
const SIGNAL_EXIT_CODE = 128;

const HELP = `Usage: npm run bench [-- OPTIONS]
       npm run bench -- --compare OLD NEW

  --only PART     one of
                    costs     the steps of a schedule, in processor time (a quarter of a minute)
                    embedded  the engine in one process, beside fastify with the engine in its handler
                    peers     the engine over Kafka, with both clients, beside a Spring Boot pair
  --rounds N      rounds of the measurement, medians are shown (default 7)
  --save FILE     records the ratios
  --compare OLD   compares the record NEW with the record OLD
  --json          one JSON document with every round on stdout instead of tables
  --help          this text

Runs on Linux. The load generator is installed into scripts/bench when it is first needed; the peers need Java 17, Maven and
some minutes of warm-up.

Exit codes: 0 measured or compared, 1 failed, 2 wrong usage.
`;

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

// The programs that were started end with this process, as they would not by the signal itself.
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => process.exit(SIGNAL_EXIT_CODE + number));
}

const OPTIONS = {
  only: oneOf(PART_NAMES),
  rounds: wholeNumber(1, 100),
  save: optionalText(),
  compare: optionalText(),
  json: flag(),
};

await runCommandLine({ name: 'bench', help: HELP, read: (args) => parseCommandLine(args, OPTIONS), run });

async function run(line: CommandLine<typeof OPTIONS>): Promise<void> {
  const { only, rounds = 7, save, compare: before, json } = line.values;
  const [after, ...more] = line.positionals;
  const unexpected = unexpectedArguments(before === undefined ? line.positionals : more);
  refuseFaults([...line.faults, ...unexpected]);
  if (before === undefined) {
    await measure({ parts: only === undefined ? PART_NAMES : [only], rounds, save, json });
    return;
  }
  if (after === undefined) refuseFaults(['--compare needs two records: --compare OLD NEW']);
  else process.stdout.write(compareRecords(before, after));
}

async function measure(asked: {
  readonly parts: readonly Part[];
  readonly rounds: number;
  readonly save: string | undefined;
  readonly json: boolean;
}): Promise<void> {
  const { parts, rounds, save, json } = asked;
  if (parts.some((part) => part !== 'costs')) {
    await installOwnPackages(path.join(import.meta.dirname, 'bench'), progress);
  }
  const results: [Part, PartResult][] = [];
  for (const part of parts) results.push([part, await PARTS[part]({ rounds, progress })]);
  const ratios = results.flatMap(([, result]) => result.ratios);
  const conditions = { node: process.version, loadAverage: Number((loadavg()[0] ?? 0).toFixed(1)) };
  if (json) {
    const figures = results.map(([part, { figures: own }]) => [part, own] as const);
    const document = { ...conditions, ...Object.fromEntries(figures), ratios };
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  } else {
    const tables = [...results.map(([, result]) => result.table), ratioTable(ratios)];
    const head = `\nload average ${conditions.loadAverage}, Node ${conditions.node}\n\n`;
    process.stdout.write(head + tables.join('\n'));
  }
  if (save !== undefined) writeRecord(save, ratios, conditions);
}
