import { createKafkaTarget } from '../support/conformance/kafka.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { assignmentGateScenarios } from './scenarios/assignment-gates.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { rangeScenarios } from './scenarios/ranges.ts';
import { requesterScenarios } from './scenarios/requesters.ts';
import { runtimeScenarios } from './scenarios/runtime.ts';
import { tailScenarios } from './scenarios/tails.ts';

const { kafka, suite } = kafkaOrSkip();
const test = scenarioTest(() => createKafkaTarget(kafka));

suite('publisher on Kafka', () => {
  publishingScenarios(test);
});
suite('group on Kafka', () => {
  groupScenarios(test);
});
suite('tail on Kafka', () => {
  tailScenarios(test);
});
suite('ranges on Kafka', () => {
  rangeScenarios(test);
});
suite('message runtime on Kafka', () => {
  runtimeScenarios(test);
});
suite('assignment gates on Kafka', () => {
  assignmentGateScenarios(test);
});
suite('requesters on Kafka', () => {
  requesterScenarios(test);
});
