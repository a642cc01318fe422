import { type Admin, ConfigResourceTypes, ListOffsetTimestamps } from '@platformatic/kafka';
import { CREATE_TIMEOUT_MS, type AdminConnection, type AdminRequests } from '../common/admin.ts';
import { brokerErrorType, isTopicUnknown } from '../common/connection/errors.ts';
import type { PartitionRange } from '../../ports.ts';
import type { NewTopic } from '../common/new-topics.ts';
import type { PlatformaticClient, PlatformaticClients } from './connection/client.ts';
import { clusterMetadata } from './connection/cluster.ts';
import { brokerError } from './connection/errors.ts';

/** Kafka's number for an isolation level: the end of a partition is before its first open transaction. */
const READ_COMMITTED = 1;

/** The admin client of the library, a new one for each call: it stays with a broker that accepts connections and never answers. */
export function platformaticAdmin(
  { createClient, libraryOptions }: PlatformaticClients,
  clientId: string,
): AdminConnection {
  const open = new Set<PlatformaticClient>();
  return {
    use: async (call) => {
      const { bootstrapBrokers } = await libraryOptions(clientId);
      const client = createClient({ clientId, requestTimeoutMs: CREATE_TIMEOUT_MS, bootstrapBrokers });
      open.add(client);
      try {
        return await call(requests(client));
      } finally {
        open.delete(client);
        client.destroy();
      }
    },
    close: () => {
      for (const client of open) client.destroy();
    },
  };
}

/** Metadata is asked for without the library, which drops all of it for one missing topic. */
function requests(client: PlatformaticClient): AdminRequests {
  const { admin } = client;
  return {
    topics: async () => [...(await clusterMetadata(client)).topics.keys()],
    liveBrokers: async () => (await clusterMetadata(client, [])).brokers.size,
    leaders: (topics) => leaders(client, topics),
    create: (topics) => create(admin, topics),
    offsets: (topic) => offsets(client, topic),
    commits: async (groupId) => {
      const [group] = await admin.listConsumerGroupOffsets({ groups: [groupId] });
      return (group?.topics ?? []).flatMap(({ name, partitions }) =>
        partitions.map(({ partitionIndex, committedOffset }) => {
          return { topic: name, partition: partitionIndex, offset: Number(committedOffset) };
        }),
      );
    },
    describe: async (groupId) => {
      const group = (await admin.describeGroups({ groups: [groupId] })).get(groupId);
      if (group === undefined) return undefined;
      const members = [...group.members.values()].map(({ id, clientId, clientHost, assignments }) => {
        const assigned = [...(assignments?.values() ?? [])].flatMap(({ topic, partitions }) =>
          partitions.map((partition) => ({ topic, partition })),
        );
        return { memberId: id, clientId, clientHost, assigned };
      });
      return { state: group.state, members };
    },
    configuration: async (topics) => {
      const found = await admin.describeConfigs({
        resources: topics.map((resourceName) => {
          return { resourceType: ConfigResourceTypes.TOPIC, resourceName, configurationKeys: null };
        }),
      });
      return new Map(
        found.map(({ resourceName, configs }) => [
          resourceName,
          new Map(configs.map(({ name, value }) => [name, value ?? ''])),
        ]),
      );
    },
  };
}

async function leaders(
  client: PlatformaticClient,
  topics: readonly string[],
): Promise<Map<string, readonly number[]>> {
  const known = new Map<string, readonly number[]>();
  for (const [topic, { error, leaders: found }] of (await clusterMetadata(client, topics)).topics) {
    const refusal = error === undefined ? undefined : brokerError(error);
    if (found.length > 0) known.set(topic, found);
    else if (refusal !== undefined && !isTopicUnknown(refusal)) throw refusal;
  }
  return known;
}

async function offsets(client: PlatformaticClient, topic: string): Promise<PartitionRange[]> {
  const partitions = [...((await leaders(client, [topic])).get(topic) ?? []).keys()];
  const at = async (timestamp: bigint) => {
    const wanted = partitions.map((partitionIndex) => ({ partitionIndex, timestamp }));
    const topics = [{ name: topic, partitions: wanted }];
    const [found] = await client.admin.listOffsets({ topics, isolationLevel: READ_COMMITTED });
    return new Map(found?.partitions.map(({ partitionIndex, offset }) => [partitionIndex, Number(offset)]));
  };
  const lows = await at(ListOffsetTimestamps.EARLIEST);
  const highs = await at(ListOffsetTimestamps.LATEST);
  return partitions.map((partition) => {
    return { partition, low: lows.get(partition) ?? 0, high: highs.get(partition) ?? 0 };
  });
}

/** One request for all topics of one configuration, as the library has it. */
async function create(admin: Admin, topics: readonly NewTopic[]): Promise<void> {
  for (const alike of Map.groupBy(topics, ({ config }) => JSON.stringify(config)).values()) {
    try {
      await admin.createTopics({
        topics: alike.map(({ topic, partitions, replicationFactor }) => {
          return { topic, partitions, replicas: replicationFactor };
        }),
        configs: alike[0]?.config ?? [],
      });
    } catch (error) {
      if (brokerErrorType(error) !== 'TOPIC_ALREADY_EXISTS') throw error;
    }
  }
}
