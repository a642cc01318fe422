import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Guard, startGuard } from './guard.ts';
import { LocalKafkaError } from './local-kafka-error.ts';

/** The folder of a cluster, with a properties file, a log and a data folder for each node. */
export interface Workspace {
  readonly folder: string;
  readonly isTemporary: boolean;
}

/** Kafka creates this file when it formats a data folder. */
const META = 'meta.properties';
/** Kafka's cluster ids are 16 bytes in base64url. */
const CLUSTER_ID_BYTES = 16;

const LOG4J_SETTINGS = `status=error
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{ISO8601} %-5p %c{1}: %m%n
rootLogger.level=warn
rootLogger.appenderRef.console.ref=console
`;

interface Stoppable {
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The processes of one start. */
export interface LocalRun {
  readonly guard: Guard;
  /** Stopped before the nodes, so that a registry with its schemas on Kafka can leave the brokers gracefully. */
  readonly registries: Stoppable[];
  readonly nodes: Stoppable[];
  /** Reports a process that exited unexpectedly. */
  readonly onFailure: (error: LocalKafkaError) => void;
  readonly failure: Promise<LocalKafkaError>;
  stop(): Promise<void>;
}

/** Starts a run in a workspace. A temporary workspace is removed when the run stops or this process ends. */
export function openRun(workspace: Workspace): LocalRun {
  const guard = startGuard(workspace.isTemporary ? workspace.folder : undefined);
  const failure = Promise.withResolvers<LocalKafkaError>();
  const registries: Stoppable[] = [];
  const nodes: Stoppable[] = [];
  /**
   * Nodes that stop together wait for a lost quorum until a timeout, so they are killed if their data is temporary. A single
   * node stops gracefully within a second and can write the class archive.
   */
  const canKill = (nodeCount: number): boolean => workspace.isTemporary && nodeCount > 1;
  const stopAll = async (): Promise<void> => {
    await Promise.all(registries.map((registry) => registry.kill('SIGTERM')));
    await Promise.all(nodes.map((node) => node.kill(canKill(nodes.length) ? 'SIGKILL' : 'SIGTERM')));
    await guard.close();
    if (workspace.isTemporary) rmSync(workspace.folder, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  return {
    guard,
    registries,
    nodes,
    onFailure: failure.resolve,
    failure: failure.promise,
    stop: () => (stopping ??= stopAll()),
  };
}

/** Prepares a folder for `nodeCount` nodes: a new temporary one, or `kept` with its existing data. */
export function openWorkspace(kept: string | undefined, nodeCount: number): Workspace {
  const folder = kept === undefined ? mkdtempSync(path.join(tmpdir(), 'local-kafka-')) : path.resolve(kept);
  mkdirSync(path.join(folder, 'tmp'), { recursive: true });
  const earlier = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, META))).length;
  if (earlier > 0 && earlier !== nodeCount) {
    throw new LocalKafkaError(
      'wrong-usage',
      `${folder} has the data of ${earlier} node(s): use --nodes ${earlier} or another folder`,
    );
  }
  writeFileSync(path.join(folder, 'log4j2.properties'), LOG4J_SETTINGS);
  return { folder, isTemporary: kept === undefined };
}

export function nodeFolder(workspace: Workspace, nodeId: number): string {
  return path.join(workspace.folder, `node-${nodeId}`);
}

/** The cluster id of existing data, or a new one. */
export function clusterIdOf(workspace: Workspace): string {
  const meta = path.join(nodeFolder(workspace, 1), META);
  const kept = existsSync(meta) ? /^cluster\.id=(\S+)/m.exec(readFileSync(meta, 'utf8'))?.[1] : undefined;
  return kept ?? newClusterId();
}

/** A random id without a leading dash, which Kafka's tools would read as an option. */
function newClusterId(): string {
  const id = randomBytes(CLUSTER_ID_BYTES).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}
