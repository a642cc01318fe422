/**
 * `npm test`: every suite that this machine can run, then one closing line `N passed, N failed, N skipped`. What was left
 * out is named above it; with CI=true leaving anything out is a failure.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const HELP = `Usage: npm test [-- VITEST ARGUMENTS]

Runs all test levels: unit, property, golden, regression, worker, conformance, integration, system.
Those that need Kafka take KAFKA_BROKERS, else Docker, else Apache Kafka run by the local Java 17.
  npm test -- --project unit         one level
  npm test -- test/unit/lending      one folder
Exit codes: 0 all passed, 1 something failed (with CI=true also: something was left out).
`;

/** The whole run, Kafka included, takes twenty minutes on two cores and more beside other work; past this it hangs. */
const RUN_LIMIT_MS = 45 * 60_000;

interface Assertion {
  readonly fullName: string;
  readonly status: string;
}
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly Assertion[];
  }[];
}

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(HELP);
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'engine-tests-'));
  try {
    process.exitCode = summarise(
      await runVitest(args, path.join(folder, 'report.json')),
      path.join(folder, 'report.json'),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runVitest(extra: readonly string[], reportFile: string): Promise<number> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  /** kafkajs sets a timer in the past once per connection, which Node 24 remarks upon; the timer does what it should. */
  const env = { ...process.env, NODE_OPTIONS: '--disable-warning=TimeoutNegativeWarning' };
  const child = spawn('vitest', ['run', ...reporters, ...extra], {
    stdio: 'inherit',
    timeout: RUN_LIMIT_MS,
    env,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function summarise(vitestCode: number, reportFile: string): number {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
  } catch {
    console.log('The test run ended without a report.\n0 passed, 1 failed');
    return 1;
  }
  const all = report.testResults.flatMap((file) => file.assertionResults);
  const leftOut = all.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  /** A file that could not even be loaded counts as one failure. */
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = report.numFailedTests + brokenFiles.length;
  if (leftOut.length > 0) {
    console.log(`\n!!! LEFT OUT: ${leftOut.length} tests did not run on this machine:`);
    for (const test of leftOut) console.log(`!!!   ${test.fullName}`);
    console.log(
      '!!! They need Kafka (set KAFKA_BROKERS, start Docker, or install Java 17 and Maven: docs/real-kafka.md), ' +
        "Debian's Exim (docs/mail-and-sms.md), or packages of scripts/calendars that npm could not install.\n",
    );
  }
  const isComplete = process.env.CI !== 'true' || leftOut.length === 0;
  const failed = failures + (isComplete ? 0 : leftOut.length) + (vitestCode !== 0 && failures === 0 ? 1 : 0);
  if (vitestCode !== 0 && failures === 0)
    console.log('vitest reported an error outside the tests; see above.');
  console.log(
    `${report.numPassedTests} passed, ${failed} failed, ${isComplete ? leftOut.length : 0} skipped`,
  );
  return failed === 0 ? 0 : 1;
}
