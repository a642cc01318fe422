import path from 'node:path';
import { errorText } from '../../shared/platform/errors.ts';
import { sleep } from '../support/conformance/wait.ts';
import { checkResults, type ResultFigures } from './check-results.ts';
import { createLineCounter } from './file-lines.ts';
import { planIncidents, type Incident } from './incidents.ts';
import { writePortfolio, type Portfolio } from './portfolio-file.ts';
import { startRecalculate, type RecalculateProcess } from './recalculate-process.ts';
import type { SoakWorld } from './soak-world.ts';
import { describeStall } from './stall-report.ts';
import { lagOfBulkLane, matchReplies, messagesOn, type ReplyFigures } from './topic-reading.ts';
import { startWorkerPool, type WorkerPool } from './worker-pool.ts';

/** Parameters of a recalculation and its incidents, each placed by the share of completed results. */
export interface PortfolioRunOptions {
  readonly portfolio: Portfolio;
  readonly workers: number;
  readonly workerKillsAt: readonly number[];
  readonly brokerRestartAt: number;
  readonly brokerAwayMs: number;
  readonly commandKillAt: number;
  /** Further command-line options, such as the window. */
  readonly commandOptions: readonly string[];
  /** One contract in this number is compared with a calculation in this process. */
  readonly sampleEvery: number;
  readonly limitMs: number;
}

/** Results of the run. */
export interface PortfolioRunReport extends ResultFigures, ReplyFigures {
  readonly contracts: number;
  readonly workerKills: number;
  readonly brokerRestarts: number;
  readonly commandKills: number;
  readonly exitCode: number | NodeJS.Signals;
  /** Failures outside the results: incidents that failed or were not reached, and unexpected exits. */
  readonly trouble: readonly string[];
  readonly lag: number;
  readonly deadLetters: number;
  /** From the first start of the command to its last exit. */
  readonly durationMs: number;
}

const POLL_MS = 20;
const PROGRESS_MS = 10_000;
/** Longer than the session of a killed worker, a rebalance and a leader change together. */
const STALL_MS = 30_000;

/** Recalculates a portfolio with the command while workers, a broker and the command itself are killed. */
export async function runPortfolio(
  world: SoakWorld,
  options: PortfolioRunOptions,
): Promise<PortfolioRunReport> {
  const { portfolio } = options;
  const files = {
    input: path.join(world.folder, 'portfolio.ndjson'),
    output: path.join(world.folder, 'results.ndjson'),
    failures: path.join(world.folder, 'failures.ndjson'),
  };
  await writePortfolio(files.input, portfolio);
  world.say(`${portfolio.contracts} contracts written`);
  const pool = await startWorkerPool(options.workers, ['schedule'], world.env);
  try {
    const run = await carryOut(world, pool, files, options);
    const lag = await lagOfBulkLane(world);
    const exits = await pool.stop();
    const trouble = [
      ...run.trouble,
      ...pool.crashes().map((crash) => `a worker exited unexpectedly: ${crash}`),
      ...exits.filter((code) => code !== 0).map((code) => `a worker exited with ${code} after SIGTERM`),
    ];
    world.say('checking the results');
    return {
      contracts: portfolio.contracts,
      ...run,
      trouble,
      lag,
      deadLetters: await messagesOn(world.broker, world.topic('scheduleDeadLetters')),
      ...(await checkResults(files, portfolio, options.sampleEvery)),
      ...(await matchReplies(world.broker, {
        requests: world.topic('scheduleBulkRequests'),
        replies: world.topic('recalculationReplies'),
      })),
    };
  } finally {
    await pool.abandon();
  }
}

interface Files {
  readonly input: string;
  readonly output: string;
  readonly failures: string;
}

type CommandRun = Pick<
  PortfolioRunReport,
  'workerKills' | 'brokerRestarts' | 'commandKills' | 'exitCode' | 'trouble' | 'durationMs'
>;

async function carryOut(
  world: SoakWorld,
  pool: WorkerPool,
  files: Files,
  options: PortfolioRunOptions,
): Promise<CommandRun> {
  const { contracts, asOf } = options.portfolio;
  const args = [
    `--input=${files.input}`,
    `--output=${files.output}`,
    `--failures=${files.failures}`,
    `--as-of=${asOf}`,
    '--compare',
    ...options.commandOptions,
  ];
  const start = (...more: string[]): RecalculateProcess => startRecalculate([...args, ...more], world.env);
  const counts = { workerKills: 0, brokerRestarts: 0, commandKills: 0 };
  let command = start();
  const plan = planIncidents(
    incidentsOf(world, options, {
      worker: async () => {
        counts.workerKills += 1;
        await pool.replaceOne();
      },
      broker: () => {
        counts.brokerRestarts += 1;
      },
      command: async () => {
        counts.commandKills += 1;
        const killed = command;
        killed.kill('SIGKILL');
        await killed.ended;
        command = start('--resume');
      },
    }),
    world.say,
  );
  const count = createLineCounter(files.output);
  const startedAt = performance.now();
  try {
    const exitCode = await watch(world, {
      current: () => command,
      plan,
      contracts,
      count,
      limitMs: options.limitMs,
    });
    const durationMs = performance.now() - startedAt;
    const trouble = [
      ...(await plan.settled()),
      ...plan.left().map((name) => `not reached: ${name}`),
      ...(exitCode === 0 ? [] : [`the command exited with ${exitCode}: ${command.output()}`]),
    ];
    return { ...counts, exitCode, trouble, durationMs };
  } finally {
    command.kill('SIGKILL');
  }
}

interface Actions {
  readonly worker: () => Promise<void>;
  readonly broker: () => void;
  readonly command: () => Promise<void>;
}

function incidentsOf(world: SoakWorld, options: PortfolioRunOptions, actions: Actions): Incident[] {
  const { restartBroker } = world;
  return [
    ...options.workerKillsAt.map((atShare) => ({
      atShare,
      name: 'kill -9 of a worker',
      run: actions.worker,
    })),
    ...(restartBroker === undefined
      ? []
      : [
          {
            atShare: options.brokerRestartAt,
            name: 'kill -9 and restart of a broker',
            run: () => {
              actions.broker();
              return restartBroker(options.brokerAwayMs);
            },
          },
        ]),
    { atShare: options.commandKillAt, name: 'kill -9 of the command, and --resume', run: actions.command },
  ];
}

interface Watched {
  current(): RecalculateProcess;
  readonly plan: ReturnType<typeof planIncidents>;
  readonly contracts: number;
  readonly count: () => Promise<number>;
  readonly limitMs: number;
}

/** Starts incidents as results arrive, until the command exits. */
async function watch(world: SoakWorld, watched: Watched): Promise<number | NodeJS.Signals> {
  const { plan, contracts, count } = watched;
  const giveUpAt = performance.now() + watched.limitMs;
  let nextLineAt = performance.now() + PROGRESS_MS;
  const stall = watchStall(world);
  for (;;) {
    const command = watched.current();
    const end = await Promise.race([command.ended, sleep(POLL_MS)]);
    const done = await count();
    plan.reached(done / contracts);
    stall(done);
    if (end !== undefined && command === watched.current() && end !== 'SIGKILL') return end;
    if (performance.now() > nextLineAt) {
      nextLineAt += PROGRESS_MS;
      world.say(`${done} of ${contracts} results`);
    }
    if (performance.now() > giveUpAt) {
      throw new Error(
        `the run did not end within ${watched.limitMs} ms: ${done} results; ${command.output()}`,
      );
    }
  }
}

/** Reports the state of a stalled run, once per stall. */
function watchStall(world: SoakWorld): (done: number) => void {
  let last = 0;
  let nextAt = performance.now() + STALL_MS;
  return (done) => {
    if (done !== last) {
      last = done;
      nextAt = performance.now() + STALL_MS;
      return;
    }
    if (performance.now() < nextAt) return;
    nextAt = Number.POSITIVE_INFINITY;
    describeStall(world).then(
      (text) => world.say(`no result for ${STALL_MS / 1_000} s; ${text}`),
      (error: unknown) => world.say(`no result for ${STALL_MS / 1_000} s; ${errorText(error)}`),
    );
  };
}
