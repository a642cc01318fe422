import { Admin, FindCoordinatorKeyTypes } from '@platformatic/kafka';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runProgram } from '../../command-line/run-program.ts';
import { type Listener, type NodePlan, nodeSettings, renderProperties } from './broker-settings.ts';
import {
  classPathOf,
  ensureFolder,
  ensureKafka,
  ensureRegistry,
  REGISTRY_CONFLUENT_PATH,
  REGISTRY_VERSION,
} from './fetch-artifacts.ts';
import { findFreePorts, requireFreePort } from './free-ports.ts';
import { type Java, type JavaProcess, requireJava, startJava, waitUntilReady } from './java-process.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export interface LocalKafkaOptions {
  /** @default 1 */
  readonly nodes?: 1 | 3;
  /** Port of the first node; further nodes use the following ports. @default free ports */
  readonly port?: number | undefined;
  /** @default a free port */
  readonly registryPort?: number | undefined;
  /** Additional listeners of each node, in the order of the nodes. */
  readonly listeners?: readonly (readonly Listener[])[];
  /** Whether to start a schema registry too. @default true */
  readonly registry?: boolean;
  /** Called with each line of progress, such as a download. */
  readonly report?: (line: string) => unknown;
}

export interface LocalKafka {
  /** `host:port` of each node. */
  readonly brokers: readonly string[];
  /** Base URL of the registry's Confluent-compatible API; absent without a registry. */
  readonly registryUrl?: string;
  readonly nodes: readonly LocalKafkaNode[];
  /** Temporary folder of data and logs; `stop` removes it. */
  readonly folder: string;
  /** Resolves when a process ends by itself, but not when `kill` or `restart` of a node ends it. */
  readonly failure: Promise<LocalKafkaError>;
  /** Ends all processes and removes the folder. Idempotent. */
  stop(): Promise<void>;
}

interface LocalKafkaNode {
  readonly nodeId: number;
  readonly broker: string;
  readonly pid: number;
  readonly process: JavaProcess;
  /** Sends a signal (default SIGKILL), and SIGKILL 15 s later. Resolves when the process has exited. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Keeps ports and data. Resolves when the node is back; rejects with `broker-failed` if it exits or after 240 s. */
  restart(): Promise<void>;
}

const FORMAT_LIMIT_MS = 120_000;
const PROBE_LIMIT_MS = 2_000;
const LOG4J_SETTINGS = `status=error
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{ISO8601} %-5p %c{1}: %m%n
rootLogger.level=warn
rootLogger.appenderRef.console.ref=console
`;

interface Run {
  readonly java: Java;
  readonly jarFolder: string;
  readonly registryFolder: string | undefined;
  readonly folder: string;
  readonly clusterId: string;
  readonly plans: readonly NodePlan[];
  readonly registryPort: number;
  readonly watchdog: Watchdog;
  readonly onFailure: (error: LocalKafkaError) => void;
  readonly processes: { kill(signal: NodeJS.Signals): Promise<void> }[];
}

/**
 * Resolves when brokers and registry are ready. Rejects with LocalKafkaError `java-missing`, `maven-missing`,
 * `fetch-failed`, `port-in-use` or `broker-failed`. The first call downloads about 160 MB (50 MB without the registry).
 * The processes and the temporary folder do not outlive this process, even if it is killed.
 */
export async function startLocalKafka(options: LocalKafkaOptions = {}): Promise<LocalKafka> {
  const { report = () => undefined, registry = true } = options;
  const java = await requireJava();
  const jarFolder = await ensureKafka(report);
  const registryFolder = registry ? await ensureRegistry(report) : undefined;
  const ports = await choosePorts(options);
  return launchAll({ java, jarFolder, registryFolder, ...ports });
}

/**
 * Returns the requested ports, or free ones. Rejects with LocalKafkaError `port-in-use` if a requested port is in use.
 * The ports are not reserved: another process may take one before Kafka listens on it.
 */
export async function choosePorts(options: LocalKafkaOptions): Promise<Pick<Run, 'plans' | 'registryPort'>> {
  const { nodes: count = 1, port, registryPort, listeners = [] } = options;
  const [registry = 0, ...free] = await findFreePorts(2 * count + 1);
  const plans = Array.from({ length: count }, (_, index): NodePlan => ({
    nodeId: index + 1,
    brokerPort: port === undefined ? (free[index] ?? 0) : port + index,
    controllerPort: free[count + index] ?? 0,
    listeners: listeners[index] ?? [],
  }));
  if (port !== undefined) for (const { brokerPort } of plans) await requireFreePort(brokerPort, '--port');
  if (registryPort !== undefined) await requireFreePort(registryPort, '--registry-port');
  return { plans, registryPort: registryPort ?? registry };
}

async function launchAll(
  chosen: Pick<Run, 'java' | 'jarFolder' | 'registryFolder' | 'plans' | 'registryPort'>,
): Promise<LocalKafka> {
  const folder = mkdtempSync(path.join(tmpdir(), 'local-kafka-'));
  mkdirSync(path.join(folder, 'tmp'));
  writeFileSync(path.join(folder, 'log4j2.properties'), LOG4J_SETTINGS);
  const failure = Promise.withResolvers<LocalKafkaError>();
  const run: Run = {
    ...chosen,
    folder,
    // Kafka's tools would take an id with a leading dash for an option.
    clusterId: randomBytes(16).toString('base64url').replace(/^-/, 'A'),
    watchdog: startWatchdog(folder),
    onFailure: failure.resolve,
    processes: [],
  };
  const stopAll = async (): Promise<void> => {
    // Several nodes that stop together lose their quorum and wait for it until a timeout, so they are killed.
    // A single node gets SIGTERM: it stops within 3 s, and can write its class archive.
    const signal = run.plans.length > 1 ? 'SIGKILL' : 'SIGTERM';
    await Promise.all(run.processes.map((process) => process.kill(signal)));
    await run.watchdog.close();
    rmSync(folder, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll());
  const registry = run.registryFolder === undefined ? undefined : startRegistry(run, run.registryFolder);
  const starting = run.plans.map((plan) => startNode(run, plan));
  try {
    // Waits until every launch has succeeded or failed, because stop() cannot end a process that starts after its call.
    await Promise.allSettled([...starting, registry]);
    await registry;
    const nodes = await Promise.all(starting);
    return {
      brokers: nodes.map((node) => node.broker),
      ...(registry === undefined ? {} : { registryUrl: registryUrl(run.registryPort) }),
      nodes,
      folder,
      failure: failure.promise,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(run: Run, plan: NodePlan): Promise<LocalKafkaNode> {
  const { nodeId, brokerPort } = plan;
  const settingsFile = path.join(run.folder, `node-${nodeId}.properties`);
  const dataFolder = path.join(run.folder, `node-${nodeId}`);
  writeFileSync(settingsFile, renderProperties(nodeSettings(plan, run.plans, dataFolder)));
  await formatData(run, plan, dataFolder);
  const launch = (): JavaProcess =>
    startJava(
      {
        label: `Kafka node ${nodeId}`,
        java: run.java,
        args: [...mainOf(run, 'kafka.Kafka'), settingsFile],
        folder: run.folder,
        logFile: path.join(run.folder, `node-${nodeId}.log`),
        // All nodes load the same classes, so they share the class archive of node 1.
        archive: { folder: run.jarFolder, name: 'broker', mayWrite: nodeId === 1 },
      },
      run,
    );
  let current = launch();
  const node: LocalKafkaNode = {
    nodeId,
    broker: `127.0.0.1:${brokerPort}`,
    get pid() {
      return current.pid;
    },
    get process() {
      return current;
    },
    kill: (signal = 'SIGKILL') => current.kill(signal),
    restart: async () => {
      await current.kill('SIGTERM');
      current = launch();
      await waitUntilReady(current, async () => (await fetchBrokerIds(brokerPort)).includes(nodeId));
    },
  };
  run.processes.push(node);
  await waitUntilReady(current, async () => (await fetchBrokerIds(brokerPort)).length === run.plans.length);
  return node;
}

/** Copies a data folder that Kafka's tool formatted once: the tool takes half as long as the start of a node. */
async function formatData(run: Run, plan: NodePlan, dataFolder: string): Promise<void> {
  const formatted = await ensureFolder(path.join(run.jarFolder, `node-${plan.nodeId}`), async (folder) => {
    const settingsFile = path.join(folder, 'node.properties');
    writeFileSync(settingsFile, renderProperties(nodeSettings(plan, run.plans, path.join(folder, 'data'))));
    const args = [...mainOf(run, 'kafka.tools.StorageTool'), 'format', '-t', run.clusterId];
    const { code, output } = await runProgram(run.java.command, [...args, '-c', settingsFile], {
      limitMs: FORMAT_LIMIT_MS,
    });
    if (code !== 0)
      throw new LocalKafkaError('broker-failed', `the data folder cannot be formatted:\n${output}`);
  });
  cpSync(path.join(formatted, 'data'), dataFolder, { recursive: true });
  const properties = path.join(dataFolder, 'meta.properties');
  const text = readFileSync(properties, 'utf8').replace(/^cluster\.id=.*$/m, `cluster.id=${run.clusterId}`);
  writeFileSync(properties, text);
}

function mainOf({ folder, jarFolder }: Run, mainClass: string): readonly string[] {
  const logging = `-Dlog4j2.configurationFile=${path.join(folder, 'log4j2.properties')}`;
  return [logging, '-cp', classPathOf(jarFolder), mainClass];
}

async function startRegistry(run: Run, registryFolder: string): Promise<void> {
  const { java, folder, registryPort: port } = run;
  const jar = path.join(registryFolder, `apicurio-registry-app-${REGISTRY_VERSION}-runner.jar`);
  const settings = {
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': port,
    'quarkus.banner.enabled': false,
    'quarkus.log.level': 'WARN',
    'quarkus.http.access-log.enabled': false,
  };
  const registry = startJava(
    {
      label: 'schema registry',
      java,
      args: [...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`), '-jar', jar],
      folder,
      logFile: path.join(folder, 'registry.log'),
      archive: { folder: registryFolder, name: 'registry', mayWrite: true },
    },
    run,
  );
  run.processes.push(registry);
  await waitUntilReady(registry, async () => {
    const addresses = [`http://127.0.0.1:${port}/health/ready`, `${registryUrl(port)}/subjects`];
    const answers = addresses.map(async (address) => {
      const response = await fetch(address, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
      await response.body?.cancel();
      return response.ok;
    });
    return Promise.all(answers).then(
      (oks) => oks.every(Boolean),
      () => false,
    );
  });
}

function registryUrl(port: number): string {
  return `http://127.0.0.1:${port}${REGISTRY_CONFLUENT_PATH}`;
}

/**
 * Returns the ids of the brokers; none while the cluster does not serve consumer groups, or if a call takes over 2 s.
 * The look-up of the group coordinator makes a new cluster create its offsets topic.
 */
export async function fetchBrokerIds(port: number, host = '127.0.0.1'): Promise<readonly number[]> {
  const admin = new Admin({
    clientId: 'local-kafka',
    bootstrapBrokers: [{ host, port }],
    retries: 0,
    connectTimeout: PROBE_LIMIT_MS,
    timeout: PROBE_LIMIT_MS,
  });
  try {
    const { brokers } = await admin.metadata({ topics: [] });
    await admin.findCoordinator({ keyType: FindCoordinatorKeyTypes.GROUP, keys: ['local-kafka'] });
    await admin.listGroups();
    return [...brokers.keys()];
  } catch {
    return [];
  } finally {
    await admin.close();
  }
}
