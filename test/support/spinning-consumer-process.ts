import { createKafkaBroker } from '../../shared/messaging/kafka/broker.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { FETCH, startFakeKafka } from './fakes/kafka-log.ts';

/** Longer than the consumer needs to see the closed connection and to wait for the silent one. */
const REBALANCED_MS = 600;
/** Sockets are cut after this: the fetch of the silent broker fails then. */
const STOP_MS = 300;
/** A turn of the event loop that comes this long after the stop proves that the consumer has let go of it. */
const FREE_MS = 1_000;

/**
 * A consumer that is stopped while its fetchers are replaced: one broker does not answer a fetch, another one closes its
 * connections. Prints `free` when the event loop still turns afterwards.
 */
const kafka = await startFakeKafka(2, 2);
const broker = createKafkaBroker({ brokers: kafka.addresses, clientId: 'spin', log: silentLog });
const asked = Promise.withResolvers<void>();
const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['t'] });
await source.start({
  onAssigned: () => undefined,
  onRevoking: () => undefined,
  onMessages: () => undefined,
  onCrash: () => undefined,
});
kafka.isUnanswered = (id, kind) => {
  if (id !== 1 || kind !== FETCH) return false;
  asked.resolve();
  return true;
};
await asked.promise;
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
