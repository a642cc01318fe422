/**
 * Child process with a notification worker over the embedded broker in memory. Its arguments are the kind of traffic and the
 * file of the provider configuration. For a request `{from, count}`, it publishes these commands.
 */
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/broker.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { createLog } from '../../../shared/platform/log.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { answerParent } from '../processes.ts';
import { benchCodec } from '../samples.ts';
import { TRAFFIC, type Traffic, type TrafficName } from './traffic.ts';

const RECORDS_OF_A_CALL = 500;

const [name, configFile = '', lanes = ''] = process.argv.slice(2);
const traffic: Traffic = TRAFFIC[name as TrafficName];
const config = loadConfig({
  DATA_DIR: 'memory',
  LANES: lanes,
  LOG_LEVEL: 'error',
  NOTIFICATION_CONFIG_FILE: configFile,
  NOTIFICATION_ALLOW_LOSS: 'true',
});
const broker = createEmbeddedBroker(systemPorts);
const log = createLog({ level: 'error', name: 'bench' });
await startWorkers({ config, names: ['notification'], log, broker });
const publisher = broker.createPublisher({ clientId: 'bench-upstream' });
await publisher.start();
const codec = benchCodec();
const topic = topicName(config.topicPrefix, traffic.topic);

answerParent(async ({ from, count }: { readonly from: number; readonly count: number }) => {
  for (let start = from; start < from + count; start += RECORDS_OF_A_CALL) {
    const length = Math.min(RECORDS_OF_A_CALL, from + count - start);
    const messages = Array.from({ length }, async (_, place) => {
      const command = traffic.sample(start + place);
      const { value, headers } = await codec.encode(traffic.commandType, command, 'avro');
      return { topic, key: command.receiver, value, headers };
    });
    await publisher.publish(await Promise.all(messages));
  }
  return undefined;
});
