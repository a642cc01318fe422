import { createAPI, produceV7, Writer } from '@platformatic/kafka';

/** The record batch of one partition. */
export interface ProducedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
}

type Arguments = [acks: number, timeoutMs: number, batches: readonly ProducedBatch[]];

const PRODUCE_KEY = 0;

/**
 * Kafka's Produce request with batches that are already encoded: the library would encode each record in buffers of its own,
 * and would drop the values of a repeated header. A version that Kafka 2.1 to 4 supports; newer ones only add fields that are
 * not used here.
 */
export const PRODUCE = [
  createAPI<Arguments, produceV7.ProduceResponse>(
    PRODUCE_KEY,
    7,
    createRequest,
    produceV7.parseResponse,
    false,
    false,
  ),
];

function createRequest(acks: number, timeoutMs: number, batches: readonly ProducedBatch[]): Writer {
  const topics = [...Map.groupBy(batches, ({ topic }) => topic)];
  return Writer.create()
    .appendString(null, false)
    .appendInt16(acks)
    .appendInt32(timeoutMs)
    .appendArray(
      topics,
      (writer, [topic, partitions]) =>
        writer
          .appendString(topic, false)
          .appendArray(
            partitions,
            (one, { partition, batch }) => one.appendInt32(partition).appendInt32(batch.length).append(batch),
            false,
            false,
          ),
      false,
      false,
    );
}
