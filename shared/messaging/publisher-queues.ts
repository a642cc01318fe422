import { QUEUE_LIMITS } from '../platform/queues/queue-limits.ts';

/** What a publisher holds until the broker has it. */
export interface Queued {
  readonly messages: number;
  readonly bytes: number;
}

/** Whether a call fits into the queue of a publisher; a call that is larger than the queue never does. */
export function hasRoom(queued: Queued, added: Queued, limits: Queued = QUEUE_LIMITS.publisher): boolean {
  return queued.messages + added.messages <= limits.messages && queued.bytes + added.bytes <= limits.bytes;
}
