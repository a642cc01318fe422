import type { NodePlan } from './broker-settings.ts';
import { cacheDirectory, classPathOf, ensureKafka, ensureRegistry } from './fetch-artifacts.ts';
import { type Java, javaCommand, requireJava } from './java.ts';
import { waitUntilReady } from './java-process.ts';
import { type ClusterSetup, type LocalKafkaNode, startNode } from './kafka-node.ts';
import { canServeGroups, fetchBrokerIds } from './kafka-probe.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import { type LocalRun, newClusterId, openRun } from './local-run.ts';
import { choosePorts, type PortRequest, type Ports } from './free-ports.ts';
import { registryUrl, startRegistry } from './start-registry.ts';

/**
 * By default one node and a registry on free ports. With three nodes, `port` is that of the first one; the others use
 * the next ports.
 */
export interface LocalKafkaOptions extends PortRequest {
  /** Also starts a schema registry (default). */
  readonly registry?: boolean;
  /** Reports slow steps: fetching jars. */
  readonly report?: (line: string) => unknown;
}

export interface LocalKafka {
  /** `127.0.0.1:PORT` of each node. */
  readonly brokers: readonly string[];
  /** Base URL of the Confluent-compatible API; absent without a registry. */
  readonly registryUrl?: string;
  readonly nodes: readonly LocalKafkaNode[];
  /** Temporary folder of settings, logs and data. */
  readonly folder: string;
  /** Resolves when a process ends unexpectedly, but not when a node is killed through `nodes`. */
  readonly failure: Promise<LocalKafkaError>;
  /** Stops all processes and removes the folder. Idempotent. */
  stop(): Promise<void>;
}

/** Another process may bind a chosen port first; the cluster is then started with other ports. */
const MAX_ATTEMPTS = 3;
const PORT_TAKEN = /already in use|seems to be in use|BindException/i;

interface Fetched {
  readonly java: Java;
  readonly jarFolder: string;
  readonly registryFolder: string | undefined;
}

/**
 * Starts Apache Kafka (KRaft) and a schema registry on 127.0.0.1 with the local Java; resolves when both are ready. No
 * process or temporary file outlives the calling process, even if it is killed.
 *
 * Throws LocalKafkaError with the code `java-missing`, `maven-missing`, `port-in-use`, `fetch-failed` or `broker-failed`,
 * and advice in its message.
 */
export async function startLocalKafka(options: LocalKafkaOptions = {}): Promise<LocalKafka> {
  const fetched = await fetchAll(options);
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(options);
    try {
      return await launch(fetched, ports);
    } catch (error) {
      const isPortTaken = error instanceof LocalKafkaError && PORT_TAKEN.test(error.message);
      if (!isPortTaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function fetchAll(options: LocalKafkaOptions): Promise<Fetched> {
  const report = options.report ?? (() => undefined);
  const java = await requireJava(javaCommand(process.env));
  const cache = cacheDirectory(process.env);
  const jarFolder = await ensureKafka(cache, report);
  const registryFolder = options.registry === false ? undefined : await ensureRegistry(cache, report);
  return { java, jarFolder, registryFolder };
}

async function launch(fetched: Fetched, ports: Ports): Promise<LocalKafka> {
  const run = openRun(ports.plans.length);
  try {
    const nodes = await startAll(fetched, run, ports);
    return {
      brokers: nodes.map((node) => node.broker),
      ...(fetched.registryFolder === undefined ? {} : { registryUrl: registryUrl(ports.registryPort) }),
      nodes,
      folder: run.folder,
      failure: run.failure,
      stop: () => run.stop(),
    };
  } catch (error) {
    await run.stop();
    throw error;
  }
}

async function startAll(fetched: Fetched, run: LocalRun, ports: Ports): Promise<LocalKafkaNode[]> {
  const { java, jarFolder, registryFolder } = fetched;
  const classPath = classPathOf(jarFolder);
  const cluster = { java, jarFolder, classPath, clusterId: newClusterId(), plans: ports.plans, run };
  if (registryFolder === undefined) return startCluster(cluster);
  const registry = { java, registryFolder, run, port: ports.registryPort };
  return inParallel(startCluster(cluster), startRegistry(registry));
}

async function startCluster(cluster: ClusterSetup): Promise<LocalKafkaNode[]> {
  const nodes = await inOrder(cluster.plans.map((plan) => startNode(cluster, plan)));
  await inOrder(
    nodes.map((node, index) =>
      waitUntilReady(node.process, () => isReady(cluster.plans[index], nodes.length)),
    ),
  );
  return nodes;
}

/** Whether a node has joined the complete cluster and serves consumer groups. */
async function isReady(plan: NodePlan | undefined, nodeCount: number): Promise<boolean> {
  if (plan === undefined) return false;
  const ids = await fetchBrokerIds(plan.brokerPort);
  return ids.length === nodeCount && (await canServeGroups(plan.brokerPort));
}

/** Waits for both even if one fails, since every started process must be known before all are stopped. */
async function inParallel<T>(first: Promise<T>, second: Promise<unknown>): Promise<T> {
  await Promise.allSettled([first, second]);
  await second;
  return first;
}

async function inOrder<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
