import { createSimulatedTarget } from '../support/conformance/simulated.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { runModelScenarios } from './scenarios/all.ts';

/** Late and reordered packets, and a broker that pauses at times; what is lost would be stored or delivered twice. */
const test = scenarioTest(() => createSimulatedTarget({ 'late-request': 0.1, 'late-response': 0.1 }, 20));

runModelScenarios('the broker model under faults', test);
