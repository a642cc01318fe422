import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerRuntimeClient } from 'testcontainers';
import { GenericContainer, ImageName, Wait, getContainerRuntimeClient, getReaper } from 'testcontainers';
import { brokerSettings } from '../../../scripts/dev/local-kafka/broker-settings.ts';
import { findFreePorts } from '../../../scripts/dev/local-kafka/free-ports.ts';
import { fetchBrokerIds } from '../../../scripts/dev/local-kafka/start-local-kafka.ts';
import {
  KAFKA_IMAGE,
  REGISTRY_CONFLUENT_PATH,
  REGISTRY_IMAGE,
} from '../../../scripts/dev/local-kafka/fetch-artifacts.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import type { StartedKafka } from './provider.ts';

const CLIENT_PORT = 9_092;
const REGISTRY_PORT = 8_080;
/** Time limit for pulling an image; a daemon without a network may retry forever. */
const PULL_LIMIT_MS = 180_000;
const START_LIMIT_MS = 180_000;
const READY_LIMIT_MS = 60_000;
const READY_POLL_MS = 200;

export class ImageMissingError extends Error {
  override readonly name = 'ImageMissingError';
}

/** Undefined if no Docker engine responds; throws ImageMissingError if an image cannot be pulled. */
export async function startKafkaInDocker(): Promise<StartedKafka | undefined> {
  const client = await findDocker();
  if (client === undefined) return undefined;
  await requireImages(client);
  const { host } = client.info.containerRuntime;
  const [port = 0] = await findFreePorts(1);
  const containers = [kafkaContainer(host, port).start(), registryContainer().start()] as const;
  const [kafka, registry] = await Promise.allSettled(containers);
  const stop = async (): Promise<void> => {
    const started = [kafka, registry].filter((one) => one.status === 'fulfilled');
    await Promise.all(started.map((one) => one.value.stop()));
  };
  try {
    if (kafka.status === 'rejected') throw kafka.reason;
    if (registry.status === 'rejected') throw registry.reason;
    await waitForGroups(port, host);
    const registryUrl = `http://${registry.value.getHost()}:${registry.value.getMappedPort(REGISTRY_PORT)}${REGISTRY_CONFLUENT_PATH}`;
    return { address: { brokers: [`${host}:${port}`], registryUrl, source: 'docker' }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findDocker(): Promise<ContainerRuntimeClient | undefined> {
  try {
    return await getContainerRuntimeClient();
  } catch {
    return undefined;
  }
}

/** Pulled before any container starts, to distinguish a missing image from a container that does not start. */
async function requireImages(client: ContainerRuntimeClient): Promise<void> {
  for (const image of [KAFKA_IMAGE, REGISTRY_IMAGE]) {
    const name = ImageName.fromString(image);
    try {
      await withinPullLimit(client.image.pull(name));
      // The library treats every complete response of the daemon as a success.
      if (!(await client.image.exists(name))) throw new Error('the daemon did not give a reason');
    } catch (error) {
      throw new ImageMissingError(`image ${name.string} cannot be pulled: ${errorText(error)}`);
    }
  }
  try {
    // With TESTCONTAINERS_RYUK_DISABLED=true the library returns a stub that needs no image.
    await withinPullLimit(getReaper(client));
  } catch (error) {
    const advice = 'TESTCONTAINERS_RYUK_DISABLED=true disables it';
    throw new ImageMissingError(
      `testcontainers cannot start Ryuk, which removes containers after a crash (${advice}): ${errorText(error)}`,
    );
  }
}

function withinPullLimit<Value>(pulled: Promise<Value>): Promise<Value> {
  const tooLate = sleep(PULL_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`not finished after ${PULL_LIMIT_MS / 1_000} s`);
  });
  return Promise.race([pulled, tooLate]);
}

/** The broker advertises a host port chosen in advance, which does not exist inside the container for itself. */
function kafkaContainer(host: string, port: number): GenericContainer {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    listeners: `CLIENT://:${CLIENT_PORT},BROKER://:9094,CONTROLLER://:9093`,
    'advertised.listeners': `CLIENT://${host}:${port},BROKER://localhost:9094`,
    'listener.security.protocol.map': 'CLIENT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'BROKER',
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': '1@localhost:9093',
    'log.dirs': '/tmp/kraft-combined-logs',
    ...brokerSettings(1),
  };
  return new GenericContainer(KAFKA_IMAGE)
    .withEnvironment({ ...asContainerEnvironment(settings), KAFKA_HEAP_OPTS: '-Xmx512m' })
    .withExposedPorts({ container: CLIENT_PORT, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(START_LIMIT_MS);
}

function registryContainer(): GenericContainer {
  return new GenericContainer(REGISTRY_IMAGE)
    .withExposedPorts(REGISTRY_PORT)
    .withWaitStrategy(Wait.forHttp(`${REGISTRY_CONFLUENT_PATH}/subjects`, REGISTRY_PORT))
    .withStartupTimeout(START_LIMIT_MS);
}

async function waitForGroups(port: number, host: string): Promise<void> {
  const giveUpAt = Date.now() + READY_LIMIT_MS;
  while ((await fetchBrokerIds(port, host)).length === 0) {
    if (Date.now() > giveUpAt) throw new Error(`Kafka in Docker does not answer on ${host}:${port}`);
    await sleep(READY_POLL_MS);
  }
}

function asContainerEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(settings).map(([key, value]) => [
    key.toUpperCase().replaceAll('.', '_'),
    value,
  ]);
  return Object.fromEntries(named.map(([key, value]) => [`KAFKA_${key}`, value])) as Record<string, string>;
}
