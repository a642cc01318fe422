import { QUEUE_LIMITS, type QueueLimits, type WindowLimits } from '../../shared/platform/queue-limits.ts';
import { Picks } from '../support/random/pick.ts';
import { PROCESSES } from './cluster.ts';
import { calmPlan, planFaults, type FaultPlan, type SystemKind } from './faults/fault-plan.ts';
import type { PlantedFault } from './planted-faults.ts';
import { ARRIVAL_MS, BURST_EVERY_MS, planActivities } from './workload/plan.ts';

const FAULT_MS = ARRIVAL_MS;
const CALM_PERCENT = 8;
const SMALL_PERCENT = 33;
const NO_HEADS_PERCENT = 25;
const EMBEDDED_PERCENT = 20;
/** The steps of the only clock of an embedded system, which decides when its messages are due, add up to less than this. */
const EMBEDDED_SKEW_MS = 6_000;

export type SeedPlan = ReturnType<typeof planSeed>;

export function planSeed(seed: number, system: SystemKind = chooseSystem(seed), plant?: PlantedFault) {
  const picks = new Picks(seed ^ 0x632be5ab);
  const faults = picks.chance(CALM_PERCENT) ? calmPlan(seed) : planFaultsOf(seed, system);
  return {
    seed,
    system,
    activities: planActivities(seed),
    unknownPolicy: picks.of<'park' | 'resend'>('park', 'park', 'park', 'resend'),
    faults,
    limits: planLimits(seed, isCalm(faults)),
    plant,
  };
}

function chooseSystem(seed: number): SystemKind {
  return new Picks(seed ^ 0x7a1b3c5d).chance(EMBEDDED_PERCENT) ? 'embedded' : 'cluster';
}

function planFaultsOf(seed: number, kind: SystemKind): FaultPlan {
  const names = PROCESSES[kind].map(({ name }) => name);
  // The processes with the most state are struck more often.
  const processes = names.flatMap((name) => (name.startsWith('notification') ? [name, name, name] : [name]));
  const options = { kind, processes, faultMs: FAULT_MS, burstEveryMs: BURST_EVERY_MS };
  return planFaults(seed, kind === 'cluster' ? options : { ...options, maxSkewMs: EMBEDDED_SKEW_MS });
}

export function isCalm({ incidents, rates }: FaultPlan): boolean {
  return incidents.length === 0 && Object.keys(rates).length === 0;
}

/** Some seeds with faults have small limits, so that full queues and faults meet. */
function planLimits(seed: number, isWithoutFaults: boolean): QueueLimits {
  const picks = new Picks(seed ^ 0x1f3d5b79);
  if (isWithoutFaults || !picks.chance(SMALL_PERCENT)) return QUEUE_LIMITS;
  const window = (): WindowLimits => ({
    messages: picks.whole(1, 5),
    bytes: picks.whole(200, 5_000),
    pending: picks.whole(2, 20),
  });
  return {
    // A notification is a call of three messages, and a reply to a batch is large.
    publisher: { messages: picks.whole(4, 12), bytes: QUEUE_LIMITS.publisher.bytes },
    requestWindow: window(),
    commandWindow: window(),
    tierWindow: window(),
    pendingReplies: picks.whole(1, 4),
    resultBytes: picks.whole(1_000, 20_000),
    indexWaitingBytes: picks.whole(500, 3_000),
    hold: {
      ...QUEUE_LIMITS.hold,
      // A small number would be exceeded by what two processes write at the same time.
      keys: picks.chance(NO_HEADS_PERCENT) ? 0 : QUEUE_LIMITS.hold.keys,
    },
  };
}
