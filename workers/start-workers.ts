import { requireTopics } from '../shared/messaging/topics/check-topics.ts';
import { PROBLEM_TYPE } from '../schemas/messages.ts';
import { ThreadPool } from './runtime/thread-pool.ts';
import type { MessageCodec } from '../shared/messaging/codec/message-codec.ts';
import type { DiskCalls } from '../shared/messaging/data-file.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { createStartWait } from '../shared/messaging/start-wait.ts';
import {
  retryTopicNames,
  type TopicKey,
  topicNames,
  allTopicSpecs,
} from '../shared/messaging/topics/topic-list.ts';
import type { Config } from '../shared/platform/load-config.ts';
import type { Log } from '../shared/platform/log.ts';
import { createMetrics, type Metrics } from '../shared/platform/metrics.ts';
import type { Health } from '../shared/platform/health.ts';
import { startTogether, stopInTurn } from '../shared/messaging/start-stop-order.ts';
import { systemPorts, type SystemPorts } from '../shared/platform/system-ports.ts';
import type { RunningWorker, StartWorker } from './runtime/worker.ts';
import { createCodec } from './create-codec.ts';
import { publishCatalogue } from '../shared/product/storage/catalogue-folder.ts';
import { WORKER_NAMES, WORKERS, type WorkerEntry, type WorkerName } from './worker-list.ts';

export interface RunningSystem {
  readonly broker: Broker;
  readonly metrics: Metrics;
  readonly url: string | undefined;
  health(): Readonly<Record<string, Health>>;
  /** Stops the workers in reverse order, then threads and broker. Default: 10 s to finish work. Idempotent. */
  stop(timeoutMs?: number): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  readonly names: readonly WorkerName[];
  readonly log: Log;
  readonly ports?: SystemPorts;
  readonly metrics?: Metrics;
  /** A broker that several systems share, in tests. Default: as configured. */
  readonly broker?: Broker;
  readonly disk?: DiskCalls | undefined;
  /** Used instead of those in worker-list.ts. The simulation starts workers with providers and sockets of its own. */
  readonly starters?: Readonly<Partial<Record<WorkerName, StartWorker>>>;
  readonly signal?: AbortSignal;
}

const UNSERVED =
  'the embedded broker serves this process only: requests for the absent workers are not handled';

/** Time in which a stopping process may finish its work: the default of REPLY_TIMEOUT_MS. */
export const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Starts the named workers, over Kafka if `config.kafka` is set, or else over the embedded broker. Waits at most two
 * minutes for Kafka and the schema registry. Rejects with a ConfigError that names what is missing, the error of a
 * service that could not be used, or the reason of the signal. Then nothing is left running.
 */
export async function startWorkers(options: StartOptions): Promise<RunningSystem> {
  const { config, names, log, ports = systemPorts } = options;
  const metrics = options.metrics ?? createMetrics();
  const broker = options.broker ?? (await createBroker(options, ports, metrics));
  const threads = new ThreadPool(new URL('./calculation-thread.ts', import.meta.url), config, ports.clock);
  const started: RunningWorker[] = [];
  let stopping: Promise<void> | undefined;
  const health = (): Readonly<Record<string, Health>> => ({
    ...Object.fromEntries(started.map((worker) => [worker.name, worker.health()])),
    ...(broker.health === undefined ? {} : { storage: broker.health() }),
  });
  const stopAll = async (timeoutMs: number): Promise<void> => {
    try {
      await stopInTurn(started.toReversed(), timeoutMs, ports.monotonic);
    } finally {
      await threads.stop();
      if (options.broker === undefined) await broker.close();
    }
  };
  const wait = createStartWait({ ...ports, onWait: (line) => log.warn(line), signal: options.signal });
  let codec: MessageCodec;
  try {
    await wait('Kafka', () => provideTopics(broker, options, ports));
    const absent = WORKER_NAMES.filter((name) => !names.includes(name));
    if (options.broker === undefined && broker.kind === 'embedded' && absent.length > 0)
      log.warn({ absent }, UNSERVED);
    codec = await createCodec(config, ports.clock);
    // This comes before the workers start, so that none must be stopped if the registry is not available.
    await wait('the schema registry', () => codec.prepare([PROBLEM_TYPE]));
    if (broker.kind === 'embedded') {
      await publishCatalogue(broker, codec, config, { isShared: options.broker !== undefined });
    }
    const context = { ...ports, config, log, metrics, broker, codec, threads, processHealth: health };
    const startOne = async (name: WorkerName): Promise<RunningWorker> => {
      const start = options.starters?.[name] ?? (await WORKERS[name].load());
      const ownLog = log.child({ worker: name });
      // The broker may fail meanwhile. A worker can be started again, because a failed start leaves nothing running.
      return wait(`the services that worker ${name} needs`, () => start({ ...context, log: ownLog }));
    };
    await startTogether(names.filter((name) => name !== 'ingress').map(startOne), started);
    // The ingress starts when the workers of this process can respond, and stops before them.
    if (names.includes('ingress')) started.push(await startOne('ingress'));
  } catch (error) {
    await stopAll(options.signal?.aborted === true ? DRAIN_TIMEOUT_MS : 0);
    throw error;
  }
  return {
    broker,
    metrics,
    url: started.find((worker) => worker.url !== undefined)?.url,
    health,
    stop: (timeoutMs = DRAIN_TIMEOUT_MS) => (stopping ??= stopAll(timeoutMs)),
  };
}

async function createBroker(
  { config, log, disk }: StartOptions,
  ports: SystemPorts,
  metrics: Metrics,
): Promise<Broker> {
  if (config.kafka === undefined) {
    const { createEmbeddedBroker } = await import('../shared/messaging/embedded/embedded-broker.ts');
    const specs = allTopicSpecs(config.topicPrefix, config.notification.retryTiersMs);
    return createEmbeddedBroker({ ...ports, dataFolder: config.dataFolder, specs, log, disk });
  }
  const { openKafkaBroker } = await import('../shared/messaging/kafka/kafka-broker.ts');
  const unreadable = metrics.counter('plat_unreadable_batches_total');
  return openKafkaBroker({
    ...config.kafka,
    clientId: 'banking-product-engine',
    log,
    onUnreadable: (topic) => unreadable.inc({ topic }),
    clock: ports.clock,
  });
}

async function provideTopics(
  broker: Broker,
  { config, names, log }: StartOptions,
  ports: SystemPorts,
): Promise<void> {
  const { retryTiersMs } = config.notification;
  if (broker.kind === 'embedded') {
    await broker.admin.createTopics(allTopicSpecs(config.topicPrefix, retryTiersMs));
    return;
  }
  const entries = names.map((name): WorkerEntry => WORKERS[name]);
  const needed = [...new Set(entries.flatMap((entry): readonly TopicKey[] => entry.topics))];
  const tiersMs = entries.some((entry) => entry.retryTiers === true) ? retryTiersMs : [];
  const topics = [...topicNames(config.topicPrefix, needed), ...retryTopicNames(config.topicPrefix, tiersMs)];
  await requireTopics(broker.admin, topics, log, ports);
}
