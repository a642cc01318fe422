import { randomUUID } from 'node:crypto';
import { clientSystem, type ClientSystem } from '../client-system.ts';

/** What the client over Kafka takes from the system around it. */
export interface KafkaClientSystem extends ClientSystem {
  /** Epoch milliseconds, for headers of messages. */
  readonly epochMs: () => number;
  readonly newUuid: () => string;
}

export const kafkaClientSystem: KafkaClientSystem = {
  ...clientSystem,
  epochMs: () => Date.now(),
  newUuid: () => randomUUID(),
};
