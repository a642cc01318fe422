import { readFileSync } from 'node:fs';
import { errorText } from '../../shared/platform/errors.ts';
import { sleep } from '../support/conformance/wait.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import type { Say } from './soak-world.ts';
import { SOAK_READY_LIMIT_MS } from './worker-pool.ts';

const PROBE_EVERY_MS = 1_000;
const PROBE_LIMIT_MS = 5_000;
/** A process that does not answer probes for this long counts as hanging and is killed. */
const HANG_MS = 15_000;
/** A process that accepts connections, answers nothing and uses this share of a processor is spinning. */
const SPIN_SHARE = 0.1;
/** Unit of the processor times in /proc (USER_HZ is 100 on every Linux that Node supports). */
const TICK_MS = 10;
const RESTART_PAUSE_MS = 500;
const ERROR_CHARACTERS = 600;

/** Observations of all watched processes. */
export interface Sightings {
  /** Unexpected exits: exit code or signal, and the end of stderr. */
  readonly crashes: string[];
  /** Processes whose `/health/live` did not respond while they used the processor: a blocked event loop. */
  readonly spins: string[];
  /** Other processes that did not respond, including those that exit slowly after an error. */
  readonly hangs: string[];
  /** Starts that did not complete. */
  readonly failedStarts: string[];
}

export interface WatchOptions {
  readonly workers: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly sightings: Sightings;
  readonly say: Say;
}

/** A watched process of the system; it is replaced when it exits or hangs. */
export class WatchedProcess {
  readonly #options: WatchOptions;
  readonly #name: string;
  #engine: EngineProcess;
  #watching = Promise.resolve();
  #isOver = false;

  private constructor(options: WatchOptions, engine: EngineProcess) {
    this.#options = options;
    this.#name = options.workers.join('+');
    this.#engine = engine;
  }

  /** Rejects if the first start fails. */
  static async start(options: WatchOptions): Promise<WatchedProcess> {
    const engine = await startEngine(options.workers, options.env, SOAK_READY_LIMIT_MS);
    const watched = new WatchedProcess(options, engine);
    watched.#watching = watched.#watch();
    return watched;
  }

  /** Address of the current or last process. */
  get url(): string {
    return this.#engine.url;
  }

  /** Returns whether `/health/ready` responds with 200. */
  isReady(): Promise<boolean> {
    return probe(`${this.url}/health/ready`, 200).then((failure) => failure === undefined);
  }

  /** Stops watching and sends SIGTERM; resolves with the exit code or signal. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.#isOver = true;
    await this.#watching;
    return this.#engine.end('SIGTERM');
  }

  /** Sends SIGKILL if the process is running. */
  async abandon(): Promise<void> {
    this.#isOver = true;
    if (!hasEnded(this.#engine)) await this.#engine.end('SIGKILL');
    await this.#watching;
  }

  async #watch(): Promise<void> {
    let lastAnswer = momentOf(this.#engine);
    for (; !this.#isOver; await sleep(PROBE_EVERY_MS)) {
      const failure = await probe(`${this.url}/health/live`);
      if (this.#isOver) return;
      const isEnded = hasEnded(this.#engine);
      const isHanging = performance.now() - lastAnswer.atMs >= HANG_MS;
      if (failure !== undefined && !isEnded && !isHanging) continue;
      if (isEnded) await this.#replaceEnded();
      else if (failure !== undefined) await this.#replaceHanging(lastAnswer, failure);
      lastAnswer = momentOf(this.#engine);
    }
  }

  async #replaceEnded(): Promise<void> {
    const { sightings, say } = this.#options;
    const { exitCode, signalCode } = this.#engine.child;
    const line = `${this.#name}: ${exitCode ?? signalCode} ${this.#engine.stderr().slice(-ERROR_CHARACTERS)}`;
    sightings.crashes.push(line);
    say(`!!! crashed: ${line}`);
    await this.#restart();
  }

  async #replaceHanging(lastAnswer: Moment, failure: string): Promise<void> {
    const { sightings, say } = this.#options;
    const now = momentOf(this.#engine);
    const pastMs = now.atMs - lastAnswer.atMs;
    const share = ((now.ticks - lastAnswer.ticks) * TICK_MS) / pastMs;
    const seconds = (pastMs / 1_000).toFixed(0);
    const line =
      `${this.#name}: no response for ${seconds} s (${failure}), ${Math.round(share * 100)} % of a processor ` +
      this.#engine.stderr().slice(-ERROR_CHARACTERS);
    const isSpinning = share >= SPIN_SHARE && !failure.includes('ECONNREFUSED');
    (isSpinning ? sightings.spins : sightings.hangs).push(line);
    say(`!!! ${line}`);
    await this.#engine.end('SIGKILL');
    await this.#restart();
  }

  async #restart(): Promise<void> {
    const { workers, env, sightings } = this.#options;
    while (!this.#isOver) {
      try {
        this.#engine = await startEngine(workers, env, SOAK_READY_LIMIT_MS);
        return;
      } catch (error) {
        sightings.failedStarts.push(`${this.#name}: ${errorText(error).slice(-ERROR_CHARACTERS)}`);
        await sleep(RESTART_PAUSE_MS);
      }
    }
  }
}

/** A time, and the processor time used until then. */
interface Moment {
  readonly atMs: number;
  readonly ticks: number;
}

function momentOf(engine: EngineProcess): Moment {
  return { atMs: performance.now(), ticks: processorTicks(engine) };
}

function hasEnded({ child }: EngineProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Resolves with undefined when the response arrives in time with the expected status, otherwise with the failure. */
async function probe(url: string, status?: number): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    await response.arrayBuffer();
    return status === undefined || response.status === status ? undefined : `status ${response.status}`;
  } catch (error) {
    return errorText(error instanceof Error ? (error.cause ?? error) : error);
  }
}

/** Processor time used since the process started; 0 where the system does not report it. */
function processorTicks({ child }: EngineProcess): number {
  try {
    // The process name is in parentheses and may contain spaces; after it, the state is the first field and utime the
    // 12th.
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
