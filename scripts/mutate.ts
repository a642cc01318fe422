/** `npm run mutate`: changes the sources one operator at a time and lists the changes that no test detects. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '../shared/platform/errors.ts';
import {
  parseCommandLine,
  parsed,
  refuseFaults,
  UsageError,
  wholeNumber,
} from './command-line/parse-command-line.ts';
import { installOwnPackages } from './command-packages.ts';

const HELP = `Usage: npm run mutate -- PATH... [OPTIONS]

Runs StrykerJS on the source files of the paths, with the tests of the same subjects: shared/lending/annual-rate is
tested by test/unit/lending and test/golden/lending. Prints the mutants that survived and the score of each file. Omits
mutants of code that a module runs when it is loaded. StrykerJS is installed into scripts/mutate when it is first
needed.

  --levels NAMES      test levels, separated by commas (default unit,golden; property takes a long time)
  --sample LINES      mutates only this number of lines, picked at random
  --seed NUMBER       picks the same lines again (default: a random one, which is printed)
  --concurrency N     test processes side by side (default 1)
  --help              this text

The full report is written to var/mutate/report.json.
Exit codes: 0 done; 1 a failure, such as a test that fails without a mutant; 2 wrong usage.
`;

const OUTPUT_FOLDER = 'var/mutate';
const SECOND_MS = 1_000;
/** Added to the time that Stryker estimates from the first run: on a busy machine a test takes far longer. */
const MUTANT_SLACK_MS = 20 * SECOND_MS;
const FIRST_RUN_LIMIT_MINUTES = 20;
/** A line with an operator, a literal or a call; other lines have no mutants. */
const CODE_LINE =
  /^(?!\s*(?:\*|\/\*|\/\/|import\b|export (?:type|interface)\b|readonly\b)).*(?:[=?:<>!&|+*/%-]|return\b|\()/;

/** The levels without sockets and processes, which a mutant could leave open or running. */
const LEVELS: readonly string[] = ['unit', 'golden', 'property'];

interface Arguments {
  readonly paths: readonly string[];
  readonly levels: readonly string[];
  readonly sample: number | undefined;
  readonly seed: number;
  readonly concurrency: number;
}

try {
  const args = readArguments(process.argv.slice(2));
  if (args === undefined) process.stdout.write(HELP);
  else process.exitCode = await mutate(args);
} catch (error) {
  process.stderr.write(`mutate: ${errorText(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/** Reads the command line; undefined if help was requested. */
function readArguments(argv: readonly string[]): Arguments | undefined {
  const line = parseCommandLine(argv, {
    levels: parsed(parseLevels, `some of ${LEVELS.join(',')}, separated by commas`),
    sample: wholeNumber(1, 1_000_000),
    seed: wholeNumber(1, 1_000_000_000),
    concurrency: wholeNumber(1, 64),
  });
  if (line === undefined) return undefined;
  const { values, positionals } = line;
  const unknown = positionals.filter(
    (place) => !/^(shared|workers|scripts)\/[^/]/.test(place) || !existsSync(place),
  );
  refuseFaults([
    ...line.faults,
    ...(positionals.length === 0 ? ['give at least one folder or file'] : []),
    ...unknown.map((place) => `${place}: not a file or folder in shared, workers or scripts`),
  ]);
  return {
    paths: positionals,
    levels: values.levels ?? ['unit', 'golden'],
    sample: values.sample,
    seed: values.seed ?? Date.now() % 1_000_000,
    concurrency: values.concurrency ?? 1,
  };
}

function parseLevels(text: string): readonly string[] | undefined {
  const levels = text.split(',');
  return levels.every((level) => LEVELS.includes(level)) ? levels : undefined;
}

async function mutate({ paths, levels, sample, seed, concurrency }: Arguments): Promise<number> {
  await installOwnPackages(path.join(import.meta.dirname, 'mutate'), (line) => console.error(line));
  const files = paths.flatMap((place) =>
    statSync(place).isDirectory()
      ? globSync(`${place}/**/*.ts`, { exclude: ['**/node_modules/**'] })
      : [place],
  );
  const mutated = sample === undefined ? files : sampleLines(files, sample, seed);
  const subjects = [...new Set(paths.map((place) => place.split('/')[1] ?? ''))];
  const config = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: true },
    mutate: mutated,
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency,
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { reportTests: false, logTests: false, allowColor: false },
    jsonReporter: { fileName: `${OUTPUT_FOLDER}/report.json` },
    tempDirName: `${OUTPUT_FOLDER}/sandbox`,
    cleanTempDir: 'always',
    ignorePatterns: ['/var', '**/node_modules'],
    timeoutMS: MUTANT_SLACK_MS,
    dryRunTimeoutMinutes: FIRST_RUN_LIMIT_MINUTES,
    /**
     * Node runs the sources as they are, so nothing needs to be rewritten, and there is no TypeScript package to do it.
     */
    tsconfigFile: 'none',
  };
  mkdirSync(OUTPUT_FOLDER, { recursive: true });
  const configFile = path.join(OUTPUT_FOLDER, 'stryker.json');
  writeFileSync(configFile, JSON.stringify(config, undefined, 2));
  const extent = sample === undefined ? '' : `, ${mutated.length} lines of them with --seed ${seed}`;
  console.log(`${files.length} files${extent}`);
  const tests = subjects.map((subject) => `test/{${levels.join(',')},}/${subject}/**/*.test.ts`);
  const stryker = path.join(import.meta.dirname, 'mutate/node_modules/@stryker-mutator/core/bin/stryker.js');
  const child = spawn(process.execPath, [stryker, 'run', configFile], {
    stdio: 'inherit',
    env: { ...process.env, MUTATE_TESTS: tests.join(':') },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0 ? 0 : 1));
  });
}

/** At most `count` lines of code, each in the range syntax of Stryker: `file:line-line`. */
function sampleLines(files: readonly string[], count: number, seed: number): string[] {
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (CODE_LINE.test(line) ? [`${file}:${index + 1}-${index + 1}`] : [])),
  );
  const random = createRandom(seed);
  return lines
    .map((line) => ({ line, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ line }) => line);
}

/** Park and Miller's generator, from 0 to 1. The same seed picks the same lines. */
function createRandom(seed: number): () => number {
  const MODULUS = 2_147_483_647;
  const MULTIPLIER = 48_271;
  let state = (seed % (MODULUS - 1)) + 1;
  return () => {
    state = (state * MULTIPLIER) % MODULUS;
    return state / MODULUS;
  };
}
