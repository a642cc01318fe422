import { describe } from 'vitest';
import { createSimulatedTarget } from '../support/conformance/simulated.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { assignmentGateScenarios } from './scenarios/assignment-gates.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { recoveryScenarios } from './scenarios/recovery.ts';
import { rangeScenarios } from './scenarios/ranges.ts';
import { requesterScenarios } from './scenarios/requesters.ts';
import { runtimeScenarios } from './scenarios/runtime.ts';
import { tailScenarios } from './scenarios/tails.ts';

/** Scenarios use topics and groups of their own and mostly wait, so some run at a time; those under load do not. */
const AT_A_TIME = { concurrent: true };
/** Late packets; what is lost would be stored or delivered twice. */
const test = scenarioTest(() => createSimulatedTarget({ 'late-request': 0.1, 'late-response': 0.1 }));

describe('publisher of the broker model under faults', AT_A_TIME, () => {
  publishingScenarios(test);
});
describe('group on the broker model under faults', () => {
  groupScenarios(test);
});
describe('tail on the broker model under faults', AT_A_TIME, () => {
  tailScenarios(test);
});
describe('ranges on the broker model under faults', AT_A_TIME, () => {
  rangeScenarios(test);
});
describe('message runtime on the broker model under faults', () => {
  runtimeScenarios(test);
});
describe('assignment gates on the broker model under faults', AT_A_TIME, () => {
  assignmentGateScenarios(test);
});
describe('recovery of the broker model under faults', () => {
  recoveryScenarios(test);
});
describe('requesters on the broker model under faults', () => {
  requesterScenarios(test);
});
