import { MessagingError } from '../../platform/errors.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import type { Broker, BrokerAdmin, Tail } from '../ports.ts';

export interface ReplyTailOptions {
  readonly broker: Pick<Broker, 'createTail'> & { readonly admin: Pick<BrokerAdmin, 'partitionCounts'> };
  readonly replyTopic: string;
  readonly instanceId: string;
}

/**
 * A tail, not yet started, of an instance's own partition of the reply topic: chosen by a hash, so that no rebalance
 * ever moves replies. Rejects when there is no such topic, or with lost infrastructure.
 */
export async function createReplyTail(options: ReplyTailOptions): Promise<{ tail: Tail; partition: number }> {
  const { broker, replyTopic, instanceId } = options;
  const count = (await broker.admin.partitionCounts([replyTopic])).get(replyTopic);
  if (count === undefined) {
    throw new MessagingError('topic-unknown', `there is no reply topic ${replyTopic}`, { canRetry: false });
  }
  const partition = partitionOfKey(Buffer.from(instanceId), count);
  const clientId = `${instanceId}-replies`;
  return {
    tail: broker.createTail({ clientId, topics: [replyTopic], from: 'latest', partition }),
    partition,
  };
}
