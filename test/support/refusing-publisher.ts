import type { OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Broker, Publisher } from '../../shared/messaging/ports.ts';

type FaultOf = (messages: readonly OutgoingMessage[]) => Error | 'lost' | undefined;

/** The broker, but what a fault is named for does not reach the log: it is rejected with the error, or `lost` unseen. */
export function refusingPublisher(broker: Broker, faultOf: FaultOf): Broker {
  return new Proxy(broker, {
    get(target, name) {
      if (name === 'createPublisher') {
        return (...given: Parameters<Broker['createPublisher']>) =>
          refusing(target.createPublisher(...given), faultOf);
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

function refusing(publisher: Publisher, faultOf: FaultOf): Publisher {
  return {
    start: () => publisher.start(),
    stop: (timeoutMs) => publisher.stop(timeoutMs),
    isHealthy: () => publisher.isHealthy(),
    publish: (messages) => {
      const fault = faultOf(messages);
      if (fault === undefined) return publisher.publish(messages);
      return fault === 'lost' ? Promise.resolve() : Promise.reject(fault);
    },
  };
}
