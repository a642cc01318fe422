import { describe } from 'vitest';
import { createDiskTarget } from '../support/conformance/embedded.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { assignmentGateScenarios } from './scenarios/assignment-gates.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { rangeScenarios } from './scenarios/ranges.ts';
import { requesterScenarios } from './scenarios/requesters.ts';
import { runtimeScenarios } from './scenarios/runtime.ts';
import { tailScenarios } from './scenarios/tails.ts';

const test = scenarioTest(createDiskTarget);

describe('publisher of the embedded broker on disk', () => {
  publishingScenarios(test);
});
describe('group on the embedded broker on disk', () => {
  groupScenarios(test);
});
describe('tail on the embedded broker on disk', () => {
  tailScenarios(test);
});
describe('ranges on the embedded broker on disk', () => {
  rangeScenarios(test);
});
describe('message runtime on the embedded broker on disk', () => {
  runtimeScenarios(test);
});
describe('assignment gates on the embedded broker on disk', () => {
  assignmentGateScenarios(test);
});
describe('requesters on the embedded broker on disk', () => {
  requesterScenarios(test);
});
