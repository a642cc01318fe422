import { cacheDirectory } from './artifact-cache.ts';
import type { NodePlan } from './broker-settings.ts';
import { classPathOf, ensureKafka, ensureRegistry } from './fetch-artifacts.ts';
import { type Java, javaCommand, requireJava } from './java.ts';
import { waitUntilReady } from './java-process.ts';
import { type ClusterSetup, type LocalKafkaNode, READY_LIMIT_MS, startNode } from './kafka-node.ts';
import { canServeGroups, fetchBrokerIds } from './kafka-probe.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import { clusterIdOf, type LocalRun, openRun, openWorkspace, type Workspace } from './local-run.ts';
import { choosePorts, type PortRequest, type Ports } from './ports.ts';
import { registryUrl, startRegistry } from './schema-registry.ts';

/**
 * By default one node and a registry on free ports. With three nodes, `port` is that of the first one; the others use
 * the next ports.
 */
export interface LocalKafkaOptions extends PortRequest {
  /** Also starts a schema registry (default). */
  readonly registry?: boolean;
  /** Folder for the data; by default a temporary one that is removed at the end. */
  readonly dataDirectory?: string;
  /** Reports slow steps: fetching jars, waiting for another process. */
  readonly report?: (line: string) => unknown;
}

export interface LocalKafka {
  /** `127.0.0.1:PORT` of each node. */
  readonly brokers: readonly string[];
  /** Base URL of the Confluent-compatible API; absent without a registry. */
  readonly registryUrl?: string;
  readonly nodes: readonly LocalKafkaNode[];
  /** Folder of settings, logs and data. */
  readonly folder: string;
  /** Resolves when a process ends unexpectedly, but not when a node is killed through `nodes`. */
  readonly failure: Promise<LocalKafkaError>;
  /** Stops all processes and removes temporary data. Idempotent. */
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
      return await launch(fetched, options, ports);
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

async function launch(fetched: Fetched, options: LocalKafkaOptions, ports: Ports): Promise<LocalKafka> {
  const workspace = openWorkspace(options.dataDirectory, ports.plans.length);
  const run = openRun(workspace);
  try {
    const nodes = await startAll(fetched, workspace, run, ports);
    return {
      brokers: nodes.map((node) => node.broker),
      ...(fetched.registryFolder === undefined ? {} : { registryUrl: registryUrl(ports.registryPort) }),
      nodes,
      folder: workspace.folder,
      failure: run.failure,
      stop: () => run.stop(),
    };
  } catch (error) {
    await run.stop();
    throw error;
  }
}

async function startAll(
  fetched: Fetched,
  workspace: Workspace,
  run: LocalRun,
  ports: Ports,
): Promise<LocalKafkaNode[]> {
  const cluster: ClusterSetup = {
    java: fetched.java,
    jarFolder: fetched.jarFolder,
    classPath: classPathOf(fetched.jarFolder),
    workspace,
    clusterId: clusterIdOf(workspace),
    plans: ports.plans,
    run,
  };
  const { registryFolder } = fetched;
  if (registryFolder === undefined) return startCluster(cluster);
  const registry = { java: fetched.java, registryFolder, workspace, run, port: ports.registryPort };
  if (workspace.isTemporary) return inParallel(startCluster(cluster), startRegistry(registry));
  /** Stored messages refer to schemas by id, so the schemas are stored on the same Kafka. */
  const nodes = await startCluster(cluster);
  await startRegistry({ ...registry, storageBroker: nodes[0]?.broker ?? '' });
  return nodes;
}

async function startCluster(cluster: ClusterSetup): Promise<LocalKafkaNode[]> {
  const nodes = await inOrder(cluster.plans.map((plan) => startNode(cluster, plan)));
  await inOrder(
    nodes.map((node, index) =>
      waitUntilReady(node.process, () => isReady(cluster.plans[index], nodes.length), READY_LIMIT_MS),
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
