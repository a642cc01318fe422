import { REQUEST_TYPE } from './calculate-chunk.ts';
import { REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { createRequester } from '../../shared/messaging/requester/requester.ts';
import { requireTopics } from '../../shared/messaging/topics/check-topics.ts';
import { topicName, topicNames } from '../../shared/messaging/topics/topic-list.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import { createLog, type LogLevel } from '../../shared/platform/log.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { startWorkers } from '../../workers/start-workers.ts';

export type Engine = Awaited<ReturnType<typeof connectEngine>>;

/** Less than the default of the embedded broker (32 MiB in memory), since nothing reads consumed messages again. */
const EMBEDDED_TOPIC_BYTES = 4 * 1_024 * 1_024;
/** Long enough for a dead broker's partitions to get new leaders: its session timeout (9 s by default) and election. */
const SEND_DEADLINE_MS = 30_000;
const TOPICS = ['scheduleBulkRequests', 'recalculationReplies'] as const;

/** Starts a requester and, without Kafka, a worker. Rejects with ConfigError for unusable topics, or a broker error. */
export async function connectEngine(config: Config, instanceId: string) {
  const { broker, close } = await openBroker(config);
  try {
    const prefix = config.topicPrefix;
    await requireTopics(broker.admin, topicNames(prefix, TOPICS), quietLog(config));
    const codec = await createCodec(config, systemPorts.clock);
    await codec.prepare([REQUEST_TYPE, REQUEST_BATCH]);
    const topic = topicName(prefix, 'scheduleBulkRequests');
    const partitions = (await broker.admin.partitionCounts([topic])).get(topic) ?? 1;
    const requester = createRequester({
      broker,
      codec,
      ...systemPorts,
      log: quietLog(config),
      replyTopic: topicName(prefix, 'recalculationReplies'),
      instanceId,
      sendDeadlineMs: SEND_DEADLINE_MS,
    });
    await requester.start();
    const closeAll = async (): Promise<void> => {
      await requester.stop(0);
      await close();
    };
    return { kind: broker.kind, requester, codec, topic, partitions, close: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openBroker(config: Config): Promise<{ broker: Broker; close: () => Promise<void> }> {
  if (config.kafka === undefined) {
    const { createEmbeddedBroker } = await import('../../shared/messaging/embedded/embedded-broker.ts');
    const broker = createEmbeddedBroker({ limits: { maxBytesPerTopic: EMBEDDED_TOPIC_BYTES } });
    const system = await startWorkers({ config, names: ['schedule'], log: quietLog(config), broker });
    const close = async (): Promise<void> => {
      await system.stop(0);
      await broker.close();
    };
    return { broker, close };
  }
  const log = quietLog(config);
  const { openKafkaBroker } = await import('../../shared/messaging/kafka/kafka-broker.ts');
  const broker = await openKafkaBroker({ ...config.kafka, clientId: 'recalculate', log });
  return { broker, close: () => broker.close() };
}

/** Raises the log levels info and warn to error, since log lines would break the progress line. */
function quietLog({ logLevel }: Config): ReturnType<typeof createLog> {
  const level: LogLevel = logLevel === 'info' || logLevel === 'warn' ? 'error' : logLevel;
  return createLog({ level, name: 'recalculate' });
}
