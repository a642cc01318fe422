import { describe } from 'vitest';
import { createSimulatedTarget } from '../support/conformance/simulated.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { runScenarios } from './scenarios/all.ts';
import { recoveryScenarios } from './scenarios/recovery.ts';

/** Late packets; what is lost would be stored or delivered twice. */
const test = scenarioTest(() => createSimulatedTarget({ 'late-request': 0.1, 'late-response': 0.1 }));

runScenarios('the broker model under faults', test, { concurrent: true });
describe('recovery of the broker model under faults', () => {
  recoveryScenarios(test);
});
