import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Broker, BrokerAdmin, TopicState } from '../../ports.ts';
import type { KafkaSettings } from './connection/settings.ts';

/** What a Kafka adapter is created with. */
export interface KafkaBrokerOptions extends KafkaSettings {
  /** Client id of the admin connection; publishers and consumers have their own. */
  readonly clientId: string;
  readonly log: Log;
  /** The time of records whose message has none; default: the clock of the system. */
  readonly clock?: Clock;
}

/** A Kafka adapter of the port; its admin client can always describe topics. */
export interface KafkaBroker extends Broker {
  readonly kind: 'kafka';
  readonly admin: KafkaBrokerAdmin;
}

export interface KafkaBrokerAdmin extends BrokerAdmin {
  topicStates(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>>;
  /** The high watermark of each partition: the next offset to be written, including transactions that are still open. */
  highWatermarks(topic: string): Promise<readonly { readonly partition: number; readonly high: number }[]>;
}
