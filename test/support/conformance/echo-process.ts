import type { KafkaClientName } from '../../../shared/messaging/kafka/kafka-broker.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { startEchoWorker, type EchoWorkerOptions } from './echo-worker.ts';
import { createKafkaBroker } from '../kafka/broker.ts';

/** An echo worker as a separate process, configured by its argument. It prints `ready` once it owns partitions. */
const POLL_MS = 20;

const { client, brokers, options } = JSON.parse(process.argv[2] ?? '') as {
  client: KafkaClientName;
  brokers: string[];
  options: EchoWorkerOptions;
};
const broker = createKafkaBroker({ brokers, clientId: options.clientId, log: silentLog }, client);
const worker = await startEchoWorker(broker, options);
const timer = setInterval(() => {
  if (worker.consumer.health().status !== 'ready') return;
  clearInterval(timer);
  process.send?.('ready');
}, POLL_MS);
process.on('disconnect', () => process.exit());
