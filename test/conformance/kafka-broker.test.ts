import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { KAFKA_CLIENT, TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { READING_SCENARIOS } from './scenarios/all.ts';

const { kafka, suite } = kafkaOrSkip();

/** Scenarios use topics and groups of their own and mostly wait for the broker. */
const AT_A_TIME = { concurrent: true };

const test = scenarioTest(() => createKafkaTarget(kafka, KAFKA_CLIENT));

for (const [of, scenarios] of Object.entries(READING_SCENARIOS))
  suite(`${of} on Kafka with ${KAFKA_CLIENT}`, AT_A_TIME, () => {
    scenarios(test);
  });

/** A client decides how messages are published; kafkajs reads them for both. */
for (const client of TESTED_CLIENTS) {
  const publishingTest = scenarioTest(() => createKafkaTarget(kafka, client));

  suite(`publisher on Kafka with ${client}`, AT_A_TIME, () => {
    publishingScenarios(publishingTest);
  });
}
