import { createSimulatedTarget } from '../support/conformance/simulated.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { runModelScenarios } from './scenarios/all.ts';

/** Late packets; what is lost would be stored or delivered twice. */
const test = scenarioTest(() => createSimulatedTarget({ 'late-request': 0.1, 'late-response': 0.1 }));

runModelScenarios('the broker model under faults', test);
