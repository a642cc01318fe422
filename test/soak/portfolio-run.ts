import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '../../shared/platform/errors.ts';
import { sleep } from '../support/conformance/wait.ts';
import { type EngineProcess, spawnScript } from '../support/worlds/engine-process.ts';
import { AS_OF, checkResults, type ResultFigures, writePortfolio } from './soak-portfolio.ts';
import {
  lagOfBulkLane,
  matchReplies,
  nonZero,
  type ReplyFigures,
  type SoakWorld,
  startEngines,
  startOne,
} from './soak-world.ts';

/** A recalculation and its incidents, each placed by the share of completed results. */
export interface PortfolioRunOptions {
  readonly contracts: number;
  readonly workers: number;
  readonly workerKillsAt: readonly number[];
  readonly brokerRestartAt: number;
  readonly brokerAwayMs: number;
  readonly commandKillAt: number;
  readonly commandOptions: readonly string[];
  /** One contract in this number is compared with a calculation in this process. */
  readonly sampleEvery: number;
  readonly limitMs: number;
}

export interface PortfolioRunReport extends ResultFigures, ReplyFigures {
  readonly contracts: number;
  readonly workerKills: number;
  readonly brokerRestarts: number;
  readonly commandKills: number;
  readonly lag: number;
  readonly deadLetters: number;
  /** From the first start of the command to its last exit. */
  readonly durationMs: number;
  /** Empty: every contract has exactly one result, in order and equal to the engine's; no message is left unprocessed. */
  readonly faults: readonly string[];
}

const POLL_MS = 20;
const MAX_KEPT = 8_000;
const NEWLINE = 0x0a;

/** Recalculates a portfolio with the command while workers, a broker and the command itself are killed. */
export async function runPortfolio(
  world: SoakWorld,
  options: PortfolioRunOptions,
): Promise<PortfolioRunReport> {
  const { contracts, sampleEvery } = options;
  const [input = '', output = '', failures = ''] = ['portfolio', 'results', 'failures'].map((name) =>
    path.join(world.folder, `${name}.ndjson`),
  );
  await writePortfolio(input, contracts);
  world.say(`${contracts} contracts written`);
  const kinds = Array.from({ length: options.workers }, () => ['schedule']);
  const workers = await startEngines(kinds, world.env);
  try {
    const files = { input, output, failures };
    const run = await recalculate(world, { workers, files, options });
    const lag = await lagOfBulkLane(world);
    const exits = await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
    const dead = await world.broker.admin.offsets(world.topic('scheduleDeadLetters'));
    const figures = {
      ...run,
      lag,
      deadLetters: dead.reduce((sum, { low, high }) => sum + high - low, 0),
      ...(await checkResults(files, sampleEvery)),
      ...(await matchReplies(world, 'scheduleBulkRequests', 'recalculationReplies')),
    };
    return {
      contracts,
      ...figures,
      faults: [
        ...run.faults,
        ...exits.filter((code) => code !== 0).map((code) => `a worker exited with ${code} after SIGTERM`),
        ...figures.wrong,
        ...nonZero(figures, 'misplaced', 'failures', 'unanswered', 'differing', 'lag', 'deadLetters'),
        ...(figures.lines === contracts ? [] : [`${figures.lines} results for ${contracts} contracts`]),
      ],
    };
  } finally {
    for (const worker of workers) worker.child.kill('SIGKILL');
  }
}

interface Run {
  /** Running workers; one that is killed is replaced. */
  readonly workers: EngineProcess[];
  readonly files: Readonly<Record<'input' | 'output' | 'failures', string>>;
  readonly options: PortfolioRunOptions;
}

interface Incident {
  readonly atShare: number;
  readonly name: string;
  readonly run: () => Promise<void>;
}

async function recalculate(world: SoakWorld, { workers, files, options }: Run) {
  const { contracts, limitMs } = options;
  const counts = { workerKills: 0, brokerRestarts: 0, commandKills: 0 };
  const faults: string[] = [];
  const start = (...more: string[]) =>
    spawnScript(
      [
        'scripts/recalculate.ts',
        ...Object.entries(files).map(([name, file]) => `--${name}=${file}`),
        `--as-of=${AS_OF}`,
        '--compare',
        ...options.commandOptions,
        ...more,
      ],
      world.env,
    );
  let command = start();
  const startedAt = performance.now();
  const killWorker = async (): Promise<void> => {
    counts.workerKills += 1;
    const oldest = workers.shift();
    await oldest?.end('SIGKILL');
    workers.push(await startOne(['schedule'], world.env));
  };
  const [node] = world.nodes;
  const restartBroker = async (): Promise<void> => {
    counts.brokerRestarts += 1;
    await node?.kill('SIGKILL');
    await sleep(options.brokerAwayMs);
    await node?.restart();
  };
  const killCommand = async (): Promise<void> => {
    counts.commandKills += 1;
    const killed = command;
    killed.child.kill('SIGKILL');
    await killed.ended;
    command = start('--resume');
  };
  const waiting: Incident[] = [
    ...options.workerKillsAt.map((atShare) => ({ atShare, name: 'kill -9 of a worker', run: killWorker })),
    ...(node === undefined
      ? []
      : [{ atShare: options.brokerRestartAt, name: 'kill -9 of a broker', run: restartBroker }]),
    { atShare: options.commandKillAt, name: 'kill -9 of the command, and --resume', run: killCommand },
  ].toSorted((one, other) => one.atShare - other.atShare);
  const incidents: Promise<void>[] = [];
  const countResults = createLineCounter(files.output);
  try {
    for (;;) {
      const current = command;
      const end = await Promise.race([current.ended, sleep(POLL_MS)]);
      const done = await countResults();
      while (waiting[0] !== undefined && waiting[0].atShare <= done / contracts) {
        const { name, run } = waiting.shift() as Incident;
        world.say(`${done} of ${contracts} results: ${name}`);
        incidents.push(run().catch((error: unknown) => void faults.push(`${name}: ${errorText(error)}`)));
      }
      if (end !== undefined && current === command && end !== 'SIGKILL') {
        faults.push(
          ...(end === 0 ? [] : [`the command exited with ${end}: ${current.stderr().slice(-MAX_KEPT)}`]),
        );
        break;
      }
      if (performance.now() - startedAt > limitMs)
        throw new Error(`no end within ${limitMs} ms: ${done} results; ${current.stderr().slice(-MAX_KEPT)}`);
    }
    const durationMs = performance.now() - startedAt;
    await Promise.all(incidents);
    faults.push(...waiting.map(({ name }) => `not reached: ${name}`));
    return { ...counts, durationMs, faults };
  } finally {
    command.child.kill('SIGKILL');
  }
}

/** Counts the lines of a growing file, and starts again when the file was truncated. */
function createLineCounter(file: string): () => Promise<number> {
  let [position, lines] = [0, 0];
  return async () => {
    const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size < position) [position, lines] = [0, 0];
    if (size === position) return lines;
    for await (const chunk of createReadStream(file, { start: position }) as AsyncIterable<Buffer>) {
      position += chunk.length;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    }
    return lines;
  };
}
