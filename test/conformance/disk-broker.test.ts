import { createDiskTarget } from '../support/conformance/embedded.ts';
import { scenarioTest } from '../support/conformance/world.ts';
import { runScenarios } from './scenarios/all.ts';

runScenarios('the embedded broker on disk', scenarioTest(createDiskTarget));
