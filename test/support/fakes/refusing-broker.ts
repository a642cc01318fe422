import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';

/**
 * What a publisher's client gets instead of its messages being written: an error, or with `lost` a confirmation, though
 * they were not; undefined: they are written.
 */
export type Refusal = (clientId: string, messages: readonly OutgoingMessage[]) => Error | 'lost' | undefined;

/** A broker that refuses what a process wants to write, as the test says. */
export function refusingBroker(broker: Broker, refusal: Refusal): Broker {
  const createPublisher: Broker['createPublisher'] = (options) => {
    const inner = broker.createPublisher(options);
    return {
      start: () => inner.start(),
      isHealthy: () => inner.isHealthy(),
      stop: (timeoutMs) => inner.stop(timeoutMs),
      publish: (messages) => {
        const fault = refusal(options.clientId, messages);
        if (fault === undefined) return inner.publish(messages);
        return fault === 'lost' ? Promise.resolve() : Promise.reject(fault);
      },
    };
  };
  return { ...broker, createPublisher };
}
