/** `npm run check`: runs the checks of the sources in parallel. The tests are run by `npm test`. */
import { availableParallelism } from 'node:os';
import { runProgram } from './command-line/run-program.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
}

const STEPS: readonly Step[] = [
  {
    // With --type-check oxlint also reports the errors of tsc, which would analyse all sources a second time.
    name: 'lint and types (oxlint, type-aware)',
    command: ['oxlint', '--type-aware', '--type-check', '--max-warnings=0', '.'],
    // The type checker is written in Go. Below 3 GiB of memory, collecting its garbage costs more than it saves.
    // tsconfig.json sets one checker, so one thread is enough. The default four checkers could check a type four times.
    env: { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '3GiB' },
  },
  { name: 'dead code (knip)', command: ['knip', '--no-progress', '--cache'] },
  { name: 'format (oxfmt)', command: ['oxfmt', '--check'] },
  { name: 'schemas (compatible with the released ones)', command: ['node', 'scripts/schemas.ts', 'check'] },
];

const STEP_LIMIT_MS = 300_000;

if (process.argv.includes('--help')) {
  const steps = STEPS.map((step) => `  ${step.name}: ${step.command.join(' ')}`);
  console.log(['Usage: npm run check', 'Runs:', ...steps].join('\n'));
  process.exit(0);
}

const since = (ms: number): string => `${((performance.now() - ms) / 1_000).toFixed(1)} s`;

async function pass({ name, command: [program, ...args], env }: Step): Promise<boolean> {
  const startedAt = performance.now();
  const own = { ...process.env, NO_COLOR: '1', ...env };
  const { code, output } = await runProgram(program, args, { limitMs: STEP_LIMIT_MS, env: own });
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${since(startedAt)})`);
  if (code === 'missing') console.log(`${program} could not be started; run the checks with npm run check`);
  else if (code !== 0) console.log(output);
  return code === 0;
}

const startedAt = performance.now();
const waiting = [...STEPS];
let failed = 0;
// At most one step per core (at least two) runs at a time, since each step mostly uses one thread.
await Promise.all(
  Array.from({ length: Math.max(2, availableParallelism()) }, async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      if (!(await pass(step))) failed += 1;
  }),
);
console.log(`${STEPS.length - failed} checks passed, ${failed} failed in ${since(startedAt)}`);
process.exitCode = failed === 0 ? 0 : 1;
