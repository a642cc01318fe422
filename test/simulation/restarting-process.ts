import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../shared/messaging/ports.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import { silentLog, type Log } from '../../shared/platform/log.ts';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { start as startNotificationWorker } from '../../workers/notification/main.ts';
import { startProductWorker } from '../../workers/product/main.ts';
import { EXIT_GRACE_MS } from '../../workers/run-process.ts';
import type { StartWorker, WorkerContext } from '../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../workers/simulation/main.ts';
import { DRAIN_TIMEOUT_MS, startWorkers } from '../../workers/start-workers.ts';
import type { RunningSystem, StartOptions } from '../../workers/start-workers.ts';
import type { WorkerName } from '../../workers/worker-list.ts';
import { inject, type Answer, type Call } from './ingress-call.ts';
import { plantInBroker, plantInProviders, type PlantedFault } from './planted-faults.ts';
import type { ProviderSet } from '../../workers/notification/providers/configured-providers.ts';
import { type Host, ProcessLife, type Machine } from './sim-process.ts';

/** An orchestrator restarts a process that could not start after this time. */
const RESTART_MS = 1_000;
const RESET: Reset = { kind: 'reset' };

export interface ProcessSpec {
  readonly name: string;
  readonly workers: readonly WorkerName[];
}

/** The process ended, or was not running, so that the caller got no response. */
interface Reset {
  readonly kind: 'reset';
}

export type CallResult = ({ readonly kind: 'answer' } & Answer) | Reset;
type Served<Value> = { readonly kind: 'answer'; readonly value: Value } | Reset;

export interface ProcessStop {
  readonly process: string;
  /** `late`: it was ended because it took longer than it may; `failed`: with an error. */
  readonly how: 'stopped' | 'late' | 'failed';
  readonly resets: number;
  readonly wasFrozen: boolean;
}

export interface ProcessObserver {
  onEvent?(line: string): void;
  onStop?(stop: ProcessStop): void;
  logOf?(processName: string): Log;
}

export type OpenProviders = (host: Host) => ProviderSet;

export interface ProcessWorld {
  readonly config: Config;
  readonly observer: ProcessObserver;
  readonly providers: OpenProviders;
  readonly plant: PlantedFault | undefined;
  /** The broker, or the disk for its own one, of a life that begins. */
  readonly connect: (life: ProcessLife) => Pick<StartOptions, 'broker' | 'disk'>;
  /** Called before the first worker of a life starts; returns the broker that the workers get. */
  readonly openBroker?: (broker: Broker, life: ProcessLife) => Promise<Broker>;
  readonly onEnd?: (life: ProcessLife) => void;
}

export class RestartingProcess {
  readonly name: string;
  readonly workers: readonly WorkerName[];
  readonly machine: Machine;
  readonly #world: ProcessWorld;
  #life: ProcessLife | undefined;
  #running: RunningSystem | undefined;
  #app: FastifyInstance | undefined;
  #starts = 0;
  /** Ends the present life as SIGTERM does, and resolves when its workers have stopped. */
  #stopWorkers: () => Promise<void> = () => Promise.resolve();
  #isStopping = false;
  #wasFrozen = false;
  readonly #calls = new Set<() => void>();
  readonly #requests = new Set<object>();

  constructor({ name, workers }: ProcessSpec, world: ProcessWorld, machine: Machine) {
    this.name = name;
    this.workers = workers;
    this.#world = world;
    this.machine = machine;
  }

  state(): 'starting' | 'running' | 'stopping' | 'frozen' | 'down' {
    if (this.#life?.isAlive() !== true) return 'down';
    if (this.#life.isFrozen) return 'frozen';
    if (this.#isStopping) return 'stopping';
    return this.#running === undefined ? 'starting' : 'running';
  }

  running(): RunningSystem | undefined {
    return this.state() === 'running' ? this.#running : undefined;
  }

  async start(): Promise<void> {
    this.#starts += 1;
    const life = new ProcessLife(`${this.name}#${this.#starts}`, this.machine);
    this.#life = life;
    this.#running = undefined;
    this.#app = undefined;
    this.#isStopping = false;
    this.#note('starts');
    const { config, observer, connect } = this.#world;
    const ending = new AbortController();
    const { signal } = ending;
    const starting = startWorkers({
      config,
      names: this.workers,
      log: observer.logOf?.(this.name) ?? silentLog,
      ports: life.ports,
      ...connect(life),
      starters: this.#starters(life),
      signal,
    });
    this.#stopWorkers = async () => {
      ending.abort(new Error('SIGTERM'));
      const running = await starting.catch(() => undefined);
      await running?.stop();
    };
    try {
      const running = await starting;
      if (this.#life !== life) return;
      this.#running = running;
      this.#note('is running');
    } catch (error) {
      if (signal.aborted) return;
      this.#note(`did not start: ${String(error)}`);
      this.crash(0, RESTART_MS);
    }
  }

  async call(call: Call): Promise<CallResult> {
    const app = this.#app;
    const request = {};
    this.#requests.add(request);
    try {
      const answered = await this.#enter(app, (server) => inject(server, call));
      return answered.kind === 'answer' ? { kind: 'answer', ...answered.value } : answered;
    } catch {
      // A connection that is closed without a response.
      return RESET;
    } finally {
      this.#requests.delete(request);
    }
  }

  serve<Value>(work: (running: RunningSystem) => Promise<Value>): Promise<Served<Value>> {
    return this.#enter(this.#isStopping ? undefined : this.#running, work);
  }

  #enter<Part, Value>(part: Part | undefined, work: (part: Part) => Promise<Value>): Promise<Served<Value>> {
    const life = this.#life;
    if (life?.isAlive() !== true || part === undefined) return Promise.resolve(RESET);
    return new Promise((resolve, reject) => {
      const reset = (): void => {
        this.#calls.delete(reset);
        resolve(RESET);
      };
      const settle = (end: () => void): void => {
        if (life.isAlive() && this.#calls.delete(reset)) end();
      };
      this.#calls.add(reset);
      life.enter(() => {
        work(part).then(
          (value) => settle(() => resolve({ kind: 'answer', value })),
          (error: unknown) => settle(() => reject(error)),
        );
      });
    });
  }

  crash(afterEffects: number, downMs: number, onCrash?: () => void): void {
    const life = this.#life;
    if (life?.isAlive() !== true) return;
    const { timers, monotonic } = this.machine.system;
    const upAtMs = monotonic.elapsedMs() + downMs;
    life.endAfter(afterEffects, () => {
      this.#note('crashed');
      for (const reset of this.#calls) reset();
      this.#world.onEnd?.(life);
      onCrash?.();
      timers.schedule(() => void this.start(), upAtMs - monotonic.elapsedMs());
    });
    timers.schedule(() => life.endAfter(Infinity), downMs);
  }

  terminate(downMs: number): void {
    const life = this.#life;
    if (life?.isAlive() !== true || this.#isStopping) return;
    const upAtMs = this.machine.system.monotonic.elapsedMs() + downMs;
    this.#note('gets SIGTERM');
    this.#isStopping = true;
    this.#wasFrozen = life.isFrozen;
    life.enter(() => void this.#endOnSignal(life, upAtMs));
  }

  /** What workers/run-process.ts does on SIGTERM. */
  async #endOnSignal(life: ProcessLife, upAtMs: number): Promise<void> {
    const limitMs = DRAIN_TIMEOUT_MS + EXIT_GRACE_MS;
    life.ports.timers.schedule(() => this.#exit(life, 'late', upAtMs), limitMs, 'background');
    try {
      await this.#stopWorkers();
      this.#exit(life, 'stopped', upAtMs);
    } catch (error) {
      this.#note(`did not stop: ${String(error)}`);
      this.#exit(life, 'failed', upAtMs);
    }
  }

  #exit(life: ProcessLife, how: ProcessStop['how'], upAtMs: number): void {
    if (!life.isAlive()) return;
    const { timers, monotonic } = this.machine.system;
    life.endAfter(Infinity);
    life.end();
    this.#note(`has ended: ${how}`);
    const resets = this.#requests.size;
    for (const reset of this.#calls) reset();
    this.#world.onEnd?.(life);
    this.#world.observer.onStop?.({ process: this.name, how, resets, wasFrozen: this.#wasFrozen });
    timers.schedule(() => void this.start(), upAtMs - monotonic.elapsedMs());
  }

  freeze(forMs: number): void {
    const life = this.#life;
    this.#wasFrozen = true;
    life?.freeze();
    this.machine.system.timers.schedule(() => life?.thaw(), forMs);
  }

  async stop(): Promise<void> {
    await this.#stopWorkers();
    this.#life?.end();
  }

  #note(what: string): void {
    this.#world.observer.onEvent?.(`${this.#life?.id ?? this.name} ${what}`);
  }

  /** What a process reaches outside is replaced: the socket of the ingress, the providers, and threads. */
  #starters(life: ProcessLife): Readonly<Record<WorkerName, StartWorker>> {
    const { config, providers, plant, openBroker } = this.#world;
    let broker: Broker | undefined;
    const within =
      (start: StartWorker): StartWorker =>
      async ({ threads: _threads, ...context }) => {
        broker ??= plantInBroker(plant, (await openBroker?.(context.broker, life)) ?? context.broker);
        return start({ ...context, broker });
      };
    return {
      ingress: within((context) =>
        startIngressWorker(withoutIndex(context), async (created) => {
          await created.ready();
          if (life.isAlive()) this.#app = created;
          return config.http.port;
        }),
      ),
      schedule: within(startScheduleWorker),
      product: within(startProductWorker),
      simulation: within(startSimulationWorker),
      notification: within((context) =>
        startNotificationWorker(withoutIndex(context), () =>
          Promise.resolve(plantInProviders(plant, providers(life))),
        ),
      ),
    };
  }
}

/** The index of records is in memory and built at each start: the files of SQLite would be on the disk of the machine. */
function withoutIndex<Context extends Pick<WorkerContext, 'config'>>(context: Context): Context {
  return { ...context, config: { ...context.config, dataFolder: undefined } };
}
