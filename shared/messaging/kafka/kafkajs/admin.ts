import kafkajs, { AssignerProtocol, type Admin } from 'kafkajs';
import { CREATE_TIMEOUT_MS, type AdminConnection, type AdminRequests } from '../common/admin.ts';
import { brokerErrorType, isTopicUnknown } from '../common/connection/errors.ts';
import type { CreateKafkajsClient, KafkajsClient } from './connection/client.ts';

/** kafkajs retries a request while a controller or coordinator moves, for about 3 s in all. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };

/**
 * The admin client of kafkajs, a new one for each call: it keeps only the metadata of its last query, so that a concurrent call for
 * another topic would miss partitions, and does not look up the new leader after a refusal of the former one.
 */
export function kafkajsAdmin(createClient: CreateKafkajsClient, clientId: string): AdminConnection {
  const open = new Set<KafkajsClient>();
  return {
    use: async (call) => {
      const client = createClient({ clientId, retry: RETRY });
      const admin = client.kafka.admin();
      open.add(client);
      try {
        await admin.connect();
        return await call(requests(admin));
      } finally {
        open.delete(client);
        client.connections.destroy();
        admin.disconnect().catch(() => undefined);
      }
    },
    close: () => {
      for (const { connections } of open) connections.destroy();
    },
  };
}

function requests(admin: Admin): AdminRequests {
  return {
    topics: () => admin.listTopics(),
    liveBrokers: async () => (await admin.describeCluster()).brokers.length,
    leaders: (topics) => leaders(admin, topics),
    create: async (topics) => {
      const wanted = topics.map(({ partitions, config, ...rest }) => {
        return { ...rest, numPartitions: partitions, configEntries: config };
      });
      try {
        // kafkajs' own wait for leaders fails on a broker that does not know the new topic yet.
        await admin.createTopics({ topics: wanted, timeout: CREATE_TIMEOUT_MS, waitForLeaders: false });
      } catch (error) {
        if (brokerErrorType(error) !== 'TOPIC_ALREADY_EXISTS') throw error;
      }
    },
    offsets: async (topic) => {
      const found = await admin.fetchTopicOffsets(topic);
      return found.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
    },
    commits: async (groupId, topics) => {
      const offsets = await admin.fetchOffsets({ groupId, topics: [...topics] });
      return offsets.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
      );
    },
    describe: async (groupId) => {
      const [group] = (await admin.describeGroups([groupId])).groups;
      if (group === undefined) return undefined;
      const members = group.members.map(({ memberAssignment, ...member }) => {
        return { ...member, assigned: decodeAssignment(memberAssignment) };
      });
      return { state: group.state, members };
    },
    configuration: async (topics) => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: topics.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
      });
      return new Map(
        resources.map(({ resourceName, configEntries }) => [
          resourceName,
          new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
        ]),
      );
    },
  };
}

/** Queries topic by topic: with a missing one kafkajs rejects the whole query. */
async function leaders(admin: Admin, topics: readonly string[]): Promise<Map<string, number[]>> {
  const known = new Map<string, number[]>();
  for (const topic of topics) {
    try {
      const found = (await admin.fetchTopicMetadata({ topics: [topic] })).topics.find(
        ({ name }) => name === topic,
      );
      if (found !== undefined)
        known.set(
          topic,
          found.partitions.map(({ leader }) => leader),
        );
    } catch (error) {
      if (!isTopicUnknown(error)) throw error;
    }
  }
  return known;
}

/** During a rebalance members have no assignment. */
function decodeAssignment(assignment: Buffer) {
  const decoded = assignment.length === 0 ? null : AssignerProtocol.MemberAssignment.decode(assignment);
  return Object.entries(decoded?.assignment ?? {}).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}
