import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

interface KafkajsBroker {
  readonly connectionPool: object;
  lookupRequest: () => (request: object) => object;
  produce(request: object): Promise<unknown>;
  fetch(request: object): Promise<unknown>;
}

type BrokerClass = new (options: object) => KafkajsBroker;

/** A kafkajs broker without a connection; `send` answers its requests. */
export function kafkajsBroker(send: (request: object) => Promise<unknown>): KafkajsBroker {
  const Broker = require('kafkajs/src/broker') as BrokerClass;
  const broker = new Broker({ connectionPool: { send }, logger: { namespace: () => ({}) } });
  broker.lookupRequest = () => (request) => request;
  return broker;
}
