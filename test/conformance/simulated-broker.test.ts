import { createSimulatedTarget } from '../support/conformance/simulated.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { runModelScenarios } from './scenarios/all.ts';

runModelScenarios(
  'the broker model',
  scenarioTest(() => createSimulatedTarget()),
);
