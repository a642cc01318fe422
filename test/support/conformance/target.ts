import type { Broker } from '../../../shared/messaging/ports.ts';
import type { EchoWorkerOptions } from './echo-worker.ts';

export interface ConformanceTarget {
  /** The shortest session that the broker allows: a killed member is expelled after it. */
  readonly sessionTimeoutMs: number;
  readonly stepMs: number;
  /** Duration of a handler that outlasts two rebalances. */
  readonly slowMs: number;
  /** Number of messages in a scenario that must outlast several rebalances. */
  readonly trafficMessages: number;
  readonly broker: Broker;
  /** Absent: topics end with the broker. */
  deleteTopics?(topics: readonly string[]): Promise<void>;
  /** Killed as by `kill -9`. On the embedded broker, whose clients end with it, the worker stops at once. */
  startKillableWorker(options: EchoWorkerOptions): Promise<{ kill(): Promise<void> }>;
  restart(): Promise<void>;
  /** Makes the last offsets of each partition have no record, as after compaction or a transaction marker. */
  leaveEmptyTail(topic: string): Promise<void>;
  forceRejoin(clientId: string): Promise<void>;
  close(): Promise<void>;
}
