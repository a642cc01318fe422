import { createEmbeddedBroker } from '../../shared/messaging/embedded/broker.ts';
import type { LogMessage, OutgoingMessage } from '../../shared/messaging/message.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { QUEUE_LIMITS, type QueueLimits } from '../../shared/platform/queues/queue-limits.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { publishCatalogue } from '../../workers/publish-catalogue.ts';
import { BrokerModel, type BrokerObserver } from './broker/broker-model.ts';
import { createProcessBroker } from './broker/process-broker.ts';
import { CallFates, type FaultCounts } from './faults/call-fates.ts';
import type { FaultPlan, Incident } from './faults/fault-plan.ts';
import type { Call } from './ingress-call.ts';
import { SimProviders, type ProviderObserver } from './providers.ts';
import { seededSystem, type SeededSystem } from './seeded-system.ts';
import {
  RestartingProcess,
  type CallResult,
  type ProcessObserver,
  type ProcessSpec,
  type ProcessWorld,
  type SimProcess,
} from './restarting-process.ts';
import { createMachine } from './sim-process.ts';

/** Longest simulated time of the start of all processes, and of their end. */
const START_LIMIT_MS = 120_000;
const PROVIDER_TIMEOUT_MS = 2_000;

/** Processes as in production: two instances of each worker whose instances share work or state, one of the others. */
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

/** Everything that a rule or a trace may observe, each at the moment when it happens. */
export interface ClusterObserver extends BrokerObserver, ProviderObserver, ProcessObserver {}

export interface ClusterOptions {
  readonly plan: FaultPlan;
  readonly observer?: ClusterObserver;
  /** Default PROCESSES. */
  readonly processes?: readonly ProcessSpec[];
  /** Creates the providers outside of all processes; default: SimProviders. */
  readonly createProviders?: (system: SeededSystem, fates: CallFates) => Pick<SimProviders, 'open'>;
  /** Environment variables of all processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Limits of the queues of all processes; default: those of production. */
  readonly limits?: QueueLimits;
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
  const { limits = QUEUE_LIMITS } = options;
  const env = {
    DATA_DIR: 'memory',
    RATE_LIMIT_PER_SECOND: '0',
    NOTIFICATION_SEND_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
    ...options.env,
  };
  const loaded = loadConfig(env);
  // One body may be as large as all of them together.
  const emailBodyLimitBytes = Math.min(loaded.notification.emailBodyLimitBytes, limits.notificationBodyBytes);
  const config = { ...loaded, limits, notification: { ...loaded.notification, emailBodyLimitBytes } };
  const broker = new BrokerModel(system, fates, observer);
  await provideTopics(broker, config);
  const world: World = {
    config,
    connect: (life) => ({ broker: createProcessBroker(life, broker, limits.publisher) }),
    broker,
    fates,
    observer,
    providers: options.createProviders?.(system, fates) ?? new SimProviders(fates, observer),
  };
  const all = new Map(
    processes.map((spec) => [
      spec.name,
      new RestartingProcess(spec, world, createMachine(system, plan.seed, plan.clocks[spec.name])),
    ]),
  );
  const started = Promise.all(Array.from(all.values(), (process) => process.start()));
  await system.run(started, START_LIMIT_MS);
  const find = (name: string): RestartingProcess => {
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

interface World extends ProcessWorld {
  readonly broker: BrokerModel;
  readonly fates: CallFates;
}

function strike(
  incident: Incident,
  { broker, fates, observer }: World,
  find: (name: string) => RestartingProcess,
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
  const broker = createEmbeddedBroker();
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
