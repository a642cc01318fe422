/** Measures the start of the engine with the embedded broker, and its memory at rest and after many calls. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHttpLoad } from '../calls/http-load.ts';
import { median } from '../load.ts';
import { killAtExit } from '../processes.ts';
import { processSeconds, residentMiB } from '../proc-readings.ts';
import { asTarget, atMost, type BenchOptions, inTurns, type PartResults, type Ratio } from '../rounds.ts';
import { SCHEDULE_CALL } from '../samples.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import packageJson from '../../../package.json' with { type: 'json' };

/** Targets: milliseconds from the start of the command to the first answer, and resident MiB at rest and after the calls. */
const AIM = { firstAnswerMs: 400, restMiB: 100, usedMiB: 250 } as const;
/** How long the engine is left alone before its memory at rest is read. */
const REST_MS = 3_000;
/** Calls after which memory is read, and how many of them are in flight at any time. */
const CALLS = 100_000;
const WINDOW = 64;
/** Interval of the attempts until the first answer. */
const POLL_MS = 2;
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const MS_PER_SECOND = 1_000;

/** The arguments of Node in `npm start`: options that limit its memory, and the program. */
const NODE_ARGS = packageJson.scripts.start.split(' ').slice(1);

/** How the engine is started: as users do, or without npm, which takes part of the time. */
const COMMANDS = [
  { name: 'npm start', program: 'npm', args: ['start', '--silent'] },
  { name: 'node workers/main.mjs', program: process.execPath, args: NODE_ARGS },
] as const;

/** One start. */
interface Start {
  readonly firstAnswerMs: number;
  /** Processor time of the process until then; without npm only, whose processes have ended or are others. */
  readonly processorMs: number;
  /** Resident memory at rest; without npm only. */
  readonly restMiB: number;
}

interface StartFigures {
  readonly starts: readonly (Start & { readonly name: string })[];
  /** Resident memory after {@link CALLS} calls. */
  readonly usedMiB: number;
  readonly ratios: readonly Ratio[];
}

/** Starts the engine several times by each command, then calls it; processor time and memory are read from /proc. */
export async function benchStart(
  options: Pick<BenchOptions, 'rounds' | 'progress'>,
): Promise<PartResults<StartFigures>> {
  // The first start compiles the sources, later ones read the result from the cache of Node.
  for (const command of COMMANDS) await measureStart(command);
  const rounds = await inTurns(
    options,
    COMMANDS,
    (command) => measureStart(command),
    ({ firstAnswerMs }) => `, first answer after ${Math.round(firstAnswerMs)} ms`,
  );
  const starts = COMMANDS.map(({ name }, index) => ({ name, ...medians(rounds[index] ?? []) }));
  options.progress(`${thousands(CALLS)} calls`);
  const usedMiB = await memoryAfterCalls();
  const [byNpm, byNode] = starts;
  const ratios = [
    atMost(
      'ms from npm start to the first answer',
      { value: byNpm?.firstAnswerMs ?? Number.NaN },
      AIM.firstAnswerMs,
    ),
    atMost('resident MiB at rest', { value: byNode?.restMiB ?? Number.NaN }, AIM.restMiB),
    atMost(`resident MiB after ${thousands(CALLS)} calls`, { value: usedMiB }, AIM.usedMiB),
  ].map(asTarget);
  return { figures: { starts, usedMiB, ratios }, tables: [startTable(starts), ratioTable(ratios)] };
}

interface Engine {
  readonly pid: number | undefined;
  readonly url: URL;
  readonly firstAnswerMs: number;
  readonly stop: () => Promise<void>;
}

type Command = (typeof COMMANDS)[number];

async function measureStart(command: Command): Promise<Start> {
  const { pid, firstAnswerMs, stop } = await startEngine(command);
  try {
    const processorMs = processSeconds(pid) * MS_PER_SECOND;
    await sleep(REST_MS);
    return { firstAnswerMs, processorMs, restMiB: residentMiB(pid) };
  } finally {
    await stop();
  }
}

async function memoryAfterCalls(): Promise<number> {
  const { pid, url, stop } = await startEngine(COMMANDS[1]);
  try {
    const http = await openHttpLoad(url, SCHEDULE_CALL, WINDOW);
    let left = CALLS;
    const callOn = async (slot: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await http.requestUntilAnswered(slot);
      }
    };
    await Promise.all(Array.from({ length: WINDOW }, (_, slot) => callOn(slot)));
    http.close();
    return residentMiB(pid);
  } finally {
    await stop();
  }
}

/** Resolves with the first answer to a schedule request. */
async function startEngine({ name, program, args }: Command): Promise<Engine> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: {
      ...process.env,
      KAFKA_BROKERS: '',
      DATA_DIR: 'memory',
      PORT: String(port),
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    },
  });
  killAtExit(child);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  };
  const url = new URL(`http://127.0.0.1:${port}${SCHEDULE_CALL.path}`);
  const headers = { 'content-type': 'application/json' };
  const { body } = SCHEDULE_CALL;
  while (performance.now() - startedAt < START_LIMIT_MS && child.exitCode === null) {
    const answer = await fetch(url, { method: 'POST', headers, body: String(body) }).catch(() => undefined);
    if (answer?.status === 200) {
      await answer.arrayBuffer();
      return { pid: child.pid, url, firstAnswerMs: performance.now() - startedAt, stop };
    }
    await sleep(POLL_MS);
  }
  await stop();
  throw new Error(`${name} did not answer`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function medians(starts: readonly Start[]): Start {
  return {
    firstAnswerMs: median(starts.map(({ firstAnswerMs }) => firstAnswerMs)),
    processorMs: median(starts.map(({ processorMs }) => processorMs)),
    restMiB: median(starts.map(({ restMiB }) => restMiB)),
  };
}

function startTable(starts: StartFigures['starts']): string {
  const rows = starts.map(({ name, firstAnswerMs, processorMs, restMiB }) =>
    name === COMMANDS[0].name
      ? [name, firstAnswerMs.toFixed(0), '', '']
      : [name, firstAnswerMs.toFixed(0), processorMs.toFixed(0), restMiB.toFixed(0)],
  );
  return table(['start', 'first answer ms', 'processor ms', 'MiB at rest'], rows);
}
