import { beforeEach, describe } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { startLocalKafka, type LocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { eventually } from '../support/conformance/wait.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { recoveryScenarios } from './scenarios/recovery.ts';

/** Creates topics and lets a member join, on a busy machine. */
const PREPARE_LIMIT_MS = 30_000;

/** The suite has its own broker, because it kills it. */
const kafka = await startOwnKafka();
const suite = kafka === undefined ? describe.skip : describe;

/** Scenarios that are not ready for the restart, which all share. */
let preparing = 0;
let restarting: Promise<void> | undefined;

/** Kills the broker and starts it again when all scenarios have asked for it. */
async function restart(): Promise<void> {
  preparing -= 1;
  await eventually('the other scenarios', PREPARE_LIMIT_MS, () => preparing === 0);
  restarting ??= killAndRestart().finally(() => {
    restarting = undefined;
  });
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
    beforeEach(() => {
      preparing += 1;
    });
    recoveryScenarios(test);
  });
}

/** Undefined, with a warning, on a machine without Java; with CI=true that is an error. */
async function startOwnKafka(): Promise<LocalKafka | undefined> {
  try {
    return await startLocalKafka({ registry: false });
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA TO RESTART: recovery on Kafka is skipped: ${errorText(error)}\n`);
    return undefined;
  }
}
