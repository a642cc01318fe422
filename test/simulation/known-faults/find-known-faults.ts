/** `npm run simulate:known-faults`: counts the seeds that the simulation takes to find faults which the project has had. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  parseCommandLine,
  refuseFaults,
  UsageError,
  wholeNumber,
} from '../../../scripts/command-line/parse-command-line.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { plant, readKnownFaults, type KnownFault } from './known-fault.ts';

const HELP = `Usage: npm run simulate:known-faults -- [--seeds N] [--from N] [--jobs N] [NAME ...]

Brings the faults of test/simulation/known-faults back, one at a time, each in a temporary copy of the sources, and counts the
seeds until the simulation finds it.

  --seeds N  gives up on a fault after N seeds; default 200
  --from N   the first seed (1)
  --jobs N   runs seeds on N threads; default one for each processor
  NAME       only these faults

Exit codes: 0 all were found, 1 some were not, 2 wrong usage.
`;
const DEFAULT_SEEDS = 200;
const MAX_SEED = 1_000_000;
const MAX_JOBS = 64;
/** The report of a failing seed contains its trace. */
const MAX_REPORT_BYTES = 256 * 1_024 * 1_024;
const FAILED = 1;
const USAGE = 2;
const NAME_WIDTH = 38;
const SEEDS_WIDTH = 7;

/** The parts of the report of `npm run simulate -- --json` that are read here. */
interface Report {
  readonly seeds: number;
  readonly failures: readonly { readonly violations: readonly { readonly rule: string }[] }[];
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`simulate:known-faults: ${errorText(error)}\n`);
  process.exitCode = error instanceof UsageError ? USAGE : FAILED;
}

async function run(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args, {
    seeds: wholeNumber(1, MAX_SEED),
    from: wholeNumber(0, MAX_SEED),
    jobs: wholeNumber(1, MAX_JOBS),
  });
  if (line === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  const { values, positionals: names } = line;
  const all = readKnownFaults();
  const unknown = names.filter((name) => all.every((fault) => fault.name !== name));
  refuseFaults([...line.faults, ...unknown.map((name) => `there is no known fault ${JSON.stringify(name)}`)]);
  let missed = 0;
  for (const fault of all) {
    if (names.length > 0 && !names.includes(fault.name)) continue;
    const { seeds, rule } = await find(fault, {
      from: values.from ?? 1,
      seeds: values.seeds ?? DEFAULT_SEEDS,
      jobs: values.jobs ?? availableParallelism(),
    });
    if (rule === undefined) missed += 1;
    const count = rule === undefined ? `> ${seeds}` : String(seeds);
    process.stdout.write(
      `${fault.name.padEnd(NAME_WIDTH)} ${count.padStart(SEEDS_WIDTH)}  ${rule ?? 'not found'}\n`,
    );
  }
  return missed === 0 ? 0 : FAILED;
}

/** The number of seeds that were run, and the rule that the last one violated; undefined: none of them. */
async function find(
  fault: KnownFault,
  { from, seeds, jobs }: { readonly from: number; readonly seeds: number; readonly jobs: number },
): Promise<{ readonly seeds: number; readonly rule: string | undefined }> {
  using planted = plant(fault);
  const program = path.join(planted.folder, 'test/simulation/simulate.ts');
  const { failures, ...report } = await simulate(program, [
    '--from',
    `${from}`,
    '--seeds',
    `${seeds}`,
    '--jobs',
    `${jobs}`,
  ]);
  return { seeds: report.seeds, rule: failures[0]?.violations[0]?.rule };
}

function simulate(program: string, args: readonly string[]): Promise<Report> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: MAX_REPORT_BYTES };
    execFile(process.execPath, [program, '--json', ...args], options, (error, stdout) => {
      // A seed that fails ends the command with exit code 1.
      if (error !== null && error.code !== FAILED) reject(error);
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}
