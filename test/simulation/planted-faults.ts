import type { GroupSource, Broker, Publisher } from '../../shared/messaging/ports.ts';
import type { GuardedProvider } from '../../shared/notification/provider.ts';
import type { ProviderSet } from '../../workers/notification/providers/configured-providers.ts';

export const PLANTED_FAULTS = ['commit-ahead-of-work', 'lost-record', 'sent-twice'] as const;
export type PlantedFault = (typeof PLANTED_FAULTS)[number];

const LOST_EVERY = 10;

/** `commit-ahead-of-work`: commits on delivery. `lost-record`: some records are reported as stored and are not. */
export function plantInBroker(fault: PlantedFault | undefined, broker: Broker): Broker {
  if (fault === 'commit-ahead-of-work') {
    return replace(broker, {
      createGroupSource: (options) => committingAhead(broker.createGroupSource(options)),
    });
  }
  if (fault !== 'lost-record') return broker;
  return replace(broker, { createPublisher: (options) => losing(broker.createPublisher(options)) });
}

export function plantInProviders(fault: PlantedFault | undefined, providers: ProviderSet): ProviderSet {
  if (fault !== 'sent-twice') return providers;
  return replace(providers, { of: (channel) => providers.of(channel).map(sendingTwice) });
}

function committingAhead(source: GroupSource): GroupSource {
  return replace(source, {
    start: (sink) =>
      source.start(
        replace(sink, {
          onMessages: (generation, messages, highWatermark) => {
            sink.onMessages(generation, messages, highWatermark);
            const last = messages.at(-1);
            if (last === undefined) return;
            const { topic, partition, offset } = last;
            source.commit(generation, [{ topic, partition, offset: offset + 1 }]).catch(() => undefined);
          },
        }),
      ),
  });
}

function losing(publisher: Publisher): Publisher {
  let calls = 0;
  return replace(publisher, {
    publish: (messages) => {
      calls += 1;
      return calls % LOST_EVERY === 0 ? Promise.resolve() : publisher.publish(messages);
    },
  });
}

function sendingTwice(provider: GuardedProvider): GuardedProvider {
  return replace(provider, {
    send: async (...call) => {
      await provider.send(...call);
      return provider.send(...call);
    },
  });
}

function replace<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(methods, name)) return methods[name as keyof Target];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
