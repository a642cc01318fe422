import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../shared/messaging/ports.ts';
import type { Health } from '../../shared/platform/health.ts';
import type { QueueSize } from '../../shared/platform/queues/queue-size.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import { silentLog, type Log } from '../../shared/platform/log.ts';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { start as startNotificationWorker } from '../../workers/notification/main.ts';
import { startProductWorker } from '../../workers/product/main.ts';
import type { StartWorker, WorkerContext } from '../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../workers/simulation/main.ts';
import { startWorkers, type RunningSystem, type StartOptions } from '../../workers/start-workers.ts';
import type { WorkerName } from '../../workers/worker-list.ts';
import { inject, type Answer, type Call } from './ingress-call.ts';
import type { SimProviders } from './providers.ts';
import { ProcessLife, type Machine } from './sim-process.ts';

/** An orchestrator restarts a process that could not start after this time. */
const RESTART_MS = 1_000;

export interface ProcessSpec {
  readonly name: string;
  readonly workers: readonly WorkerName[];
}

/** `reset`: the process ended, or was not running, so that the caller got no response. */
export type CallResult = ({ readonly kind: 'answer' } & Answer) | { readonly kind: 'reset' };

export interface SimProcess {
  readonly name: string;
  /** `starting` until all its workers have started. */
  state(): 'starting' | 'running' | 'frozen' | 'down';
  /** The health of each worker as the process sees it; undefined unless it runs. */
  health(): Readonly<Record<string, Health>> | undefined;
  /** Its metrics as Prometheus text; undefined unless it runs. */
  metrics(): Promise<string> | undefined;
  /** Its queues in memory, if it runs and has done something since the last call; otherwise none. */
  queues(): readonly QueueSize[];
  /** Number of starts so far. */
  starts(): number;
}

/** What learns about a process. */
export interface ProcessObserver {
  /** A fault begins or ends, a process starts, is ready or ends; one line without a time. */
  onEvent?(line: string): void;
  /** The log of a process; default: discarded. */
  logOf?(processName: string): Log;
}

/** What surrounds a process. */
export interface ProcessWorld {
  readonly config: Config;
  readonly observer: ProcessObserver;
  readonly providers: Pick<SimProviders, 'open'>;
  /** The broker, or the disk for its own one, of a life that begins. */
  readonly connect: (life: ProcessLife) => Pick<StartOptions, 'broker' | 'diskIo'>;
  /** A life has ended without a stop. */
  readonly onCrash?: (life: ProcessLife) => void;
}

/** A process that an orchestrator starts again after each end. */
export class RestartingProcess implements SimProcess {
  readonly name: string;
  readonly machine: Machine;
  readonly #workers: readonly WorkerName[];
  readonly #world: ProcessWorld;
  #life: ProcessLife | undefined;
  #running: RunningSystem | undefined;
  #app: FastifyInstance | undefined;
  #starts = 0;
  /** Ends the calls in progress without a response. */
  readonly #calls = new Set<() => void>();

  constructor({ name, workers }: ProcessSpec, world: ProcessWorld, machine: Machine) {
    this.name = name;
    this.#workers = workers;
    this.#world = world;
    this.machine = machine;
  }

  state(): ReturnType<SimProcess['state']> {
    if (this.#life?.isAlive() !== true) return 'down';
    if (this.#life.isFrozen) return 'frozen';
    return this.#running === undefined ? 'starting' : 'running';
  }

  health(): Readonly<Record<string, Health>> | undefined {
    return this.state() === 'running' ? this.#running?.health() : undefined;
  }

  metrics(): Promise<string> | undefined {
    return this.state() === 'running' ? this.#running?.metrics.text() : undefined;
  }

  queues(): readonly QueueSize[] {
    if (!this.machine.hasRun) return [];
    this.machine.hasRun = false;
    return (this.state() === 'running' ? this.#running?.metrics.queues() : undefined) ?? [];
  }

  starts(): number {
    return this.#starts;
  }

  /** The broker as the process has it; undefined unless it runs. */
  broker(): Broker | undefined {
    return this.state() === 'running' ? this.#running?.broker : undefined;
  }

  /** Resolves when all workers have started. A start that fails is repeated, as by an orchestrator. */
  async start(): Promise<void> {
    this.#starts += 1;
    const life = new ProcessLife(`${this.name}#${this.#starts}`, this.machine);
    this.#life = life;
    this.#running = undefined;
    this.#app = undefined;
    this.#note('starts');
    const { config, observer, connect } = this.#world;
    try {
      const running = await startWorkers({
        config,
        names: this.#workers,
        log: observer.logOf?.(this.name) ?? silentLog,
        ports: life.ports,
        ...connect(life),
        starters: this.#starters(life),
      });
      if (this.#life !== life) return;
      this.#running = running;
      this.#note('is running');
    } catch (error) {
      this.#note(`did not start: ${String(error)}`);
      this.crash(0, RESTART_MS);
    }
  }

  call(call: Call): Promise<CallResult> {
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    const life = this.#life;
    const reset = (): void => {
      this.#calls.delete(reset);
      resolve({ kind: 'reset' });
    };
    if (life?.isAlive() !== true || this.#app === undefined) {
      reset();
      return promise;
    }
    const app = this.#app;
    this.#calls.add(reset);
    life.enter(() => {
      void this.#answer(app, call, { life, reset, resolve });
    });
    return promise;
  }

  async #answer(
    app: FastifyInstance,
    call: Call,
    { life, reset, resolve }: { life: ProcessLife; reset: () => void; resolve: (result: CallResult) => void },
  ): Promise<void> {
    try {
      const answer = await inject(app, call);
      if (life.isAlive() && this.#calls.delete(reset)) resolve({ kind: 'answer', ...answer });
    } catch {
      reset();
    }
  }

  /** Ends the process after this number of further effects, and starts it again this time from now. */
  crash(afterEffects: number, downMs: number): void {
    const life = this.#life;
    if (life?.isAlive() !== true) return;
    const { timers, monotonic } = this.machine.system;
    const upAtMs = monotonic.elapsedMs() + downMs;
    life.endAfter(afterEffects, () => {
      this.#note('crashed');
      for (const reset of this.#calls) reset();
      this.#world.onCrash?.(life);
      timers.schedule(() => void this.start(), upAtMs - monotonic.elapsedMs());
    });
    timers.schedule(() => life.endAfter(Infinity), downMs);
  }

  freeze(forMs: number): void {
    const life = this.#life;
    life?.freeze();
    this.machine.system.timers.schedule(() => life?.thaw(), forMs);
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#life?.end();
  }

  #note(what: string): void {
    this.#world.observer.onEvent?.(`${this.#life?.id ?? this.name} ${what}`);
  }

  /** What a process reaches outside is replaced: the socket of the ingress, the providers, and threads. */
  #starters(life: ProcessLife): Readonly<Record<WorkerName, StartWorker>> {
    const { config, providers } = this.#world;
    return {
      ingress: ({ threads: _threads, ...context }) =>
        startIngressWorker(withoutIndex(context), async (created) => {
          await created.ready();
          if (life.isAlive()) this.#app = created;
          return config.http.port;
        }),
      schedule: ({ threads: _threads, ...context }) => startScheduleWorker(context),
      product: startProductWorker,
      simulation: startSimulationWorker,
      notification: (context) =>
        startNotificationWorker(withoutIndex(context), () => Promise.resolve(providers.open(life))),
    };
  }
}

/** The index of records is in memory and built at each start: the files of SQLite would be on the disk of the machine. */
function withoutIndex<Context extends Pick<WorkerContext, 'config'>>(context: Context): Context {
  return { ...context, config: { ...context.config, dataFolder: undefined } };
}
