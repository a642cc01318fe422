import { describe, expect, it } from 'vitest';
import { LocalKafkaError } from '../../../../scripts/dev/local-kafka/local-kafka-error.ts';
import { ImageMissingError } from '../../../support/kafka/docker.ts';
import { type KafkaWays, type StartedKafka, provideKafka } from '../../../support/kafka/provider.ts';

const started = (source: 'docker' | 'local'): StartedKafka => ({
  address: { brokers: ['127.0.0.1:1'], registryUrl: 'http://127.0.0.1:2', source },
  stop: async () => undefined,
});
const never = () => Promise.reject(new Error('must not be asked'));
const noStart = () => Promise.reject(new Error('the container ended'));
const noJava = () => Promise.reject(new LocalKafkaError('java-missing', 'there is no Java'));
const noImage = () =>
  Promise.reject(new ImageMissingError('image apache/kafka:1 cannot be pulled: no route'));
const neither: KafkaWays = { docker: never, local: never };

describe('provideKafka', () => {
  it('prefers KAFKA_BROKERS and starts nothing', async () => {
    const env = { KAFKA_BROKERS: 'a:1, b:2', SCHEMA_REGISTRY_URL: 'http://r' };
    expect(await provideKafka(env, neither)).toMatchObject({
      address: { brokers: ['a:1', 'b:2'], registryUrl: 'http://r', source: 'environment' },
    });
  });

  it('uses Docker next, and the local Java without Docker', async () => {
    const both = { docker: async () => started('docker'), local: never };
    expect(await provideKafka({ KAFKA_BROKERS: '' }, both)).toMatchObject({ address: { source: 'docker' } });
    const noDocker = { docker: async () => undefined, local: async () => started('local') };
    expect(await provideKafka({}, noDocker)).toMatchObject({ address: { source: 'local' } });
  });

  it.each([
    ['java-missing', false],
    ['maven-missing', false],
    ['fetch-failed', false],
    ['broker-failed', true],
    ['port-in-use', true],
  ] as const)('distinguishes a missing tool from a failure: %s', async (code, isFault) => {
    const local = () => Promise.reject(new LocalKafkaError(code, `the reason: ${code}`));
    expect(await provideKafka({}, { docker: async () => undefined, local })).toEqual({
      unavailable: `the reason: ${code}`,
      isFault,
    });
  });

  it('uses the local Java if Docker lacks an image, and logs the reason', async () => {
    const lines: string[] = [];
    const ways = { docker: noImage, local: async () => started('local') };
    const kafka = await provideKafka({}, ways, (line) => lines.push(line));
    expect(kafka).toMatchObject({ address: { source: 'local' } });
    expect(lines).toEqual([
      'using the local Java instead of Docker: image apache/kafka:1 cannot be pulled: no route',
    ]);
  });

  it('reports both reasons if there is no Java either', async () => {
    const ways = { docker: noImage, local: noJava };
    expect(await provideKafka({}, ways, () => undefined)).toEqual({
      unavailable:
        'there is no Java; Docker is available, but image apache/kafka:1 cannot be pulled: no route',
      isFault: false,
    });
  });

  it('reports a container that does not start as a failure and tries nothing else', async () => {
    expect(await provideKafka({}, { docker: noStart, local: never })).toEqual({
      unavailable: 'the container ended',
      isFault: true,
    });
  });
});
