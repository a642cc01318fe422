import { errorText } from '../../shared/platform/errors.ts';
import type { Say } from './soak-world.ts';

/** Something that is broken on purpose when so much is done. */
export interface Incident {
  /** From 0 to 1. */
  readonly atShare: number;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Incidents that begin in their order, each as soon as its share is reached, without waiting for the end of others. */
export interface IncidentPlan {
  /** Begins what is due. */
  reached(share: number): void;
  /** Resolves when all that began has ended; answers what failed. */
  settled(): Promise<readonly string[]>;
  /** Incidents that never came. */
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
      say(`${name}: over after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
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
