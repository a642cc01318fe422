import { describe } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { startLocalKafka, type LocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { recoveryScenarios } from './scenarios/recovery.ts';

/** The suite has its own broker, because it kills it. */
const kafka = await startOwnKafka();
const suite = kafka === undefined ? describe.skip : describe;

for (const client of TESTED_CLIENTS) {
  const test = scenarioTest(() => {
    if (kafka === undefined) throw new Error('the suite has no Kafka');
    const [node] = kafka.nodes;
    const restart = async () => {
      await node?.kill('SIGKILL');
      await node?.restart();
    };
    return createKafkaTarget({ brokers: kafka.brokers, restart, stop: () => kafka.stop() }, client);
  });

  suite(`recovery on Kafka with ${client}`, () => {
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
