import type { Broker } from '../../shared/messaging/ports.ts';
import type { MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import type { CalculationThreads } from './thread-pool.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import type { Log } from '../../shared/platform/log.ts';
import type { Health } from '../../shared/platform/health.ts';
import type { Metrics } from '../../shared/platform/metrics.ts';
import type { SystemPorts } from '../../shared/platform/system-ports.ts';

/** All dependencies of a worker. Workers do not read the environment. */
export interface WorkerContext extends SystemPorts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly broker: Broker;
  readonly codec: MessageCodec;
  /** If absent, long calculations run on the event loop. */
  readonly threads?: CalculationThreads;
  readonly processHealth: () => Readonly<Record<string, Health>>;
}

export interface RunningWorker {
  readonly name: string;
  health(): Health;
  /** Accepts no new work, finishes work in progress within `timeoutMs`, and leaves its groups. Idempotent. */
  stop(timeoutMs: number): Promise<void>;
  /** Where an ingress listens. */
  readonly url?: string;
}

/** Each workers/<name>/main.ts exports such a function. It leaves nothing running if it rejects. */
export type StartWorker = (context: WorkerContext) => Promise<RunningWorker>;
