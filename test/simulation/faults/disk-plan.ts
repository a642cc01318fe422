import { Picks } from '../../support/random/pick.ts';
import type { CallFault, ClockDeviation } from './fault-plan.ts';

const MAX_INCIDENTS = 8;
const MAX_INCIDENT_MS = 6_000;
/** The numbers of effects are spread evenly on a logarithmic scale: few are as interesting as many. */
const MAX_EFFECTS = 300;
const MAX_SYNC_MS = 400;
const MAX_STEP_MS = 500;
const MIN_RATE = 0.01;
const MAX_RATE = 0.3;

export const DISK_INCIDENT_KINDS = [
  'crash',
  'power-loss',
  'freeze',
  'clock-step',
  'full-disk',
  'slow-disk',
  'failing-disk',
] as const;
export type DiskIncidentKind = (typeof DISK_INCIDENT_KINDS)[number];

/** A fault at a simulated time, in milliseconds since the faults began. */
interface At<Kind extends DiskIncidentKind> {
  readonly kind: Kind;
  readonly atMs: number;
}

/** The process ends between two effects: calls of the disk or a provider; not at all if it has fewer until its next start. */
interface End {
  readonly afterEffects: number;
  readonly downMs: number;
}

interface Lasting {
  readonly forMs: number;
}

/** A scheduled fault of the only process or of its disk. */
export type DiskIncident =
  /** What was written stays in the page cache. */
  | (At<'crash'> & End)
  /** What was not synced is lost or damaged. */
  | (At<'power-loss'> & End)
  | (At<'freeze'> & Lasting)
  | (At<'clock-step'> & { readonly byMs: number })
  | (At<'full-disk'> & Lasting)
  | (At<'slow-disk'> & Lasting & { readonly slowestSyncMs: number })
  /** Syncs fail, after which the engine needs a restart; it gets one when they work again. */
  | (At<'failing-disk'> & Lasting & { readonly failedSyncPercent: number });

/** The faults of an engine over its own disk, as data. */
export interface DiskPlan {
  readonly seed: number;
  /** Faults begin after the start and end after this time. */
  readonly faultMs: number;
  readonly rates: Readonly<Partial<Record<CallFault, number>>>;
  readonly incidents: readonly DiskIncident[];
  readonly clocks: ClockDeviation;
}

/** Chooses the faults of a seed: a third of the seeds has one kind of incident, the others have several. */
export function planDiskFaults(seed: number, faultMs: number): DiskPlan {
  const picks = new Picks(seed ^ 0x2545f491);
  const isNarrow = picks.chance(33);
  const only = picks.of(...DISK_INCIDENT_KINDS);
  const kinds = DISK_INCIDENT_KINDS.filter((kind) => (isNarrow ? kind === only : picks.chance(70)));
  const incidents = Array.from({ length: kinds.length === 0 ? 0 : picks.whole(1, MAX_INCIDENTS) }, () =>
    chooseIncident(picks, picks.of(...kinds), faultMs),
  );
  const rate = (): number => (picks.chance(50) ? MIN_RATE * (MAX_RATE / MIN_RATE) ** picks.share() : 0);
  return {
    seed,
    faultMs,
    rates: { 'silent-provider': rate(), 'refusing-provider': rate() },
    incidents: incidents.toSorted((one, other) => one.atMs - other.atMs),
    clocks: { skewMs: 0, driftPpm: 0 },
  };
}

function chooseIncident(picks: Picks, kind: DiskIncidentKind, faultMs: number): DiskIncident {
  const forMs = picks.whole(20, Math.min(MAX_INCIDENT_MS, faultMs));
  const atMs = picks.whole(0, faultMs - forMs);
  switch (kind) {
    case 'crash':
    case 'power-loss':
      return { kind, atMs, afterEffects: Math.floor(MAX_EFFECTS ** picks.share()) - 1, downMs: forMs };
    case 'freeze':
    case 'full-disk':
      return { kind, atMs, forMs };
    case 'clock-step':
      return { kind, atMs, byMs: picks.whole(-MAX_STEP_MS, MAX_STEP_MS) };
    case 'slow-disk':
      return { kind, atMs, forMs, slowestSyncMs: picks.whole(1, MAX_SYNC_MS) };
    case 'failing-disk':
      return { kind, atMs, forMs, failedSyncPercent: picks.whole(5, 100) };
    default:
      return kind satisfies never;
  }
}
