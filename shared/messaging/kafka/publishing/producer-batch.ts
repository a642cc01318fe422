import { CompressionTypes, type ProducerBatch, type TopicMessages } from 'kafkajs';
import type { PublishSlice } from './publish-queue.ts';

/** A leader waits no longer for its followers; less than the request's time-out, so that its answer comes first. */
const ACKS_TIMEOUT_MS = 4_000;
/** Requests with a value larger than this are compressed; below it costs more time than it saves. */
const COMPRESS_ABOVE_BYTES = 4_096;
const ALL_IN_SYNC_REPLICAS = -1;

/** The slices as one request of kafkajs, which compresses all batches of a request or none. */
export function toProducerBatch(slices: readonly PublishSlice[]): ProducerBatch {
  const topics = new Map<string, TopicMessages>();
  let isLarge = false;
  for (const { queue, entries } of slices) {
    let topic = topics.get(queue.topic);
    if (topic === undefined) {
      topic = { topic: queue.topic, messages: [] };
      topics.set(queue.topic, topic);
    }
    for (const { record, valueBytes } of entries) {
      topic.messages.push(record);
      isLarge ||= valueBytes > COMPRESS_ABOVE_BYTES;
    }
  }
  return {
    acks: ALL_IN_SYNC_REPLICAS,
    timeout: ACKS_TIMEOUT_MS,
    compression: isLarge ? CompressionTypes.GZIP : CompressionTypes.None,
    topicMessages: [...topics.values()],
  };
}
