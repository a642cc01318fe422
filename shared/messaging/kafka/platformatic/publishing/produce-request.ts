import { createAPI, produceV7, Writer } from '@platformatic/kafka';
import {
  encodeProduceRequest,
  PRODUCE_VERSIONS,
  type ProducedBatch,
} from '../../common/batches/produce-request.ts';

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
    PRODUCE_VERSIONS.newest,
    (acks, timeoutMs, batches) => Writer.create().append(encodeProduceRequest(acks, timeoutMs, batches)),
    produceV7.parseResponse,
    false,
    false,
  ),
];
