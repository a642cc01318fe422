import { findCoordinatorV2, metadataV1, metadataV9 } from '@platformatic/kafka';
import type { BrokerAddress } from './connections.ts';
import { answerOf, type PlatformaticClient } from './client.ts';
import { brokerError, brokerErrorName } from './errors.ts';

/** Which brokers are the leaders of topics, as one broker knows it. */
export interface ClusterMetadata {
  /** Brokers that are alive, by node id. */
  readonly brokers: ReadonlyMap<number, BrokerAddress>;
  /** The requested topics by name. */
  readonly topics: ReadonlyMap<string, TopicMetadata>;
  /** The broker that creates and deletes topics, or passes such requests on. */
  readonly controller: BrokerAddress | undefined;
}

export interface TopicMetadata {
  /** Kafka's name of the error, for example of a topic that does not exist. */
  readonly error: string | undefined;
  /** Node id of each partition's leader; -1: none. */
  readonly leaders: readonly number[];
}

/** The newest version of Kafka 2.4, and one that every broker supports. */
const METADATA = [metadataV9.api, metadataV1.api];
const FIND_COORDINATOR = [findCoordinatorV2.api];
/** Kafka's number for groups, in contrast to transactions. */
const GROUP = 0;

/** Asks any broker; never creates a topic. Absent topics: all topics of the cluster. Rejects with the error of the library. */
export async function clusterMetadata(
  client: PlatformaticClient,
  topics?: readonly string[],
): Promise<ClusterMetadata> {
  const wanted = topics === undefined ? null : [...topics];
  const answer = await answerOf(client.sendToAny(METADATA, wanted, false));
  const brokers = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
  return {
    brokers,
    controller: brokers.get(answer.controllerId),
    topics: new Map(answer.topics.map((topic) => [topic.name, toTopicMetadata(topic)])),
  };
}

function toTopicMetadata({ errorCode, partitions }: metadataV9.MetadataResponseTopic): TopicMetadata {
  // A damaged response may name any partition.
  const leaders = partitions.map(() => -1);
  for (const { partitionIndex, leaderId } of partitions) {
    if (partitionIndex in leaders) leaders[partitionIndex] = leaderId;
  }
  return { error: brokerErrorName(errorCode), leaders };
}

/** The broker that coordinates a group. Rejects with the error of the library, while there is none too. */
export async function findCoordinator(client: PlatformaticClient, groupId: string): Promise<BrokerAddress> {
  const { coordinators } = await client.sendToAny(FIND_COORDINATOR, GROUP, [groupId]);
  const [coordinator] = coordinators;
  if (coordinator === undefined || coordinator.port < 0) throw brokerError('COORDINATOR_NOT_AVAILABLE');
  return { host: coordinator.host, port: coordinator.port };
}
