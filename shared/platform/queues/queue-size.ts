/** What one queue or store in memory holds, and the most that it may hold. */
export class QueueSize {
  /** The same name in all processes. */
  readonly queue: string;
  readonly unit: 'messages' | 'bytes' | 'requests' | 'records' | 'receivers' | 'uncommitted';
  readonly size: number;
  readonly limit: number;

  constructor(queue: string, unit: QueueSize['unit'], size: number, limit: number) {
    this.queue = queue;
    this.unit = unit;
    this.size = size;
    this.limit = limit;
  }
}

/** The one of two queues that is closer to its limit. */
export function fuller(one: QueueSize, other: QueueSize): QueueSize {
  return other.size / other.limit > one.size / one.limit ? other : one;
}
