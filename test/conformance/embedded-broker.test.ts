import { describe } from 'vitest';
import { createEmbeddedTarget } from '../support/conformance/embedded.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { assignmentGateScenarios } from './scenarios/assignment-gates.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { rangeScenarios } from './scenarios/ranges.ts';
import { requesterScenarios } from './scenarios/requesters.ts';
import { runtimeScenarios } from './scenarios/runtime.ts';
import { tailScenarios } from './scenarios/tails.ts';

const test = scenarioTest(createEmbeddedTarget);

describe('publisher of the embedded broker', () => {
  publishingScenarios(test);
});
describe('group on the embedded broker', () => {
  groupScenarios(test);
});
describe('tail on the embedded broker', () => {
  tailScenarios(test);
});
describe('ranges on the embedded broker', () => {
  rangeScenarios(test);
});
describe('message runtime on the embedded broker', () => {
  runtimeScenarios(test);
});
describe('assignment gates on the embedded broker', () => {
  assignmentGateScenarios(test);
});
describe('requesters on the embedded broker', () => {
  requesterScenarios(test);
});
