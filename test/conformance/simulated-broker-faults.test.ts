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

/** Faults that change neither what is stored nor what is delivered. A lost acknowledgement would store records twice. */
const RATES = { 'late-request': 0.03, 'late-response': 0.03, 'lost-request': 0.01, 'lost-response': 0.01 };

const test = scenarioTest(() => createSimulatedTarget(RATES));

describe('publisher of the broker model under faults', () => {
  publishingScenarios(test);
});
describe('group on the broker model under faults', () => {
  groupScenarios(test);
});
describe('tail on the broker model under faults', () => {
  tailScenarios(test);
});
describe('ranges on the broker model under faults', () => {
  rangeScenarios(test);
});
describe('message runtime on the broker model under faults', () => {
  runtimeScenarios(test);
});
describe('assignment gates on the broker model under faults', () => {
  assignmentGateScenarios(test);
});
describe('recovery of the broker model under faults', () => {
  recoveryScenarios(test);
});
describe('requesters on the broker model under faults', () => {
  requesterScenarios(test);
});
