import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';

export async function readTopics(broker: Broker, topics: readonly string[], limitMs = 15_000) {
  const messages: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'reader', topics, from: 'earliest' });
  await tail.start((message) => messages.push(message));
  await tail.caughtUp(limitMs);
  await tail.stop(1_000);
  return messages;
}
