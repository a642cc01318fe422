/**
 * Child process that answers each batch of contracts immediately with a reply that a bulk lane has sent for such a
 * batch, with the correlation id and key of the request.
 */
import type { IHeaders, Message } from 'kafkajs';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { answerParent } from '../processes.ts';
import { benchCodec } from '../samples.ts';
import { bulkReplies } from './contracts.ts';
import { batchReader, batchSender, rawBatchKafka, type ReadMessage } from './raw-batches.ts';

const [brokers = '', requestTopic = '', replyTopic = '', partitions = '12'] = process.argv.slice(2);
const DISPOSED = Buffer.alloc(1);
const replies = await bulkReplies(benchCodec());
const kafka = rawBatchKafka(brokers.split(','), 'raw-batch-echo');
const send = await batchSender(kafka, replyTopic);
let answered = 0;
await batchReader(kafka, { topic: requestTopic, partitions: Number(partitions) }, (batch) =>
  send(batch.map(replyTo)),
);
answerParent(() => Promise.resolve(undefined));

function replyTo({ key, headers }: ReadMessage): Message {
  const reply = replies[answered % replies.length];
  answered += 1;
  return {
    key: key ?? null,
    value: reply?.value ?? null,
    headers: {
      ...(reply?.headers as IHeaders),
      [HEADER.correlationId]: headers?.[HEADER.correlationId],
      [HEADER.nestIsDisposed]: DISPOSED,
    },
  };
}
