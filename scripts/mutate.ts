/** `npm run mutate`: changes the sources one operator at a time and lists the changes that no test detects. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  type CommandLine,
  parseCommandLine,
  parsed,
  refuseFaults,
  wholeNumber,
} from './command-line/parse-command-line.ts';
import { runCommandLine } from './command-line/run-command-line.ts';
import { installOwnPackages } from './command-packages.ts';

const HELP = `Usage: npm run mutate -- PATH... [OPTIONS]

Runs StrykerJS on the source files of the paths, with the tests of the same subjects: shared/lending/annual-rate is
tested by test/unit/lending and test/golden/lending. Prints the mutants that survived and the score of each file. Omits
mutants of code that a module runs when it is loaded. StrykerJS is installed into scripts/mutate when it is first
needed.

  --levels NAMES      test levels, separated by commas (default unit,golden; property takes a long time)
  --concurrency N     test processes side by side (default 1)
  --help              this text

The full report is written to var/mutate/report.json.
Exit codes: 0 done; 1 a failure, such as a test that fails without a mutant; 2 wrong usage.
`;

/** The levels without sockets and processes, which a mutant could leave open or running. */
const LEVELS: readonly string[] = ['unit', 'golden', 'property'];
const FOLDER = path.join(import.meta.dirname, 'mutate');
const STRYKER = path.join(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');

const OPTIONS = {
  levels: parsed(
    (text) => {
      const levels = text.split(',');
      return levels.every((level) => LEVELS.includes(level)) ? levels : undefined;
    },
    `some of ${LEVELS.join(',')}, separated by commas`,
  ),
  concurrency: wholeNumber(1, 64),
};

await runCommandLine({
  name: 'mutate',
  help: HELP,
  read: (args) => parseCommandLine(args, OPTIONS),
  run: mutate,
});

async function mutate(line: CommandLine<typeof OPTIONS>): Promise<void> {
  const { values, positionals: paths } = line;
  const unknown = paths.filter((name) => !/^(shared|workers|scripts)\/[^/]/.test(name) || !existsSync(name));
  refuseFaults([
    ...line.faults,
    ...(paths.length === 0 ? ['give at least one folder or file'] : []),
    ...unknown.map((name) => `${name}: not a file or folder in shared, workers or scripts`),
  ]);
  const { levels = ['unit', 'golden'], concurrency = 1 } = values;
  const files = paths.flatMap((name) =>
    statSync(name).isDirectory() ? globSync(`${name}/**/*.ts`, { exclude: ['**/node_modules/**'] }) : [name],
  );
  console.log(`${files.length} files`);
  await installOwnPackages(FOLDER, (report) => console.error(report));
  const subjects = [...new Set(paths.map((name) => name.split('/')[1] ?? ''))];
  const tests = subjects.map((subject) => `test/{${levels.join(',')},}/${subject}/**/*.test.ts`);
  const options = ['--mutate', files.join(','), '--concurrency', String(concurrency)];
  const config = path.join(FOLDER, 'stryker.config.json');
  const child = spawn(process.execPath, [STRYKER, 'run', config, ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATE_TESTS: tests.join(':') },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [code] = await once(child, 'close');
  process.exitCode = code === 0 ? 0 : 1;
}
