import { Picks } from '../support/random/pick.ts';
import { PROCESSES } from './cluster.ts';
import { calmPlan, planFaults, type FaultPlan } from './faults/fault-plan.ts';
import { ARRIVAL_MS, planActivities, type Activity } from './workload/plan.ts';

/** Faults happen while work arrives. */
const FAULT_MS = ARRIVAL_MS;
/** Seeds without faults, in which every call has to succeed soon. */
const CALM_PERCENT = 8;

/** Everything that a seed determines, as data: a run is shrunk by leaving parts of it out. */
export interface SeedPlan {
  readonly seed: number;
  readonly activities: readonly Activity[];
  readonly faults: FaultPlan;
  /** What happens to a notification whose outcome is unknown. */
  readonly unknownPolicy: 'park' | 'resend';
}

/** Plans the run of a seed: the work, the faults and the settings. */
export function planSeed(seed: number): SeedPlan {
  const picks = new Picks(seed ^ 0x632be5ab);
  const names = PROCESSES.map(({ name }) => name);
  // The processes with the most state are struck more often.
  const processes = names.flatMap((name) => (name.startsWith('notification') ? [name, name, name] : [name]));
  return {
    seed,
    activities: planActivities(seed),
    unknownPolicy: picks.of('park', 'park', 'park', 'resend'),
    faults: picks.chance(CALM_PERCENT) ? calmPlan(seed) : planFaults(seed, { processes, faultMs: FAULT_MS }),
  };
}
