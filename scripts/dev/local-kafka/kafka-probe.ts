import { Admin, FindCoordinatorKeyTypes } from '@platformatic/kafka';

/** A running broker responds immediately; one that is starting may delay the response. */
const ANSWER_LIMIT_MS = 2_000;

/** Ids of the brokers in the cluster, as reported by the broker on this port; empty if it does not respond. */
export async function fetchBrokerIds(port: number): Promise<readonly number[]> {
  return askBroker(
    port,
    '127.0.0.1',
    async (admin) => [...(await admin.metadata({ topics: [] })).brokers.keys()],
    [],
  );
}

/**
 * Whether the cluster of the broker serves consumer groups: there is a coordinator, and the brokers have loaded their partitions of
 * the offsets topic. In a new cluster this also creates that topic, so that the first test does not wait for it.
 */
export async function canServeGroups(port: number, host = '127.0.0.1'): Promise<boolean> {
  return askBroker(
    port,
    host,
    async (admin) => {
      await admin.findCoordinator({ keyType: FindCoordinatorKeyTypes.GROUP, keys: ['local-kafka'] });
      await admin.listGroups();
      return true;
    },
    false,
  );
}

/** Asks once, over a connection of its own; `otherwise` if the broker does not answer as it should. */
async function askBroker<T>(
  port: number,
  host: string,
  ask: (admin: Admin) => Promise<T>,
  otherwise: T,
): Promise<T> {
  const admin = new Admin({
    clientId: 'local-kafka',
    bootstrapBrokers: [{ host, port }],
    retries: 0,
    connectTimeout: ANSWER_LIMIT_MS,
    timeout: ANSWER_LIMIT_MS,
  });
  try {
    return await ask(admin);
  } catch {
    return otherwise;
  } finally {
    await admin.close();
  }
}
