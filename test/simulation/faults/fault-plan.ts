import { Picks } from '../../support/random/pick.ts';

/** Faults of single calls between a client and the broker, or a worker and a provider. */
export const CALL_FAULTS = [
  /** The request arrives late, by up to `lateMs`. */
  'late-request',
  'late-response',
  /** The request never arrives; the client notices after its request timeout. */
  'lost-request',
  'lost-response',
  /** The same of a produce request: its records are stored a second time when it is repeated. */
  'lost-acknowledgement',
  /** A produce request takes effect after the client has given it up and repeated it: later ones have overtaken it. */
  'stale-request',
  /** A part of the records of a produce request is stored, then the connection breaks. */
  'torn-batch',
  /** The provider sends the message and answers after the caller has given up, or never. */
  'silent-provider',
  /** The provider refuses: transient, permanent or misconfigured. */
  'refusing-provider',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

const CLUSTER_INCIDENTS = [
  'crash',
  'terminate',
  'freeze',
  'clock-step',
  'cut-off',
  'expel',
  'outage',
  'full-disk',
] as const;
export const INCIDENT_KINDS = [...CLUSTER_INCIDENTS, 'power-loss', 'slow-disk', 'failing-disk'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];
export type FaultKind = CallFault | IncidentKind;

export const SYSTEM_KINDS = ['cluster', 'embedded'] as const;
export type SystemKind = (typeof SYSTEM_KINDS)[number];

const FAULTS: Readonly<
  Record<SystemKind, { readonly calls: readonly CallFault[]; readonly incidents: readonly IncidentKind[] }>
> = {
  cluster: { calls: CALL_FAULTS, incidents: CLUSTER_INCIDENTS },
  embedded: {
    calls: ['silent-provider', 'refusing-provider'],
    incidents: [
      'crash',
      'terminate',
      'power-loss',
      'freeze',
      'clock-step',
      'full-disk',
      'slow-disk',
      'failing-disk',
    ],
  },
};

interface At {
  readonly atMs: number;
}

interface OnProcess extends At {
  readonly target: string;
}

interface Lasting {
  readonly forMs: number;
}

interface Ending extends OnProcess {
  readonly downMs: number;
}

export type Incident =
  /** At once when `afterEffects` is 0. With a loss of power what is not synced on its disk is lost or damaged. */
  | (Ending & { readonly kind: 'crash' | 'power-loss'; readonly afterEffects: number })
  | (Ending & { readonly kind: 'terminate' })
  /** `freeze`: its callbacks run after this time, in their order. `cut-off`: no packet passes to or from the broker. */
  | (OnProcess & Lasting & { readonly kind: 'freeze' | 'cut-off' })
  | (OnProcess & { readonly kind: 'clock-step'; readonly byMs: number })
  | (OnProcess & { readonly kind: 'expel' })
  | (At & Lasting & { readonly kind: 'outage' | 'full-disk' })
  | (At & Lasting & { readonly kind: 'slow-disk'; readonly slowestSyncMs: number })
  /** Syncs fail, after which the process needs a restart; it gets one when they work again. */
  | (At & Lasting & { readonly kind: 'failing-disk'; readonly failedSyncPercent: number });

export interface ClockDeviation {
  readonly skewMs: number;
  readonly driftPpm: number;
}

export interface FaultPlan {
  readonly seed: number;
  /** Faults begin after the start of all processes and end after this time. */
  readonly faultMs: number;
  readonly rates: Readonly<Partial<Record<CallFault, number>>>;
  readonly incidents: readonly Incident[];
  readonly clocks: Readonly<Record<string, ClockDeviation>>;
}

export interface PlanOptions {
  readonly kind?: SystemKind;
  readonly processes: readonly string[];
  readonly faultMs: number;
  /** Largest difference of a wall clock from the true time, steps included. Default 2 s. */
  readonly maxSkewMs?: number;
  /** Work comes in bursts at multiples of this time. Default 1 s. */
  readonly burstEveryMs?: number;
}

/** The end of a process concerns all its state, so it is chosen more often than another incident. */
const ENDS = ['crash', 'crash', 'terminate'] as const;
/** Kinds that seeds with few kinds have more often: most states of a notification follow from them. */
const TELLING = ['crash', 'crash', 'refusing-provider', 'refusing-provider'] as const;
const MAX_RATE = 0.1;
const MIN_RATE = 0.001;
const MAX_INCIDENTS = 6;
/** Failures come together: the share of incidents that follow another one within this time. */
const TOGETHER_PERCENT = 35;
const TOGETHER_MS = 3_000;
const MAX_INCIDENT_MS = 12_000;
const MAX_EFFECTS = 40;
/** Of a process with a disk, whose calls are effects; spread evenly on a logarithmic scale: few are as interesting as many. */
const MAX_DISK_EFFECTS = 300;
const MAX_SYNC_MS = 400;
/** Processes are stopped in the middle of a burst, this soon after its beginning. */
const IN_BURST_MS = 60;
const SECOND_MS = 1_000;
const MAX_DRIFT_PPM = 200;
/** Processes are synchronised by NTP: two of them differ by less than callers wait. */
const DEFAULT_SKEW_MS = 2_000;

export function calmPlan(seed: number): FaultPlan {
  return { seed, faultMs: 0, rates: {}, incidents: [], clocks: {} };
}

/** Few kinds of faults find what all together hide (swarm testing): a third of the seeds has one or two, a third half of them. */
export function planFaults(seed: number, options: PlanOptions): FaultPlan {
  const { kind = 'cluster', processes, faultMs } = options;
  const { maxSkewMs = DEFAULT_SKEW_MS, burstEveryMs = SECOND_MS } = options;
  const picks = new Picks(seed ^ 0x5f3759df);
  const { calls, incidents: incidentKinds } = FAULTS[kind];
  const all: readonly FaultKind[] = [...calls, ...incidentKinds];
  const isWanted = chooseKinds(picks, all);
  const rates: Partial<Record<CallFault, number>> = {};
  for (const fault of calls) {
    const rate = MIN_RATE * (MAX_RATE / MIN_RATE) ** picks.share();
    if (isWanted.has(fault)) rates[fault] = rate;
  }
  const kinds = [...incidentKinds, ...ENDS].filter((one) => isWanted.has(one));
  const count = kinds.length === 0 ? 0 : picks.whole(1, MAX_INCIDENTS);
  const incidents: Incident[] = [];
  for (let number = 0; number < count; number += 1) {
    const incident = chooseIncident(picks, picks.of(...kinds), {
      kind,
      processes,
      faultMs,
      burstEveryMs,
      // A constant deviation and all steps of one clock together stay within the limit.
      maxSkewMs: Math.floor(maxSkewMs / 2 / MAX_INCIDENTS),
    });
    const former = incidents.at(-1);
    const afterMs = (former?.atMs ?? 0) + picks.whole(0, TOGETHER_MS);
    const isTogether = former !== undefined && picks.chance(TOGETHER_PERCENT);
    incidents.push(isTogether ? { ...incident, atMs: Math.min(afterMs, incident.atMs) } : incident);
  }
  const isSkewed = picks.chance(50);
  const clocks = Object.fromEntries(
    processes.map((name) => [
      name,
      {
        skewMs: isSkewed ? picks.whole(-maxSkewMs / 2, maxSkewMs / 2) : 0,
        driftPpm: isSkewed ? picks.whole(-MAX_DRIFT_PPM, MAX_DRIFT_PPM) : 0,
      },
    ]),
  );
  return {
    seed,
    faultMs,
    rates,
    incidents: incidents.toSorted((one, other) => one.atMs - other.atMs),
    clocks,
  };
}

function chooseKinds(picks: Picks, all: readonly FaultKind[]): ReadonlySet<FaultKind> {
  const breadth = picks.of('few', 'half', 'all');
  if (breadth === 'all') return new Set(all);
  if (breadth === 'half') return new Set(all.filter(() => picks.chance(50)));
  return new Set([picks.of(...all, ...TELLING), picks.of(...all, ...TELLING)]);
}

function chooseIncident(
  picks: Picks,
  kind: IncidentKind,
  { kind: system, processes, faultMs, maxSkewMs, burstEveryMs }: Required<PlanOptions>,
): Incident {
  const target = picks.of(...processes);
  const forMs = picks.whole(50, Math.min(MAX_INCIDENT_MS, faultMs));
  const atMs = picks.whole(0, Math.max(0, faultMs - forMs));
  switch (kind) {
    case 'crash':
    case 'power-loss':
      return { kind, atMs, target, afterEffects: chooseEffects(picks, system), downMs: forMs };
    case 'terminate':
      return { kind, atMs: inBurst(picks, atMs, burstEveryMs), target, downMs: forMs };
    case 'clock-step':
      return { kind, atMs, target, byMs: picks.whole(-maxSkewMs, maxSkewMs) };
    case 'expel':
      return { kind, atMs, target };
    case 'freeze':
    case 'cut-off':
      return { kind, atMs, target, forMs };
    case 'outage':
    case 'full-disk':
      return { kind, atMs, forMs };
    case 'slow-disk':
      return { kind, atMs, forMs, slowestSyncMs: picks.whole(1, MAX_SYNC_MS) };
    case 'failing-disk':
      return { kind, atMs, forMs, failedSyncPercent: picks.whole(5, 100) };
    default:
      return kind satisfies never;
  }
}

/** A time in the burst of work before this time. */
function inBurst(picks: Picks, atMs: number, everyMs: number): number {
  return Math.min(atMs, atMs - (atMs % everyMs) + picks.whole(0, IN_BURST_MS));
}

function chooseEffects(picks: Picks, system: SystemKind): number {
  return system === 'cluster'
    ? picks.whole(0, MAX_EFFECTS)
    : Math.floor(MAX_DISK_EFFECTS ** picks.share()) - 1;
}
