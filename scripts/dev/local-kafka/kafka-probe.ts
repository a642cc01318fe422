import { Admin, FindCoordinatorKeyTypes } from '@platformatic/kafka';

const ANSWER_LIMIT_MS = 2_000;

/** The brokers of the cluster; empty unless it serves consumer groups. Creates the offsets topic of a new cluster. */
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
