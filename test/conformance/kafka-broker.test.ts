import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { KAFKA_CLIENT, TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { assignmentGateScenarios } from './scenarios/assignment-gates.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { rangeScenarios } from './scenarios/ranges.ts';
import { runtimeScenarios } from './scenarios/runtime.ts';
import { tailScenarios } from './scenarios/tails.ts';

const { kafka, suite } = kafkaOrSkip();

/** Scenarios use topics and groups of their own and mostly wait for the broker, so some run at a time: the longest first. */
const AT_A_TIME = { concurrent: true };

const test = scenarioTest(() => createKafkaTarget(kafka, KAFKA_CLIENT));

suite(`assignment gates on Kafka with ${KAFKA_CLIENT}`, AT_A_TIME, () => {
  assignmentGateScenarios(test);
});
suite(`tail on Kafka with ${KAFKA_CLIENT}`, AT_A_TIME, () => {
  tailScenarios(test);
});
suite(`message runtime on Kafka with ${KAFKA_CLIENT}`, AT_A_TIME, () => {
  runtimeScenarios(test);
});
suite(`group on Kafka with ${KAFKA_CLIENT}`, AT_A_TIME, () => {
  groupScenarios(test);
});
suite(`ranges on Kafka with ${KAFKA_CLIENT}`, AT_A_TIME, () => {
  rangeScenarios(test);
});

/** A client decides how messages are published; kafkajs reads them for both. */
for (const client of TESTED_CLIENTS) {
  const publishingTest = scenarioTest(() => createKafkaTarget(kafka, client));

  suite(`publisher on Kafka with ${client}`, AT_A_TIME, () => {
    publishingScenarios(publishingTest);
  });
}
