import { QUEUE_LIMITS } from '../platform/queues/queue-limits.ts';
import { fuller, QueueSize } from '../platform/queues/queue-size.ts';

/** What a publisher holds until the broker has it. */
export interface Queued {
  readonly messages: number;
  readonly bytes: number;
}

/** Whether a call fits into the queue of a publisher; a call that is larger than the queue never does. */
export function hasRoom(queued: Queued, added: Queued, limits: Queued = QUEUE_LIMITS.publisher): boolean {
  return queued.messages + added.messages <= limits.messages && queued.bytes + added.bytes <= limits.bytes;
}

/** The fullest of the publishers, under one name: many of them have names of their process. */
export function publisherQueues(
  publishers: Iterable<{ readonly queued: Queued }>,
  limits: Queued = QUEUE_LIMITS.publisher,
): readonly QueueSize[] {
  let messages = new QueueSize('publisher', 'messages', 0, limits.messages);
  let bytes = new QueueSize('publisher', 'bytes', 0, limits.bytes);
  for (const { queued } of publishers) {
    if (queued.messages === 0) continue;
    messages = fuller(messages, new QueueSize('publisher', 'messages', queued.messages, limits.messages));
    bytes = fuller(bytes, new QueueSize('publisher', 'bytes', queued.bytes, limits.bytes));
  }
  return [messages, bytes];
}
