import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type NodePlan, nodeSettings, renderProperties } from './broker-settings.ts';
import { ensureFolder } from './fetch-artifacts.ts';
import { classArchive, javaFlags, type Java } from './java.ts';
import { type JavaProcess, startJava, waitUntilReady } from './java-process.ts';
import { canServeGroups, fetchBrokerIds } from './kafka-probe.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import type { LocalRun } from './local-run.ts';
import { runCommand } from './run-command.ts';

/** The settings that all nodes of a cluster share. */
export interface ClusterSetup {
  readonly java: Java;
  readonly jarFolder: string;
  readonly classPath: string;
  readonly clusterId: string;
  readonly plans: readonly NodePlan[];
  readonly run: LocalRun;
}

/** One broker, which is also a controller. A test may kill and restart it with its data. */
export interface LocalKafkaNode {
  readonly nodeId: number;
  /** `127.0.0.1:PORT`. */
  readonly broker: string;
  /** The id of the current or last Java process. */
  readonly pid: number;
  readonly process: JavaProcess;
  /** Sends a signal (default SIGKILL) and resolves when the process has exited. No effect if it has already exited. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Restarts the process on the same ports and data; resolves when the node is part of the cluster again. */
  restart(): Promise<void>;
}

const FORMAT_LIMIT_MS = 120_000;

/** Formats the data folder, and starts the node without waiting until it is ready. */
export async function startNode(setup: ClusterSetup, plan: NodePlan): Promise<LocalKafkaNode> {
  const { folder } = setup.run;
  const settingsFile = path.join(folder, `node-${plan.nodeId}.properties`);
  const dataFolder = path.join(folder, `node-${plan.nodeId}`);
  writeFileSync(settingsFile, renderProperties(nodeSettings(plan, setup.plans, dataFolder)));
  await formatData(setup, plan, dataFolder);
  let current = launch(setup, plan, settingsFile);
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => current.kill(signal);
  const node: LocalKafkaNode = {
    nodeId: plan.nodeId,
    broker: `127.0.0.1:${plan.brokerPort}`,
    get pid() {
      return current.pid;
    },
    get process() {
      return current;
    },
    kill,
    restart: async () => {
      await kill('SIGTERM');
      current = launch(setup, plan, settingsFile);
      await waitUntilReady(current, () => isBack(plan));
    },
  };
  setup.run.processes.push(node);
  return node;
}

/** Whether the restarted node is registered in the cluster and serves consumer groups. */
async function isBack(plan: NodePlan): Promise<boolean> {
  const ids = await fetchBrokerIds(plan.brokerPort);
  return ids.includes(plan.nodeId) && (await canServeGroups(plan.brokerPort));
}

/**
 * Copies a data folder that Kafka's tool has formatted on the first start of a node with this id: the tool takes as long as half a
 * start of the node.
 */
async function formatData(setup: ClusterSetup, plan: NodePlan, dataFolder: string): Promise<void> {
  const formatted = await ensureFolder(path.join(setup.jarFolder, `node-${plan.nodeId}`), (folder) =>
    formatFolder(setup, plan, folder),
  );
  cpSync(path.join(formatted, 'data'), dataFolder, { recursive: true });
  const properties = path.join(dataFolder, 'meta.properties');
  const text = readFileSync(properties, 'utf8').replace(/^cluster\.id=.*$/m, `cluster.id=${setup.clusterId}`);
  writeFileSync(properties, text);
}

async function formatFolder(setup: ClusterSetup, plan: NodePlan, folder: string): Promise<void> {
  const settingsFile = path.join(folder, 'node.properties');
  writeFileSync(settingsFile, renderProperties(nodeSettings(plan, setup.plans, path.join(folder, 'data'))));
  const args = ['format', '-t', setup.clusterId, '-c', settingsFile];
  const result = await runCommand(
    setup.java.command,
    [
      ...classArchive(setup.jarFolder, 'broker', setup.java.build, false).flags,
      ...javaArguments(setup, 'kafka.tools.StorageTool'),
      ...args,
    ],
    { limitMs: FORMAT_LIMIT_MS },
  );
  if (result.code !== 0) {
    throw new LocalKafkaError('broker-failed', `the data folder cannot be formatted:\n${result.output}`);
  }
}

function launch(setup: ClusterSetup, plan: NodePlan, settingsFile: string): JavaProcess {
  return startJava(
    {
      label: `Kafka node ${plan.nodeId}`,
      command: setup.java.command,
      args: [...javaArguments(setup, 'kafka.Kafka'), settingsFile],
      folder: setup.run.folder,
      logFile: path.join(setup.run.folder, `node-${plan.nodeId}.log`),
      // Only one node writes the archive.
      archive: classArchive(setup.jarFolder, 'broker', setup.java.build, plan.nodeId === 1),
    },
    setup.run,
  );
}

function javaArguments(setup: ClusterSetup, mainClass: string): string[] {
  const { folder } = setup.run;
  return [
    ...javaFlags(path.join(folder, 'tmp')),
    `-Dlog4j2.configurationFile=${path.join(folder, 'log4j2.properties')}`,
    '-cp',
    setup.classPath,
    mainClass,
  ];
}
