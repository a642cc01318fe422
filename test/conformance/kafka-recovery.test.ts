import { describe } from 'vitest';
import { isRequirementMissing } from '../../scripts/dev/local-kafka/local-kafka-error.ts';
import { startLocalKafka, type LocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { recoveryScenarios } from './scenarios/recovery.ts';

/** A broker of the suite's own, since it is killed hard: no other suite may depend on it. */
const kafka = await startOwnKafka();
const suite = kafka === undefined ? describe.skip : describe;
const test = scenarioTest(() => {
  if (kafka === undefined) throw new Error('there is no Kafka of its own to test with');
  const [node] = kafka.nodes;
  return createKafkaTarget({
    brokers: kafka.brokers,
    restart: async () => {
      await node?.kill('SIGKILL');
      await node?.restart();
    },
    stop: () => kafka.stop(),
  });
});

suite('recovery on Kafka', () => {
  recoveryScenarios(test);
});

/** Undefined, said loudly, on a machine without Java; with CI=true that is a fault, as everything else is. */
async function startOwnKafka(): Promise<LocalKafka | undefined> {
  try {
    return await startLocalKafka({ registry: false });
  } catch (error) {
    if (!isRequirementMissing(error) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`!!! NO KAFKA TO RESTART: recovery on Kafka is left out: ${errorText(error)}\n`);
    return undefined;
  }
}
