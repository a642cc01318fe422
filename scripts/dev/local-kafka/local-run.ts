import { rmSync } from 'node:fs';
import { type Guard, startGuard } from './guard.ts';
import type { LocalKafkaError } from './local-kafka-error.ts';
import type { Workspace } from './workspace.ts';

/** Something that was started and must be stopped. */
interface Stoppable {
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** All that one start brought up: its processes, the guard over them, and how to end everything. */
export interface LocalRun {
  readonly guard: Guard;
  /** Stopped in this order: the registry first, as with its schemas on Kafka it takes leave of the brokers. */
  readonly registries: Stoppable[];
  readonly nodes: Stoppable[];
  /** Reports a process that ended without being asked. */
  readonly onFailure: (error: LocalKafkaError) => void;
  readonly failure: Promise<LocalKafkaError>;
  stop(): Promise<void>;
}

/** Opens a run over a workspace; a temporary workspace is removed when the run stops, or this process dies. */
export function openRun(workspace: Workspace): LocalRun {
  const guard = startGuard(workspace.isTemporary ? workspace.folder : undefined);
  const failure = Promise.withResolvers<LocalKafkaError>();
  const registries: Stoppable[] = [];
  const nodes: Stoppable[] = [];
  /**
   * Several nodes stopping together wait for a quorum that is gone, until their limit. Where nothing is kept they need not;
   * a single node stops at once, and in order, which lets it write the class archive.
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
