import type { Disposition, WorkEnd } from '../processing-result.ts';
import type { MaybePromise } from '../sync-or-async.ts';
import type { Work } from './work.ts';

/** The works of one key that are not done, the oldest first; a message without a key has a lane of its own. */
export interface Lane {
  first: Work;
  last: Work;
  /** The first work is running or held. A lane that is not busy waits in the ready queue. */
  busy: boolean;
  /** What the first work weighs while it runs. */
  weight: number;
  readonly key: string;
  /** The lanes of the topic, by key; undefined for a message without a key. */
  readonly group: Map<string, Lane> | undefined;
}

/** What the lanes ask of their owner. */
export interface LaneCalls {
  run(work: Work): MaybePromise<Disposition>;
  /** Decides about a throw of run(); throws nothing itself. */
  thrown(work: Work, error: unknown): MaybePromise<Disposition>;
  /** The work has ended; the next of its key follows. */
  ended(work: Work, end: WorkEnd): void;
  /** The work waits for its next attempt. */
  held(work: Work): void;
  /** Whether a held work whose delay is over is still wanted. */
  wanted(work: Work): boolean;
}

export interface LaneOptions {
  /** Weight of the works in progress side by side. Held ones do not count: they must not keep other keys waiting. */
  readonly limit: number;
  /** What a work weighs; default: 1 each. The first that waits is begun when it fits, or when nothing else runs. */
  readonly weigh?: ((work: Work) => number) | undefined;
  /** Synchronous work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number;
}
