/** `npm run check`: runs every check of the sources, in parallel. Tests are run by `npm test`. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The type-aware part of oxlint is a Go program. With one of its checkers (tsconfig.json) it checks each type once, by default once in
 * each of four. Below this amount of memory garbage collection costs more than it saves.
 */
const LINT_ENVIRONMENT = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '3GiB' };

const STEPS: readonly Step[] = [
  {
    // Replaces tsc, which reports the same errors and would analyse the sources a second time.
    name: 'lint and types (oxlint, type-aware)',
    command: ['oxlint', '--type-aware', '--type-check', '--max-warnings=0', '.'],
    env: LINT_ENVIRONMENT,
  },
  { name: 'dead code (knip)', command: ['knip', '--no-progress', '--cache'] },
  { name: 'format (oxfmt)', command: ['oxfmt', '--check'] },
  { name: 'schemas (compatible with the released ones)', command: ['node', 'scripts/schemas.ts', 'check'] },
];

/** Stops a step that hangs; on a busy machine the type check takes more than a minute. */
const STEP_LIMIT_MS = 300_000;

if (process.argv.includes('--help')) {
  console.log(
    'Usage: npm run check\nRuns:\n' +
      STEPS.map((step) => `  ${step.name}: ${step.command.join(' ')}`).join('\n'),
  );
  process.exit(0);
}

async function run(step: Step): Promise<{ step: Step; ok: boolean; output: string; ms: number }> {
  const startedAt = performance.now();
  const [program = '', ...args] = step.command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_LIMIT_MS,
    env: { ...process.env, NO_COLOR: '1', ...step.env },
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const ok = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      output.push(
        Buffer.from(
          `${program} could not be started (${error.message}); run the checks with npm run check\n`,
        ),
      );
      resolve(false);
    });
    child.once('close', (code, signal) => {
      if (signal !== null)
        output.push(
          Buffer.from(`stopped by ${signal}; the time limit for a step is ${STEP_LIMIT_MS / 1_000} s\n`),
        );
      resolve(code === 0);
    });
  });
  return { step, ok, output: Buffer.concat(output).toString('utf8'), ms: performance.now() - startedAt };
}

const startedAt = performance.now();
const waiting = [...STEPS];
let failed = 0;
/** One step per core at the same time, since each mostly uses one thread. */
await Promise.all(
  Array.from({ length: Math.max(2, availableParallelism()) }, async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const result = await run(step);
      console.log(
        `${result.ok ? 'ok    ' : 'FAILED'} ${result.step.name} (${(result.ms / 1_000).toFixed(1)} s)`,
      );
      if (result.ok) continue;
      failed += 1;
      console.log(result.output);
    }
  }),
);
console.log(
  `${STEPS.length - failed} checks passed, ${failed} failed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
);
process.exitCode = failed === 0 ? 0 : 1;
