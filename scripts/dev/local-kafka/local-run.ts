import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Guard, startGuard } from './guard.ts';
import type { LocalKafkaError } from './local-kafka-error.ts';

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

/** The processes of one start, and their folder, which has a properties file, a log and a data folder for each node. */
export interface LocalRun {
  readonly folder: string;
  readonly guard: Guard;
  readonly processes: { kill(signal: NodeJS.Signals): Promise<void> }[];
  /** Reports a process that exited unexpectedly. */
  readonly onFailure: (error: LocalKafkaError) => void;
  readonly failure: Promise<LocalKafkaError>;
  /** Stops all processes and removes the folder. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a run in a temporary folder, which is removed when the run stops or this process ends. */
export function openRun(nodeCount: number): LocalRun {
  const folder = mkdtempSync(path.join(tmpdir(), 'local-kafka-'));
  mkdirSync(path.join(folder, 'tmp'));
  writeFileSync(path.join(folder, 'log4j2.properties'), LOG4J_SETTINGS);
  const guard = startGuard(folder);
  const failure = Promise.withResolvers<LocalKafkaError>();
  const processes: LocalRun['processes'] = [];
  /**
   * Nodes that stop together wait for a lost quorum until a timeout, so they are killed. A single node stops gracefully within a
   * second and can write the class archive.
   */
  const signal = nodeCount > 1 ? 'SIGKILL' : 'SIGTERM';
  const stopAll = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.kill(signal)));
    await guard.close();
    rmSync(folder, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  return {
    folder,
    guard,
    processes,
    onFailure: failure.resolve,
    failure: failure.promise,
    stop: () => (stopping ??= stopAll()),
  };
}

/** A random id without a leading dash, which Kafka's tools would read as an option. */
export function newClusterId(): string {
  const id = randomBytes(CLUSTER_ID_BYTES).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}
