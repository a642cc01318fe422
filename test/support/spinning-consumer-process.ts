import { createKafkajsBroker } from '../../shared/messaging/kafka/kafkajs/broker.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { FETCH, startFakeKafka } from './fakes/kafka-log.ts';

/** Longer than the consumer needs to detect the closed connection and to wait for the silent broker. */
const REBALANCED_MS = 600;
/** Timeout of stop(), after which the sockets are closed and the fetch of the silent broker fails. */
const STOP_MS = 300;
/** A timer that fires this long after the stop shows that the event loop is not blocked. */
const FREE_MS = 1_000;

/**
 * Stops a consumer while its fetchers are replaced: one broker does not respond to a fetch, another closes its connections.
 * Prints `free` if the event loop still runs afterwards.
 */
const kafka = await startFakeKafka(2, 2);
const broker = createKafkajsBroker({ brokers: kafka.addresses, clientId: 'spin', log: silentLog });
const fetched = Promise.withResolvers<void>();
const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'] });
await source.start({
  onAssigned: () => undefined,
  onRevoking: () => undefined,
  onMessages: () => undefined,
  onCrash: () => undefined,
});
kafka.isUnanswered = (id, kind) => {
  if (id !== 1 || kind !== FETCH) return false;
  fetched.resolve();
  return true;
};
await fetched.promise;
kafka.closeConnections(0);
await wait(REBALANCED_MS);
await source.stop(STOP_MS);
await wait(FREE_MS);
process.stdout.write('free\n');
process.exit(0);

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
