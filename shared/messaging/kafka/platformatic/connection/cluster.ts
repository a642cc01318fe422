import { metadataV9 } from '@platformatic/kafka';
import type { TopicLeaders } from '../../common/consuming/fetch.ts';
import type { BrokerAddress, PlatformaticClient } from './client.ts';
import { brokerErrorName } from './errors.ts';

/** Which brokers are the leaders of topics, as one broker knows it. */
export interface ClusterMetadata {
  /** Brokers that are alive, by node id. */
  readonly brokers: ReadonlyMap<number, BrokerAddress>;
  /** The requested topics by name. */
  readonly topics: TopicLeaders;
}

/** Asks any broker; never creates a topic. Rejects with the error of the library. */
export async function clusterMetadata(
  client: PlatformaticClient,
  topics: readonly string[],
): Promise<ClusterMetadata> {
  const answer = await client.sendToAny(metadataV9.api, [...topics], false);
  const brokers = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
  return {
    brokers,
    topics: new Map(
      answer.topics.map(({ name, errorCode, partitions }) => {
        // A damaged response may name any partition.
        const leaders = partitions.map(() => -1);
        for (const { partitionIndex, leaderId } of partitions) {
          if (partitionIndex in leaders && brokers.has(leaderId)) leaders[partitionIndex] = leaderId;
        }
        return [name, { error: brokerErrorName(errorCode), leaders }];
      }),
    ),
  };
}
