import { allTopicSpecs } from '../../shared/messaging/topics/topic-list.ts';
import type { TopicSpec } from '../../shared/messaging/ports.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { QUEUE_LIMITS, type QueueLimits } from '../../shared/platform/queue-limits.ts';
import { WORKER_NAMES } from '../../workers/worker-list.ts';
import { BrokerModel, type BrokerObserver } from './broker/broker-model.ts';
import { createClusterBroker } from './broker/cluster-broker.ts';
import { createEmbeddedSimBroker } from './broker/embedded-broker.ts';
import type { SimBroker } from './broker/sim-broker.ts';
import { CallFates, type FaultCounts } from './faults/call-fates.ts';
import type { FaultPlan, Incident, SystemKind } from './faults/fault-plan.ts';
import type { Call } from './ingress-call.ts';
import type { PlantedFault } from './planted-faults.ts';
import { seededSystem, SIMULATED_SECRET, type SeededSystem } from './seeded-system.ts';
import { RestartingProcess } from './restarting-process.ts';
import type { OpenProviders, CallResult, ProcessObserver, ProcessSpec } from './restarting-process.ts';
import { createMachine } from './sim-process.ts';

/** Longest simulated time of the start of all processes, and of their end. */
const START_LIMIT_MS = 120_000;
const NO_PROVIDERS: ReturnType<OpenProviders> = {
  of: () => [],
  close: () => Promise.resolve(),
};

/** Two instances of each worker whose instances share work or state; over the embedded broker one process with all workers. */
export const PROCESSES: Readonly<Record<SystemKind, readonly ProcessSpec[]>> = {
  cluster: [
    ...(['ingress', 'schedule', 'notification'] as const).flatMap((worker) =>
      [1, 2].map((number) => ({ name: `${worker}-${number}`, workers: [worker] })),
    ),
    { name: 'product-1', workers: ['product'] },
    { name: 'simulation-1', workers: ['simulation'] },
  ],
  embedded: [{ name: 'engine', workers: WORKER_NAMES }],
};

export interface ClusterObserver extends BrokerObserver, ProcessObserver {}

export interface ClusterOptions {
  readonly plan: FaultPlan;
  readonly kind?: SystemKind;
  readonly observer?: ClusterObserver;
  readonly createProviders?: (system: SeededSystem, fates: CallFates) => OpenProviders;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: QueueLimits;
  /** Says who reports receipts; the providers are those of `createProviders`. */
  readonly configFile?: string;
  readonly topics?: readonly TopicSpec[];
  readonly plant?: PlantedFault | undefined;
}

export type SimCluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster(options: ClusterOptions) {
  // The first attachment would load it, and a simulation cannot wait for files.
  await import('file-type');
  const { plan, kind = 'cluster', observer = {}, limits = QUEUE_LIMITS, topics = [] } = options;
  const system = seededSystem(plan.seed);
  const { timers } = system;
  const fates = new CallFates(plan);
  const settings = { RATE_LIMIT_PER_SECOND: '0', ...options.env };
  const all = new Map<string, RestartingProcess>();
  const find = (name: string): RestartingProcess => {
    const process = all.get(name);
    if (process === undefined) throw new Error(`there is no process ${name}`);
    return process;
  };
  const { topicPrefix, notification } = loadConfig(settings);
  const specs = [...allTopicSpecs(topicPrefix, notification.retryTiersMs), ...topics];
  const [engine] = PROCESSES.embedded;
  const only = (): RestartingProcess => find(engine?.name ?? '');
  const broker =
    kind === 'embedded'
      ? createEmbeddedSimBroker({ system, seed: plan.seed, observer, topics, process: only })
      : await createClusterBroker(new BrokerModel(system, fates, observer), specs, limits.publisher);
  const loaded = loadConfig({ RESULT_ID_SECRET: SIMULATED_SECRET, ...broker.env, ...settings });
  const config = {
    ...loaded,
    limits,
    notification: { ...loaded.notification, configFile: options.configFile },
  };
  const providers = options.createProviders?.(system, fates) ?? (() => NO_PROVIDERS);
  const world = { ...broker, config, observer, providers, plant: options.plant };
  for (const spec of PROCESSES[kind]) {
    const machine = createMachine(system, plan.seed, plan.clocks[spec.name]);
    all.set(spec.name, new RestartingProcess(spec, world, machine));
  }
  const started = Promise.all(Array.from(all.values(), (process) => process.start()));
  await system.run(started, START_LIMIT_MS);
  const happen = (incident: Incident): void => {
    const { kind: what, atMs: _atMs, ...details } = incident;
    fates.count(what);
    observer.onEvent?.(`${what} ${JSON.stringify(details)}`);
    strike(incident, broker, find);
  };
  return {
    system,
    broker,
    processes: [...all.values()] as readonly RestartingProcess[],
    counts: fates.counts as Readonly<FaultCounts>,
    /** Begins the fault period of the plan. The incidents then happen by themselves; call faults stop at its end. */
    beginFaults: () => {
      fates.isActive = true;
      const end = (): void => {
        fates.isActive = false;
        observer.onEvent?.('the fault period ends');
      };
      timers.schedule(end, plan.faultMs, 'background');
      for (const incident of plan.incidents)
        timers.schedule(() => happen(incident), incident.atMs, 'background');
    },
    call: (name: string, call: Call): Promise<CallResult> => find(name).call(call),
    stop: async () => {
      await system.run(Promise.all(Array.from(all.values(), (process) => process.stop())), START_LIMIT_MS);
      broker.close();
    },
  };
}

function strike(incident: Incident, broker: SimBroker, find: (name: string) => RestartingProcess): void {
  const { kind } = incident;
  if (kind === 'crash') find(incident.target).crash(incident.afterEffects, incident.downMs);
  else if (kind === 'terminate') find(incident.target).terminate(incident.downMs);
  else if (kind === 'freeze') find(incident.target).freeze(incident.forMs);
  else if (kind === 'clock-step') find(incident.target).machine.skewMs += incident.byMs;
  else broker.strike(incident);
}
