const MIB = 1_048_576;

/** A partition is paused when its unfinished messages reach `messages` or `bytes`, or uncommitted ones `pending`. */
export interface WindowLimits {
  readonly messages: number;
  readonly bytes: number;
  /** A crash repeats uncommitted messages. Default: `messages`, so one message in retry soon pauses its partition. */
  readonly pending?: number;
}

const WINDOWS: Readonly<Record<'requestWindow' | 'commandWindow' | 'tierWindow', WindowLimits>> = {
  // A request that waits for its reply partition keeps later ones uncommitted: `pending` is ten minutes of 80 a second.
  // `messages` is large because requests that wait for the schema registry must not keep others on the topic.
  requestWindow: { messages: 5_000, bytes: 32 * MIB, pending: 50_000 },
  commandWindow: { messages: 1_000, bytes: 8 * MIB },
  // Each copy waits for at least a second, so `messages` also limits the copies that a partition returns per second.
  tierWindow: { messages: 1_000, bytes: 4 * MIB },
};

/** Limits for the memory of the queues of a process. The simulation reduces them. */
export type QueueLimits = Readonly<typeof QUEUE_LIMITS>;

/** Limits of the hold topic. For urgent messages, all except `followersPerKey` are a tenth higher. */
export type HoldLimits = Readonly<QueueLimits['hold']>;

export const QUEUE_LIMITS = {
  ...WINDOWS,
  /** Messages that a publisher holds until the broker has stored them: a lost broker must not exhaust the memory. */
  publisher: { messages: 50_000, bytes: 64 * MIB },
  // One topic takes at most half of them. With 10 KiB each, all take 200 MB.
  pendingReplies: 20_000,
  resultBytes: 64 * MIB,
  indexWaitingBytes: 16 * MIB,
  hold: {
    /** Keys with a message in retry. Messages of further keys lose their order. An ingress key takes 663 bytes. */
    keys: 100_000,
    followersPerKey: 1_000,
    // A follower takes 1.4 kB in addition to its value and headers.
    followers: 100_000,
    bytesPerPartition: 64 * MIB,
    /** For all partitions together, because each instance has all of them in memory. */
    bytes: 256 * MIB,
  },
};

/** Options for an `LRUCache`. Its option `max` would reserve the memory of all entries at once (13 ms for 100,000). */
export function atMost(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
