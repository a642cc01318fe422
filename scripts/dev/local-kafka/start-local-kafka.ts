import type { NodePlan, ProxiedListener } from './broker-settings.ts';
import { cacheDirectory } from './artifact-cache.ts';
import { javaCommand } from './java.ts';
import { classPathOf, ensureKafka, ensureRegistry } from './fetch-artifacts.ts';
import { waitUntilReady } from './java-process.ts';
import { type ClusterSetup, type LocalKafkaNode, READY_LIMIT_MS, startNode } from './kafka-node.ts';
import { fetchBrokerIds, canServeGroups } from './kafka-probe.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import { type LocalRun, openRun } from './local-run.ts';
import { type Ports, choosePorts } from './ports.ts';
import { type Java, requireJava } from './java.ts';
import { registryUrl, startRegistry } from './schema-registry.ts';
import { type Workspace, clusterIdOf, openWorkspace } from './local-run.ts';

export interface LocalKafkaOptions {
  /** Brokers, each also a controller: 1 (default) or 3. */
  readonly nodes?: 1 | 3;
  /** Start a schema registry too (default). */
  readonly registry?: boolean;
  /** Port of the first broker, the others take the next ones; free ports if absent. */
  readonly port?: number;
  readonly registryPort?: number;
  /** A second listener of each node, whose clients are sent to the port of a proxy; the nodes talk past it. */
  readonly proxied?: readonly ProxiedListener[];
  /** Folder to keep the data in; if absent a temporary one that is removed at the end. */
  readonly dataDirectory?: string;
  /** Reports slow steps: fetching jars, waiting for another process. */
  readonly say?: (line: string) => unknown;
}

export interface LocalKafka {
  /** `127.0.0.1:PORT` of each node. */
  readonly brokers: readonly string[];
  /** Base address of the Confluent-compatible interface; absent without a registry. */
  readonly registryUrl?: string;
  readonly nodes: readonly LocalKafkaNode[];
  /** Folder of settings, logs and data. */
  readonly folder: string;
  /** Resolves when a process ended unexpectedly; a node killed through `nodes` does not count. */
  readonly failure: Promise<LocalKafkaError>;
  /** Stops all processes and removes temporary data. Idempotent. */
  stop(): Promise<void>;
}

/** A port that was free when chosen may be taken before it is bound: then all starts again with others. */
const MAX_ATTEMPTS = 3;
const PORT_TAKEN = /already in use|seems to be in use|BindException/i;

interface Fetched {
  readonly java: Java;
  readonly jarFolder: string;
  readonly registryFolder: string | undefined;
}

/**
 * Starts Apache Kafka (KRaft) on 127.0.0.1 with the local Java, and a schema registry; resolves when both are ready. No process
 * or temporary file outlives the calling process, however it ends.
 *
 * Throws LocalKafkaError: its code says what is missing (`java-missing`, `maven-missing`), taken (`port-in-use`) or broken
 * (`fetch-failed`, `broker-failed`), its message what to do.
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
  const say = options.say ?? (() => undefined);
  const java = await requireJava(javaCommand(process.env));
  const cache = cacheDirectory(process.env);
  const jarFolder = await ensureKafka(cache, say);
  const registryFolder = options.registry === false ? undefined : await ensureRegistry(cache, say);
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
  /** Kept messages need the schema ids that they were written with, so the schemas are kept on the same Kafka. */
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

/** A node is ready when it sees all of the cluster and can serve consumer groups. */
async function isReady(plan: NodePlan | undefined, nodeCount: number): Promise<boolean> {
  if (plan === undefined) return false;
  const ids = await fetchBrokerIds(plan.brokerPort);
  return ids.length === nodeCount && (await canServeGroups(plan.brokerPort));
}

/** Both to their end, even if one fails: what starts late must be known before everything is stopped. */
async function inParallel<T>(first: Promise<T>, second: Promise<unknown>): Promise<T> {
  await Promise.allSettled([first, second]);
  await second;
  return first;
}

async function inOrder<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
