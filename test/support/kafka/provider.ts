import { LocalKafkaError, isRequirementMissing } from '../../../scripts/dev/local-kafka/local-kafka-error.ts';
import { startLocalKafka } from '../../../scripts/dev/local-kafka/start-local-kafka.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { ImageMissingError, startKafkaInDocker } from './docker.ts';

export interface KafkaAddress {
  readonly brokers: readonly string[];
  readonly registryUrl?: string | undefined;
  readonly source: 'environment' | 'docker' | 'local';
}

/** After a failure the suites fail; if nothing provides Kafka, they are skipped. */
export interface KafkaUnavailable {
  readonly unavailable: string;
  readonly isFault: boolean;
}

export interface StartedKafka {
  readonly address: KafkaAddress;
  stop(): Promise<void>;
}

export interface KafkaWays {
  readonly docker: () => Promise<StartedKafka | undefined>;
  readonly local: () => Promise<StartedKafka>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The first of KAFKA_BROKERS, Docker with its images, and the local Java; without Kafka, the reason. */
export async function provideKafka(
  env: Environment,
  ways: KafkaWays = { docker: startKafkaInDocker, local: startLocally },
  say: (line: string) => void = (line) => process.stderr.write(`kafka: ${line}\n`),
): Promise<StartedKafka | KafkaUnavailable> {
  const given = addressFrom(env);
  if (given !== undefined) return { address: given, stop: async () => undefined };
  let dockerLacks = '';
  try {
    const inDocker = await ways.docker();
    if (inDocker !== undefined) return inDocker;
  } catch (error) {
    if (!(error instanceof ImageMissingError)) return { unavailable: errorText(error), isFault: true };
    dockerLacks = `; Docker is available, but ${errorText(error)}`;
    say(`using the local Java instead of Docker: ${errorText(error)}`);
  }
  try {
    return await ways.local();
  } catch (error) {
    return { unavailable: errorText(error) + dockerLacks, isFault: !isLack(error) };
  }
}

function addressFrom(env: Environment): KafkaAddress | undefined {
  const listed = (env['KAFKA_BROKERS'] ?? '').split(',').map((broker) => broker.trim());
  const brokers = listed.filter((broker) => broker !== '');
  if (brokers.length === 0) return undefined;
  const registryUrl = env['SCHEMA_REGISTRY_URL'] ?? '';
  return { brokers, source: 'environment', ...(registryUrl === '' ? {} : { registryUrl }) };
}

/** Without a network the jars cannot be downloaded; like a missing Java, this only skips the suites. */
function isLack(error: unknown): boolean {
  return isRequirementMissing(error) || (error instanceof LocalKafkaError && error.code === 'fetch-failed');
}

async function startLocally(): Promise<StartedKafka> {
  const kafka = await startLocalKafka({ report: (line) => process.stderr.write(`kafka: ${line}\n`) });
  const { brokers, registryUrl } = kafka;
  return { address: { brokers, registryUrl, source: 'local' }, stop: () => kafka.stop() };
}
