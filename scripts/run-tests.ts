/** `npm test`: runs the tests, lists those that cannot run here, and ends with `N passed, N failed, N skipped`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const HELP = `Usage: npm test [-- VITEST ARGUMENTS]

Runs all test levels: unit, property, golden, regression, worker, browser, conformance, kafka-conformance, integration,
system, cluster-faults.
Levels with Kafka use KAFKA_BROKERS, or Docker, or Apache Kafka on the local Java 17, in this order.
  npm test -- --project unit         one level
  npm test -- test/unit/lending      one folder
Exit codes: 0 all passed, 1 a test failed (with CI=true also if a test was skipped).
`;

/** The complete run with Kafka takes ten minutes on two cores, longer on a busy machine. */
const RUN_LIMIT_MS = 45 * 60_000;

/** The part of vitest's report that this script reads. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Each list runs in its own vitest, in parallel: levels with Kafka or a browser run file by file and mostly wait. */
const SIDE_BY_SIDE: readonly (readonly string[])[] = [
  ['unit', 'property', 'golden', 'worker', 'conformance'],
  ['browser', 'regression', 'system'],
  ['kafka-conformance', 'integration', 'cluster-faults'],
];

type Run = Awaited<ReturnType<typeof runVitest>>;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(HELP);
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'engine-tests-'));
  const runs =
    args.length > 0 ? [args] : SIDE_BY_SIDE.map((levels) => levels.map((level) => `--project=${level}`));
  try {
    process.exitCode = summarise(
      await Promise.all(runs.map((run, index) => runVitest(run, folder, path.join(folder, `${index}.json`)))),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runVitest(extra: readonly string[], folder: string, reportFile: string) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const env = {
    ...process.env,
    // kafkajs sets a timer in the past; Node 24 warns of it. A semi-space of 32 MiB makes the unit tests 6 % faster.
    NODE_OPTIONS: '--disable-warning=TimeoutNegativeWarning --max-semi-space-size=32',
    // Deleted after the run: a permanent cache would grow, because vitest adds the time to the URLs of test files.
    NODE_COMPILE_CACHE: path.join(folder, 'compile-cache'),
  };
  const isColored = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const child = spawn('vitest', ['run', ...reporters, ...extra], {
    // With pipes vitest prints plain lines; on a terminal the processes would overwrite each other's output.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_LIMIT_MS,
    env: isColored ? { ...env, FORCE_COLOR: '1' } : env,
  });
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, report: readReport(reportFile) };
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

function summarise(runs: readonly Run[]): number {
  const reports = runs.flatMap(({ report }) => report ?? []);
  const tests = reports.flatMap((report) => report.testResults).flatMap((file) => file.assertionResults);
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  if (skipped.length > 0) {
    console.log(`\n!!! SKIPPED: tests that did not run on this machine: ${skipped.length}`);
    for (const test of skipped) console.log(`!!!   ${test.fullName}`);
    console.log(
      '!!! They require Kafka (set KAFKA_BROKERS, start Docker, or install Java 17 and Maven: docs/real-kafka.md) ' +
        'or packages of scripts/calendars that npm could not install.\n',
    );
  }
  // vitest can fail without a failed test, for example if it cannot load a file.
  const broken = runs.filter(({ code, report }) => code !== 0 && (report?.numFailedTests ?? 0) === 0);
  if (broken.length > 0) console.log('vitest reported an error outside the tests; see above.');
  const maySkip = process.env.CI !== 'true';
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const failed = sum((report) => report.numFailedTests) + broken.length + (maySkip ? 0 : skipped.length);
  const passed = sum((report) => report.numPassedTests);
  console.log(`${passed} passed, ${failed} failed, ${maySkip ? skipped.length : 0} skipped`);
  return failed === 0 ? 0 : 1;
}
