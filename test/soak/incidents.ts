import { errorText } from '../../shared/platform/errors.ts';
import type { Say } from './soak-world.ts';

/** A fault injected when a given share of the work is done. */
export interface Incident {
  /** From 0 to 1. */
  readonly atShare: number;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Starts incidents in order, each when its share is reached, without waiting for earlier ones to end. */
export interface IncidentPlan {
  /** Starts the incidents that are due. */
  reached(share: number): void;
  /** Resolves when all started incidents have ended, with the failures. */
  settled(): Promise<readonly string[]>;
  /** Incidents that were not reached. */
  left(): readonly string[];
}

export function planIncidents(incidents: readonly Incident[], say: Say): IncidentPlan {
  const waiting = incidents.toSorted((one, other) => one.atShare - other.atShare);
  const running: Promise<void>[] = [];
  const failures: string[] = [];
  const begin = async ({ name, run }: Incident, share: number): Promise<void> => {
    const startedAt = performance.now();
    say(`at ${(share * 100).toFixed(0)} %: ${name}`);
    try {
      await run();
      say(`${name}: ended after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    } catch (error) {
      failures.push(`${name}: ${errorText(error)}`);
    }
  };
  return {
    reached: (share) => {
      for (let next = waiting[0]; next !== undefined && next.atShare <= share; next = waiting[0]) {
        waiting.shift();
        running.push(begin(next, share));
      }
    },
    settled: async () => {
      await Promise.all(running);
      return failures;
    },
    left: () => waiting.map(({ name, atShare }) => `${name} at ${atShare * 100} %`),
  };
}
