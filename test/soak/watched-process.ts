import { readFileSync } from 'node:fs';
import { errorText } from '../../shared/platform/errors.ts';
import { sleep } from '../support/conformance/wait.ts';
import type { EngineProcess } from '../support/worlds/engine-process.ts';
import { type Say, startEngines, startOne } from './soak-world.ts';

const PROBE_EVERY_MS = 1_000;
const PROBE_LIMIT_MS = 5_000;
/** A process that does not answer probes for this long counts as hanging and is killed. */
const HANG_MS = 15_000;
/** Unit of the processor times in /proc (USER_HZ is 100 on every Linux that Node supports). */
const TICK_MS = 10;
const RESTART_PAUSE_MS = 500;
const ERROR_CHARACTERS = 600;

/**
 * One line for each unexpected exit, each process that did not respond, with the share of a processor that it used (a blocked
 * event loop uses much, a process that exits slowly little), and each start that did not complete.
 */
export type Sightings = string[];

interface WatchOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly sightings: Sightings;
  readonly say: Say;
}

/** A watched process of the system; it is replaced when it exits or hangs. */
export class WatchedProcess {
  readonly #workers: readonly string[];
  readonly #options: WatchOptions;
  readonly #watching: Promise<void>;
  #engine: EngineProcess;
  #isOver = false;

  private constructor(workers: readonly string[], options: WatchOptions, engine: EngineProcess) {
    this.#workers = workers;
    this.#options = options;
    this.#engine = engine;
    this.#watching = this.#watch();
  }

  /** Rejects if a first start fails. */
  static async startAll(
    kinds: readonly (readonly string[])[],
    options: WatchOptions,
  ): Promise<WatchedProcess[]> {
    const engines = await startEngines(kinds, options.env);
    return engines.map((engine, index) => new WatchedProcess(kinds[index] ?? [], options, engine));
  }

  /** Address of the current or last process. */
  get url(): string {
    return this.#engine.url;
  }

  /** Returns whether `/health/ready` responds with 200. */
  async isReady(): Promise<boolean> {
    return (await probe(`${this.url}/health/ready`)) === 200;
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
    this.#engine.child.kill('SIGKILL');
    await this.#watching;
  }

  async #watch(): Promise<void> {
    let answered = momentOf(this.#engine);
    for (; !this.#isOver; await sleep(PROBE_EVERY_MS)) {
      const answer = await probe(`${this.url}/health/live`);
      const { exitCode, signalCode } = this.#engine.child;
      const now = momentOf(this.#engine);
      const pastMs = now.atMs - answered.atMs;
      if (this.#isOver) return;
      if (exitCode !== null || signalCode !== null) await this.#replace(`${exitCode ?? signalCode}`);
      else if (typeof answer === 'string' && pastMs < HANG_MS) continue;
      else if (typeof answer === 'string') {
        const percent = Math.round(((now.ticks - answered.ticks) * TICK_MS * 100) / pastMs);
        await this.#replace(`no response for ${pastMs} ms (${answer}), ${percent} % of a processor`);
      }
      answered = momentOf(this.#engine);
    }
  }

  async #replace(what: string): Promise<void> {
    const { env, sightings, say } = this.#options;
    const name = this.#workers.join('+');
    const line = `${name}: ${what} ${this.#engine.stderr().slice(-ERROR_CHARACTERS)}`;
    sightings.push(line);
    say(`!!! ${line}`);
    await this.#engine.end('SIGKILL');
    while (!this.#isOver) {
      try {
        this.#engine = await startOne(this.#workers, env);
        return;
      } catch (error) {
        sightings.push(`${name} did not start: ${errorText(error).slice(-ERROR_CHARACTERS)}`);
        await sleep(RESTART_PAUSE_MS);
      }
    }
  }
}

/** A time, and the processor time used until then; 0 where the system does not report it. */
function momentOf({ child }: EngineProcess) {
  let ticks = 0;
  try {
    // After the name in parentheses, which may contain spaces, utime is the 12th field.
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    ticks = Number(fields[11]) + Number(fields[12]);
  } catch {
    // It has ended.
  }
  return { atMs: performance.now(), ticks };
}

/** The status of the response, or why there was none in time. */
async function probe(url: string): Promise<number | string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return errorText(error instanceof Error ? (error.cause ?? error) : error);
  }
}
