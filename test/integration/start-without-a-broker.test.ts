import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { startLocalKafka, type LocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { spawnEngine, startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { openKafkaScope } from '../support/kafka/scope.ts';
import { beginRecalculation, portfolio, portfolioFolder } from '../support/worlds/recalculate-process.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const SECOND = 1_000;
const CONTRACTS = 50;
/** Long enough to start three brokers, a worker and the command on two shared cores. */
const STEP_MS = 120 * SECOND;

/** The suite has its own cluster, because it kills brokers. */
const cluster = await startOwnCluster();
const suite = cluster === undefined ? describe.skip : describe;

/** Undefined, with a warning, on a machine without Java; with CI=true that is an error. */
async function startOwnCluster(): Promise<LocalKafka | undefined> {
  try {
    return await startLocalKafka({ nodes: 3, registry: false });
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA TO BREAK: start-without-a-broker is skipped: ${errorText(error)}\n`);
    return undefined;
  }
}

/** Index in `nodes` of the leader of the catalogue's only partition; it also leads partitions of every other topic. */
async function leaderOfCatalogue(): Promise<number> {
  const scope = await openKafkaScope(cluster?.brokers ?? []);
  const { topics } = await scope.admin.fetchTopicMetadata({ topics: [topicName('', 'catalogueRecords')] });
  await scope.close();
  return (topics[0]?.partitions[0]?.leader ?? 1) - 1;
}

suite('startup without one of three brokers', () => {
  const env = {
    KAFKA_CLIENT,
    KAFKA_BROKERS: cluster?.brokers.join(',') ?? '',
    LOG_LEVEL: 'warn',
  };
  const engines: EngineProcess[] = [];

  beforeAll(async () => {
    const broker = createKafkaBroker({ brokers: cluster?.brokers ?? [], clientId: 'start', log: silentLog });
    // One replica of each partition: those of the lost broker have no leader until it is restarted.
    const specs = allTopicSpecs('', loadConfig(env).notification.retryTiersMs);
    await broker.admin.createTopics(specs.map((spec) => ({ ...spec, replicationFactor: 1 })));
    await broker.close();
    engines.push(await startEngine(['schedule'], env, STEP_MS));
  }, STEP_MS);
  afterAll(async () => {
    for (const engine of engines) await engine.end('SIGKILL');
    await cluster?.stop();
  });

  it(
    'waits in a recalculation and in the workers until the broker is available, and then succeeds',
    {
      timeout: 3 * STEP_MS,
    },
    async () => {
      const files = portfolioFolder();
      const input = files.write('in.ndjson', portfolio(CONTRACTS));
      const lost = cluster?.nodes[await leaderOfCatalogue()];
      await lost?.kill();
      const begun = spawnEngine(['product'], env);
      onTestFinished(() => {
        begun.child.kill('SIGKILL');
      });
      const run = beginRecalculation(['--input', input, '--output', files.at('out.ndjson')], env);
      await expect
        .poll(() => run.stderr(), { timeout: STEP_MS })
        .toMatch(/waiting for Kafka and the schema registry, at most \d+ s more/);
      await expect
        .poll(() => begun.stderr(), { timeout: STEP_MS })
        .toMatch(/waiting for (Kafka|the services that worker product needs), at most \d+ s more/);
      await lost?.restart();
      await expect.poll(() => begun.stdout(), { timeout: STEP_MS }).toContain('Ready in');
      expect(await run.ended).toBe(0);
      expect(files.lines('out.ndjson')).toHaveLength(CONTRACTS);
    },
  );
});
