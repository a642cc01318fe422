import type { FastifyInstance } from 'fastify';
import { createMemoryBroker } from '../../shared/messaging/memory/broker.ts';
import type { LogMessage, OutgoingMessage } from '../../shared/messaging/message.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import type { Health } from '../../shared/platform/health.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog, type Log } from '../../shared/platform/log.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { start as startNotificationWorker } from '../../workers/notification/main.ts';
import { startProductWorker } from '../../workers/product/main.ts';
import { publishCatalogue } from '../../workers/publish-catalogue.ts';
import type { StartWorker } from '../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../workers/simulation/main.ts';
import { startWorkers, type RunningSystem } from '../../workers/start-workers.ts';
import type { WorkerName } from '../../workers/worker-list.ts';
import { BrokerModel, type BrokerObserver } from './broker/broker-model.ts';
import { createProcessBroker } from './broker/process-broker.ts';
import { CallFates, type FaultCounts } from './faults/call-fates.ts';
import type { FaultPlan, Incident } from './faults/fault-plan.ts';
import { inject, type Answer, type Call } from './inject.ts';
import { SimProviders, type ProviderObserver } from './providers.ts';
import { seededSystem, type SeededSystem } from './seeded-system.ts';
import { createMachine, ProcessLife, type Machine } from './sim-process.ts';

/** Longest simulated time of the start of all processes, and of their end. */
const START_LIMIT_MS = 120_000;
const PROVIDER_TIMEOUT_MS = 2_000;

export interface ProcessSpec {
  readonly name: string;
  readonly workers: readonly WorkerName[];
}

/** Processes as in production: several instances of what has state, one of the others. */
export const PROCESSES: readonly ProcessSpec[] = [
  { name: 'ingress-1', workers: ['ingress'] },
  { name: 'ingress-2', workers: ['ingress'] },
  { name: 'schedule-1', workers: ['schedule'] },
  { name: 'schedule-2', workers: ['schedule'] },
  { name: 'notification-1', workers: ['notification'] },
  { name: 'notification-2', workers: ['notification'] },
  { name: 'product-1', workers: ['product'] },
  { name: 'simulation-1', workers: ['simulation'] },
];

/** Everything that an invariant or a trace may observe, each at the moment when it happens. */
export interface ClusterObserver extends BrokerObserver, ProviderObserver {
  /** A fault begins or ends, a process starts, is ready or ends; one line without a time. */
  onEvent?(line: string): void;
  /** The log of a process; default: discarded. */
  logOf?(processName: string): Log;
}

export interface ClusterOptions {
  readonly plan: FaultPlan;
  readonly observer?: ClusterObserver;
  /** Default PROCESSES. */
  readonly processes?: readonly ProcessSpec[];
  /** Creates the providers outside of all processes; default: SimProviders. */
  readonly createProviders?: (system: SeededSystem, fates: CallFates) => Pick<SimProviders, 'open'>;
  /** Environment variables of all processes. */
  readonly env?: Readonly<Record<string, string>>;
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
  /** Number of starts so far. */
  starts(): number;
}

export interface SimCluster {
  readonly system: SeededSystem;
  readonly config: Config;
  readonly broker: BrokerModel;
  readonly processes: readonly SimProcess[];
  /** Faults so far, by kind. */
  readonly counts: Readonly<FaultCounts>;
  /** Begins the fault period of the plan. The incidents then happen by themselves; call faults stop at its end. */
  beginFaults(): void;
  /** Sends a request to an ingress process. It waits while the process is frozen. */
  call(processName: string, call: Call): Promise<CallResult>;
  /** The records of a topic, without its prefix. */
  records(topic: string): readonly LogMessage[];
  /** Stops all processes as by SIGTERM. */
  stop(): Promise<void>;
}

/** Starts the processes of a plan, over a model of a broker cluster. Rejects when one does not start within the limit. */
export async function startCluster(options: ClusterOptions): Promise<SimCluster> {
  // The first attachment would load it, and a simulation cannot wait for files.
  await import('file-type');
  const { plan, observer = {}, processes = PROCESSES } = options;
  const system = seededSystem(plan.seed);
  const fates = new CallFates(plan);
  const config = loadConfig({
    RATE_LIMIT_PER_SECOND: '0',
    NOTIFICATION_SEND_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
    ...options.env,
  });
  const broker = new BrokerModel(system, fates, observer);
  await provideTopics(broker, config);
  const world: World = {
    system,
    config,
    broker,
    fates,
    observer,
    providers: options.createProviders?.(system, fates) ?? new SimProviders(fates, observer),
  };
  const all = new Map(
    processes.map((spec) => [
      spec.name,
      new SimulatedProcess(spec, world, createMachine(system, plan.seed, plan.clocks[spec.name])),
    ]),
  );
  const started = Promise.all(Array.from(all.values(), (process) => process.start()));
  await system.run(started, START_LIMIT_MS);
  const find = (name: string): SimulatedProcess => {
    const process = all.get(name);
    if (process === undefined) throw new Error(`there is no process ${name}`);
    return process;
  };
  return {
    system,
    config,
    broker,
    processes: [...all.values()],
    counts: fates.counts,
    beginFaults: () => {
      fates.isActive = true;
      broker.after(plan.faultMs, () => {
        fates.isActive = false;
        observer.onEvent?.('the fault period ends');
      });
      for (const incident of plan.incidents) broker.after(incident.atMs, () => strike(incident, world, find));
    },
    call: (name, call) => find(name).call(call),
    records: (topic) => {
      const { logs } = broker.topics.get(config.topicPrefix + topic);
      return logs.flatMap((log) => log.read(log.low, Infinity, Infinity).messages);
    },
    stop: async () => {
      await system.run(Promise.all(Array.from(all.values(), (process) => process.stop())), START_LIMIT_MS);
      broker.close();
    },
  };
}

interface World {
  readonly system: SeededSystem;
  readonly config: Config;
  readonly broker: BrokerModel;
  readonly fates: CallFates;
  readonly observer: ClusterObserver;
  readonly providers: Pick<SimProviders, 'open'>;
}

class SimulatedProcess implements SimProcess {
  readonly name: string;
  readonly machine: Machine;
  readonly #workers: readonly WorkerName[];
  readonly #world: World;
  #life: ProcessLife | undefined;
  #running: RunningSystem | undefined;
  #app: FastifyInstance | undefined;
  #starts = 0;
  /** Ends the calls in progress without a response. */
  readonly #calls = new Set<() => void>();

  constructor({ name, workers }: ProcessSpec, world: World, machine: Machine) {
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

  starts(): number {
    return this.#starts;
  }

  /** Resolves when all workers have started. A start that fails is repeated, as by an orchestrator. */
  async start(): Promise<void> {
    this.#starts += 1;
    const life = new ProcessLife(`${this.name}#${this.#starts}`, this.machine);
    this.#life = life;
    this.#running = undefined;
    this.#app = undefined;
    this.#note('starts');
    const { config, broker, observer } = this.#world;
    try {
      const running = await startWorkers({
        config,
        names: this.#workers,
        log: observer.logOf?.(this.name) ?? silentLog,
        ports: life.ports,
        broker: createProcessBroker(life, broker),
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
    const { broker } = this.#world;
    if (life?.isAlive() !== true) return;
    const upAtMs = broker.nowMs() + downMs;
    life.endAfter(afterEffects, () => {
      this.#note('crashed');
      for (const reset of this.#calls) reset();
      broker.at(upAtMs, () => void this.start());
    });
    broker.at(upAtMs, () => life.endAfter(Infinity));
  }

  freeze(forMs: number): void {
    const life = this.#life;
    life?.freeze();
    this.#world.broker.after(forMs, () => life?.thaw());
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
        startIngressWorker(context, async (created) => {
          await created.ready();
          if (life.isAlive()) this.#app = created;
          return config.http.port;
        }),
      schedule: ({ threads: _threads, ...context }) => startScheduleWorker(context),
      product: startProductWorker,
      simulation: startSimulationWorker,
      notification: (context) =>
        startNotificationWorker(context, () => Promise.resolve(providers.open(life))),
    };
  }
}

/** An orchestrator restarts a process that could not start after this time. */
const RESTART_MS = 1_000;

function strike(
  incident: Incident,
  { broker, fates, observer }: World,
  find: (name: string) => SimulatedProcess,
): void {
  const { kind, atMs: _atMs, ...details } = incident;
  fates.count(kind);
  observer.onEvent?.(`${kind} ${JSON.stringify(details)}`);
  switch (kind) {
    case 'crash':
      return find(incident.target).crash(incident.afterEffects, incident.downMs);
    case 'freeze':
      return find(incident.target).freeze(incident.forMs);
    case 'clock-step':
      find(incident.target).machine.skewMs += incident.byMs;
      return;
    case 'cut-off':
      broker.setCutOff(incident.target, true);
      return broker.after(incident.forMs, () => broker.setCutOff(incident.target, false));
    case 'expel':
      return broker.expel(incident.target);
    case 'consumer-crash':
      return broker.crashConsumers(incident.target);
    case 'leader-change':
      broker.loseLeader(incident.node);
      return broker.after(incident.forMs, () => broker.electLeaders(incident.node));
    case 'outage':
      broker.setDown(true);
      return broker.after(incident.forMs, () => broker.setDown(false));
    case 'pause':
      broker.setPaused(true);
      return broker.after(incident.forMs, () => broker.setPaused(false));
    case 'full-disk':
      broker.setDiskFull(true);
      return broker.after(incident.forMs, () => broker.setDiskFull(false));
    default:
      return kind satisfies never;
  }
}

/** Creates all topics and writes the example catalogue, as an operator does before the first start. */
async function provideTopics(broker: BrokerModel, config: Config): Promise<void> {
  for (const spec of allTopicSpecs(config.topicPrefix, config.notification.retryTiersMs))
    broker.topics.create(spec);
  catalogue ??= encodeCatalogue();
  for (const message of await catalogue) {
    broker.append({ ...message, topic: topicName(config.topicPrefix, 'catalogueRecords') }, 'setup#0');
  }
}

let catalogue: Promise<readonly (OutgoingMessage & { readonly partition: number })[]> | undefined;

/** The example catalogue as records; encoded once for all runs. */
async function encodeCatalogue(): Promise<readonly (OutgoingMessage & { readonly partition: number })[]> {
  const config = loadConfig({});
  const broker = createMemoryBroker();
  try {
    await broker.admin.createTopics(allTopicSpecs('', []));
    await publishCatalogue(broker, await createCodec(config, { now: () => 0 }), config);
    const records: LogMessage[] = [];
    const topic = topicName('', 'catalogueRecords');
    const [range] = await broker.admin.offsets(topic);
    await broker.readRanges([{ topic, partition: 0, from: 0, to: range?.high ?? 0 }], (message) => {
      records.push(message);
      return 'more';
    });
    return records.map(({ partition, key, value, headers }) => ({ topic, partition, key, value, headers }));
  } finally {
    await broker.close();
  }
}
