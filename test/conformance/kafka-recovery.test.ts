import { beforeEach, describe } from 'vitest';
import { startLocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { eventually } from '../support/conformance/wait.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { startOrSkip } from '../support/kafka/cluster.ts';
import { TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { recoveryScenarios } from './scenarios/recovery.ts';

/** Creates topics and lets a member join, on a busy machine. */
const PREPARE_LIMIT_MS = 30_000;

/** The suite has its own broker, because it kills it. */
const kafka = await startOrSkip(() => startLocalKafka({ registry: false }), 'recovery on Kafka');
const suite = kafka === undefined ? describe.skip : describe;

/** Scenarios that are not ready for the restart, which all share. */
let preparing = 0;
let restarting: Promise<void> | undefined;

/** Kills the broker and starts it again when all scenarios have asked for it. */
async function restart(): Promise<void> {
  preparing -= 1;
  await eventually('the other scenarios', PREPARE_LIMIT_MS, () => preparing === 0);
  restarting ??= killAndRestart().finally(() => (restarting = undefined));
  await restarting;
}

async function killAndRestart(): Promise<void> {
  const [node] = kafka?.nodes ?? [];
  await node?.kill('SIGKILL');
  await node?.restart();
}

for (const client of TESTED_CLIENTS) {
  const test = scenarioTest(() => {
    if (kafka === undefined) throw new Error('the suite has no Kafka');
    return createKafkaTarget({ brokers: kafka.brokers, restart, stop: () => kafka.stop() }, client);
  });

  suite(`recovery on Kafka with ${client}`, { concurrent: true }, () => {
    beforeEach(() => void (preparing += 1));
    recoveryScenarios(test);
  });
}
