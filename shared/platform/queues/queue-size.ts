/** What one queue or store in memory holds, and the most that it may hold. */
export interface QueueSize {
  /** The same name in all processes. */
  readonly queue: string;
  readonly unit: 'messages' | 'bytes' | 'requests' | 'records' | 'uncommitted';
  readonly size: number;
  readonly limit: number;
}

/** The one of two queues that is closer to its limit. */
export function fuller(one: QueueSize, other: QueueSize): QueueSize {
  return other.size / other.limit > one.size / one.limit ? other : one;
}
