import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { TESTED_CLIENTS } from '../support/kafka/broker.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { assignmentGateScenarios } from './scenarios/assignment-gates.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { rangeScenarios } from './scenarios/ranges.ts';
import { requesterScenarios } from './scenarios/requesters.ts';
import { runtimeScenarios } from './scenarios/runtime.ts';
import { tailScenarios } from './scenarios/tails.ts';

const { kafka, suite } = kafkaOrSkip();

for (const client of TESTED_CLIENTS) {
  const test = scenarioTest(() => createKafkaTarget(kafka, client));

  suite(`publisher on Kafka with ${client}`, () => {
    publishingScenarios(test);
  });
  suite(`group on Kafka with ${client}`, () => {
    groupScenarios(test);
  });
  suite(`tail on Kafka with ${client}`, () => {
    tailScenarios(test);
  });
  suite(`ranges on Kafka with ${client}`, () => {
    rangeScenarios(test);
  });
  suite(`message runtime on Kafka with ${client}`, () => {
    runtimeScenarios(test);
  });
  suite(`assignment gates on Kafka with ${client}`, () => {
    assignmentGateScenarios(test);
  });
  suite(`requesters on Kafka with ${client}`, () => {
    requesterScenarios(test);
  });
}
