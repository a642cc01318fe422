import { LocalKafkaError, isRequirementMissing } from '../../../scripts/dev/local-kafka/local-kafka-error.ts';
import { startLocalKafka } from '../../../scripts/dev/local-kafka/start-local-kafka.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { ImageMissingError, startKafkaInDocker } from './docker.ts';

/** Where tests find Kafka. Plain data: it travels from the test runner to its workers. */
export interface KafkaAddress {
  readonly brokers: readonly string[];
  /** Base address of a Confluent-compatible schema registry. */
  readonly registryUrl?: string | undefined;
  readonly source: 'environment' | 'docker' | 'local';
}

/** Why there is none. A fault (something broke) fails the suites, a lack only leaves them out. */
export interface KafkaUnavailable {
  readonly unavailable: string;
  readonly isFault: boolean;
}

export interface StartedKafka {
  readonly address: KafkaAddress;
  stop(): Promise<void>;
}

/** One way to Kafka; `undefined` when the machine does not offer it. */
export interface KafkaWays {
  readonly docker: () => Promise<StartedKafka | undefined>;
  readonly local: () => Promise<StartedKafka>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Takes the first of: KAFKA_BROKERS (with SCHEMA_REGISTRY_URL), Docker, Apache Kafka run by the local Java. A Docker that
 * lacks an image is passed over, and `say` gets the reason. Never throws: with none of them the answer says why.
 */
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
    dockerLacks = `; Docker is there, but ${errorText(error)}`;
    say(`Docker is passed over for the local Java: ${errorText(error)}`);
  }
  try {
    return await ways.local();
  } catch (error) {
    return { unavailable: errorText(error) + dockerLacks, isFault: !isLack(error) };
  }
}

function addressFrom(env: Environment): KafkaAddress | undefined {
  const brokers = (env['KAFKA_BROKERS'] ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
  if (brokers.length === 0) return undefined;
  const registryUrl = env['SCHEMA_REGISTRY_URL'];
  return {
    brokers,
    source: 'environment',
    ...(registryUrl === undefined || registryUrl === '' ? {} : { registryUrl }),
  };
}

/** Without a network the jars cannot be had: the machine's lack, as a missing Java is. */
function isLack(error: unknown): boolean {
  return isRequirementMissing(error) || (error instanceof LocalKafkaError && error.code === 'fetch-failed');
}

async function startLocally(): Promise<StartedKafka> {
  const kafka = await startLocalKafka({ report: (line) => process.stderr.write(`kafka: ${line}\n`) });
  const { brokers, registryUrl } = kafka;
  return { address: { brokers, registryUrl, source: 'local' }, stop: () => kafka.stop() };
}
