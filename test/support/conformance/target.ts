import type { Broker } from '../../../shared/messaging/ports.ts';
import type { EchoWorkerOptions } from './echo-worker.ts';

/** A worker that can be killed as by `kill -9`: no goodbye to the group, no commit, whatever it was doing. */
export interface KillableWorker {
  kill(): Promise<void>;
}

/**
 * A broker under test. What one broker can only imitate says so: on the embedded one a process is a set of clients
 * whose every call is refused from one moment on, which is what the group and the log see of a kill.
 */
export interface ConformanceTarget {
  readonly name: string;
  /** The shortest session that the broker allows; how soon a killed member is given up. */
  readonly sessionTimeoutMs: number;
  /** Ample time for one step (a rebalance, a delivery) on this broker. */
  readonly stepMs: number;
  /** Work that outlasts two rebalances. */
  readonly slowMs: number;
  /** Messages that make a scenario under traffic last for some rebalances. */
  readonly trafficMessages: number;
  readonly broker: Broker;
  /** A worker in a process of its own, as the group and the log see it. Resolves when it owns partitions. */
  startKillableWorker(options: EchoWorkerOptions): Promise<KillableWorker>;
  /** Makes the broker unreachable for a moment; what it had stored is there afterwards. */
  restart(): Promise<void>;
  /** Leaves the newest offsets of each partition without a record, as compaction or a transaction marker does. */
  leaveEmptyTail(topic: string): Promise<void>;
  /** Makes the tail of this client join anew, wherever it stands. */
  forceRejoin(clientId: string): Promise<void>;
  close(): Promise<void>;
}
