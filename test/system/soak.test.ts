import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { topicName } from '../../shared/messaging/topics/topic-list.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { runPortfolio } from '../soak/portfolio-run.ts';
import { rollingRestart } from '../soak/rolling-restart.ts';
import { openSoakWorld, topicsFor, type SoakWorld } from '../soak/soak-world.ts';
import { sharedCluster } from '../support/kafka/cluster.ts';
import { openKafkaScope, withFewPartitions } from '../support/kafka/scope.ts';
import { spawnEngine } from '../support/worlds/engine-process.ts';
import { portfolio, portfolioFolder, recalculateHere } from '../support/worlds/recalculate-process.ts';

const CONTRACTS = 50;
/** Long enough to start a broker, two workers and the command on two shared cores. */
const STEP = { timeout: 120_000 };

/** The short form of `npm run test:soak`. */
const world = await openWorld();
const suite = world === undefined ? describe.skip : describe;

/** Only the nodes of its own Kafka may be stopped. */
const lostBrokers = (world?.nodes.length ?? 0) > 0 ? ['a broker'] : [];

suite('a system of three Kafka nodes under kill -9 and restarts', () => {
  let open: SoakWorld;
  beforeAll(() => {
    if (world === undefined) throw new Error('Kafka was not started');
    open = world;
  });
  afterAll(async () => {
    // Those that a failed test has left ended.
    for (const node of open.nodes) if (!node.process.isRunning()) await node.restart();
    await open.close();
  });

  it('produces exactly one result for every contract of a portfolio while workers, a broker and the command are killed', async () => {
    const report = await runPortfolio(open, {
      contracts: 450,
      workers: 2,
      workerKillsAt: [0.3],
      brokerRestartAt: 0.45,
      brokerAwayMs: 0,
      commandKillAt: 0.7,
      // Small batches, so that each kill finds some in flight.
      commandOptions: ['--batch=4', '--window=16'],
      sampleEvery: 4,
      limitMs: STEP.timeout,
    });
    print('portfolio', report);
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({
      workerKills: 1,
      brokerRestarts: lostBrokers.length,
      commandKills: 1,
      lines: report.contracts,
    });
    // As many messages as meet each kill.
    expect(report.requests).toBeGreaterThan(100);
  });

  it('returns every reply to its caller while all processes restart one after another under load', async () => {
    const report = await rollingRestart(open, {
      workers: ['schedule'],
      calls: ['schedule', 'schedule', 'payment'],
      rounds: 1,
      callsPerSecond: 20,
    });
    print('rolling restart', report);
    expect(report.faults).toEqual([]);
    expect(report.answered).toBeGreaterThan(report.restarts);
    // Both ways in which an ingress that restarts turns a call away have happened.
    expect(report.refusedWhileDraining).toBeGreaterThan(0);
    expect(report.unconnected).toBeGreaterThan(0);
  });

  it.each(lostBrokers)(
    'waits in a recalculation and in a starting worker until %s is available, and then succeeds',
    { timeout: 3 * STEP.timeout },
    async () => {
      const { env, leader } = await singleReplicas(open);
      const lost = open.nodes[leader - 1];
      await lost?.kill();
      const { child, stderr, stdout } = spawnEngine(['schedule'], env);
      onTestFinished(() => void child.kill('SIGKILL'));
      const files = portfolioFolder();
      const input = files.write('in.ndjson', portfolio(CONTRACTS));
      const run = recalculateHere(['--input', input, '--output', files.at('out.ndjson')], env);
      await expect
        .poll(stderr, STEP)
        .toMatch(/waiting for (Kafka|the services that worker schedule needs), at most \d+ s more/);
      await lost?.restart();
      await expect.poll(stdout, STEP).toContain('Ready in');
      const ended = await run;
      const waiting = /waiting for Kafka and the schema registry, at most \d+ s more/;
      expect([ended.code, ended.stderr]).toEqual([0, expect.stringMatching(waiting)]);
      expect(files.lines('out.ndjson')).toHaveLength(CONTRACTS);
    },
  );
});

/** Topics with one replica of each partition: those of a lost broker have no leader until it is back. */
async function singleReplicas({ broker, brokers, env: shared }: SoakWorld) {
  const env = { ...shared, KAFKA_TOPIC_PREFIX: `${shared['KAFKA_TOPIC_PREFIX']}single.` };
  await broker.admin.createTopics(
    withFewPartitions(topicsFor(env)).map((spec) => ({ ...spec, replicationFactor: 1 })),
  );
  const scope = await openKafkaScope(brokers);
  // It also leads partitions of every other topic.
  const catalogue = topicName(env.KAFKA_TOPIC_PREFIX, 'catalogueRecords');
  const { topics } = await scope.admin.fetchTopicMetadata({ topics: [catalogue] });
  await scope.close();
  return { env, leader: topics[0]?.partitions[0]?.leader ?? 1 };
}

function print(name: string, report: object): void {
  process.stderr.write(`${name}: ${JSON.stringify(report)}\n`);
}

/** Undefined, with a message on stderr, on a machine without Java; throws there if CI=true. */
async function openWorld(): Promise<SoakWorld | undefined> {
  const given = process.env['KAFKA_BROKERS'] ?? '';
  try {
    return await openSoakWorld({
      ...(given === '' ? { cluster: await sharedCluster() } : { brokers: given.split(',') }),
      say: (line) => process.stderr.write(`soak: ${line}\n`),
    });
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA OF THREE NODES: the soak test is skipped: ${errorText(error)}\n`);
    return undefined;
  }
}
