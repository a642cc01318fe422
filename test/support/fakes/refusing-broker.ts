import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';

/**
 * Decides about a publish. With an error it rejects and with `lost` it is confirmed, in both cases without writing the
 * messages. With undefined the messages are written.
 */
export type Refusal = (clientId: string, messages: readonly OutgoingMessage[]) => Error | 'lost' | undefined;

/** A broker that rejects publishes as scripted. */
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
