import type { Broker, GroupSource, Publisher, Tail } from '../../../shared/messaging/ports.ts';
import type { ProviderSet } from '../../../workers/notification/providers/configured-providers.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';

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
  const sources: GroupSource[] = [];
  const tails: Tail[] = [];
  const end = (): void => {
    isDead = true;
    for (const source of sources) void source.stop(0);
    for (const tail of tails) void tail.stop(0);
  };
  const createPublisher: Broker['createPublisher'] = (options): Publisher => {
    const inner = broker.createPublisher(options);
    const publish: Publisher['publish'] = async (messages) => {
      if (isDead) return never;
      publishes += 1;
      const isLast = publishes === death.at;
      if (isLast && death.when === 'before') {
        end();
        return never;
      }
      await inner.publish(messages);
      if (!isLast) return undefined;
      end();
      return never;
    };
    return {
      start: () => inner.start(),
      publish,
      isHealthy: () => inner.isHealthy(),
      stop: (timeoutMs) => inner.stop(timeoutMs),
    };
  };
  const createGroupSource: Broker['createGroupSource'] = (options) => {
    const inner = broker.createGroupSource(options);
    sources.push(inner);
    return {
      start: (sink) =>
        inner.start({
          onAssigned: (...given) => (isDead ? undefined : sink.onAssigned(...given)),
          onRevoking: (...given) => (isDead ? undefined : sink.onRevoking(...given)),
          onMessages: (...given) => (isDead ? undefined : sink.onMessages(...given)),
          onCrash: (...given) => (isDead ? undefined : sink.onCrash(...given)),
        }),
      pause: (partitions) => inner.pause(partitions),
      resume: (partitions) => inner.resume(partitions),
      commit: (epoch, offsets) => (isDead ? Promise.resolve(false) : inner.commit(epoch, offsets)),
      stop: (timeoutMs) => inner.stop(timeoutMs),
    };
  };
  const createTail: Broker['createTail'] = (options) => {
    const inner = broker.createTail(options);
    tails.push(inner);
    return inner;
  };
  const mortal = (provider: GuardedProvider): GuardedProvider => ({
    ...provider,
    admit: () => provider.admit(),
    send: (message, signal) => (isDead ? never : provider.send(message, signal)),
  });
  return {
    broker: { ...broker, createPublisher, createGroupSource, createTail },
    providers: { ...providers, of: (channel) => providers.of(channel).map(mortal) } satisfies ProviderSet,
    isDead: () => isDead,
  };
}
