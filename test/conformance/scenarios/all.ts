import { describe } from 'vitest';
import type { ScenarioTest } from '../../support/conformance/world.ts';
import { assignmentGateScenarios } from './assignment-gates.ts';
import { groupScenarios } from './groups.ts';
import { publishingScenarios } from './publishing.ts';
import { rangeScenarios } from './ranges.ts';
import { runtimeScenarios } from './runtime.ts';
import { tailScenarios } from './tails.ts';

/** The longest first, since some run at a time. */
export const READING_SCENARIOS = {
  'assignment gates': assignmentGateScenarios,
  tail: tailScenarios,
  'message runtime': runtimeScenarios,
  group: groupScenarios,
  ranges: rangeScenarios,
};

/** Scenarios use topics and groups of their own and mostly wait, so these run some at a time; those under load do not. */
const WAITING: ReadonlySet<string> = new Set(['publisher', 'tail', 'ranges', 'assignment gates']);

export function runScenarios(broker: string, test: ScenarioTest, { concurrent = false } = {}): void {
  for (const [of, scenarios] of Object.entries({ publisher: publishingScenarios, ...READING_SCENARIOS }))
    describe(`${of} on ${broker}`, { concurrent: concurrent && WAITING.has(of) }, () => {
      scenarios(test);
    });
}
