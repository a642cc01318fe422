import type { Broker, GroupSource, Tail } from '../../../shared/messaging/ports.ts';
import type { ProviderSet } from '../../../workers/notification/providers/configured-providers.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import { publishingBy } from '../builders/notification-call.ts';

/** At its n-th publish, just before or just after the record is written to the log. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** As with `kill -9` none of its calls has an effect afterwards, and its partitions move; records on the log stay. */
export function dyingWorker(broker: Broker, providers: ProviderSet, death: Death) {
  const never = new Promise<never>(() => undefined);
  let publishes = 0;
  let isDead = false;
  const readers: (GroupSource | Tail)[] = [];
  const opened = <Reader extends GroupSource | Tail>(reader: Reader): Reader => {
    readers.push(reader);
    return reader;
  };
  const publishing = publishingBy(broker, (publish) => async (messages) => {
    if (isDead) return never;
    publishes += 1;
    const isLast = publishes === death.at;
    if (!isLast || death.when === 'after') await publish(messages);
    if (!isLast) return undefined;
    isDead = true;
    for (const reader of readers) void reader.stop(0);
    return never;
  });
  const createGroupSource: Broker['createGroupSource'] = (options) => {
    const inner = opened(broker.createGroupSource(options));
    const [start, commit] = [inner.start.bind(inner), inner.commit.bind(inner)];
    return Object.assign(inner, {
      start: (sink) =>
        start({
          onAssigned: (...given) => (isDead ? undefined : sink.onAssigned(...given)),
          onRevoking: (...given) => (isDead ? undefined : sink.onRevoking(...given)),
          onMessages: (...given) => (isDead ? undefined : sink.onMessages(...given)),
          onCrash: (...given) => (isDead ? undefined : sink.onCrash(...given)),
        }),
      commit: (epoch, offsets) => (isDead ? Promise.resolve(false) : commit(epoch, offsets)),
    } satisfies Partial<GroupSource>);
  };
  const createTail: Broker['createTail'] = (options) => opened(broker.createTail(options));
  const mortal = (provider: GuardedProvider): GuardedProvider => ({
    ...provider,
    admit: () => provider.admit(),
    send: (message, signal) => (isDead ? never : provider.send(message, signal)),
  });
  return {
    broker: { ...publishing, createGroupSource, createTail },
    providers: { ...providers, of: (channel) => providers.of(channel).map(mortal) } satisfies ProviderSet,
    isDead: () => isDead,
  };
}
