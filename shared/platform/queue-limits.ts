const MIB = 1_048_576;

/** Limits of one partition of a consumer, beyond which it is paused. */
export interface WindowLimits {
  readonly messages: number;
  readonly bytes: number;
  /** Messages beyond the committed prefix, which a crash may repeat. Absent: `messages`, so that one that is retried soon blocks its partition. */
  readonly pending?: number;
}

const WINDOWS: Readonly<Record<'requestWindow' | 'commandWindow' | 'tierWindow', WindowLimits>> = {
  // Requests after one that waits for its reply partition cannot be committed, and are answered again after a crash: ten minutes of 80 a second.
  // Those that are not done may wait for the schema registry, and must not keep others on the topic.
  requestWindow: { messages: 5_000, bytes: 32 * MIB, pending: 50_000 },
  commandWindow: { messages: 1_000, bytes: 8 * MIB },
  // Each copy waits at least a second, so this also limits how many a partition returns per second.
  tierWindow: { messages: 1_000, bytes: 4 * MIB },
};

/** The limits that decide how much memory the queues of a process take. A simulation makes them small. */
export type QueueLimits = Readonly<typeof QUEUE_LIMITS>;

/** Limits on the hold topic. Those of all keys together are a tenth higher for urgent messages, so that normal ones leave room for them. */
export type HoldLimits = Readonly<QueueLimits['hold']>;

export const QUEUE_LIMITS = {
  ...WINDOWS,
  /** What one publisher holds until the broker has it, so that an unavailable broker cannot exhaust the memory. */
  publisher: { messages: 50_000, bytes: 64 * MIB },
  // A topic has half of them. A reply may take ten seconds: 200 MB with 10 KiB each.
  pendingReplies: 20_000,
  resultBytes: 64 * MIB,
  indexWaitingBytes: 16 * MIB,
  hold: {
    /** Keys with a message that is retried; beyond it, the order of further keys is not kept. Each takes 663 bytes with the keys of an ingress. */
    keys: 100_000,
    followersPerKey: 1_000,
    // Each takes 1.4 kB more than its value and headers.
    followers: 100_000,
    bytesPerPartition: 64 * MIB,
    /** For all partitions together, since each instance has them all in memory. */
    bytes: 256 * MIB,
  },
};

/** Options of an `LRUCache` for at most this number of entries. Its option `max` reserves all memory at once: 13 ms for 100,000. */
export function atMost(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
