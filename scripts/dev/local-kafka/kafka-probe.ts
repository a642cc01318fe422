import { Admin, FindCoordinatorKeyTypes } from '@platformatic/kafka';

/** A running broker responds immediately; one that is starting may delay the response. */
const ANSWER_LIMIT_MS = 2_000;

/**
 * Asks the broker on this port for the ids of the brokers in its cluster, over a connection of its own; empty unless the cluster
 * serves consumer groups: there is a coordinator, and the brokers have loaded their partitions of the offsets topic. In a new
 * cluster this also creates that topic, so that the first test does not wait for it.
 */
export async function fetchBrokerIds(port: number, host = '127.0.0.1'): Promise<readonly number[]> {
  const admin = new Admin({
    clientId: 'local-kafka',
    bootstrapBrokers: [{ host, port }],
    retries: 0,
    connectTimeout: ANSWER_LIMIT_MS,
    timeout: ANSWER_LIMIT_MS,
  });
  try {
    const { brokers } = await admin.metadata({ topics: [] });
    await admin.findCoordinator({ keyType: FindCoordinatorKeyTypes.GROUP, keys: ['local-kafka'] });
    await admin.listGroups();
    return [...brokers.keys()];
  } catch {
    return [];
  } finally {
    await admin.close();
  }
}
