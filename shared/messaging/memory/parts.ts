import type { FaultPlan } from './faults.ts';
import type { MemoryScheduler } from './scheduler.ts';
import type { MemoryTopics } from './topics.ts';

/** A publisher, a consumer or a tail, as the broker sees it when it closes. */
export interface Stoppable {
  stop(timeoutMs?: number): Promise<void>;
}

/** What publishers, consumers and tails of one broker share. */
export interface MemoryParts {
  readonly topics: MemoryTopics;
  readonly scheduler: MemoryScheduler;
  readonly faults: FaultPlan | undefined;
  /** The part has stopped: the broker need not close it any more. */
  onStopped(part: Stoppable): void;
}
