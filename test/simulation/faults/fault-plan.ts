import { Picks } from '../../support/random/pick.ts';

/** Faults of single calls between a client and the broker, or a worker and a provider. */
export const CALL_FAULTS = [
  /** The request arrives late, by up to `lateMs`. */
  'late-request',
  /** The response arrives late. */
  'late-response',
  /** The request never arrives; the client notices after its request timeout. */
  'lost-request',
  /** The call takes effect and its response never arrives. */
  'lost-response',
  /** The same of a produce request: its records are stored a second time when it is repeated. */
  'lost-acknowledgement',
  /**
   * A produce request overtaken by later ones: the client has closed its connection and repeated the request on another one
   * when it takes effect.
   */
  'stale-request',
  /** A part of the records of a produce request is stored, then the connection breaks. */
  'torn-batch',
  /** The provider sends the message and answers after the caller has given up, or never. */
  'silent-provider',
  /** The provider refuses: transient, permanent or misconfigured. */
  'refusing-provider',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/** Scheduled faults of a cluster: of its processes and of its brokers. */
const CLUSTER_INCIDENTS = [
  'crash',
  'terminate',
  'freeze',
  'clock-step',
  'cut-off',
  'expel',
  'consumer-crash',
  'leader-change',
  'outage',
  'pause',
  'full-disk',
] as const;
/** All scheduled faults, also those of the disk of an embedded broker. */
export const INCIDENT_KINDS = [...CLUSTER_INCIDENTS, 'power-loss', 'slow-disk', 'failing-disk'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];
export type FaultKind = CallFault | IncidentKind;

/** `cluster`: processes and a broker cluster; `embedded`: one process over the embedded broker, on a disk. */
export const SYSTEM_KINDS = ['cluster', 'embedded'] as const;
export type SystemKind = (typeof SYSTEM_KINDS)[number];

/** The faults that each kind of system may have. */
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
  /** Simulated milliseconds since the faults began. */
  readonly atMs: number;
}

/** One scheduled fault, as data: a run is shrunk by removing some of them. `target`: the name of a process. */
export type Incident =
  /**
   * The process ends without a trace: at once when `afterEffects` is 0, otherwise after that many effects, if it has them before
   * it is started again, `downMs` after the incident began.
   */
  | (At & {
      readonly kind: 'crash';
      readonly target: string;
      readonly afterEffects: number;
      readonly downMs: number;
    })
  /** The process gets SIGTERM, and is started again when it has ended, `downMs` after the signal at the earliest. */
  | (At & { readonly kind: 'terminate'; readonly target: string; readonly downMs: number })
  /** As a crash, and what is not synced on its disk is lost or damaged. */
  | (At & {
      readonly kind: 'power-loss';
      readonly target: string;
      readonly afterEffects: number;
      readonly downMs: number;
    })
  /** None of its callbacks runs for this time; all of them run after it, in their order. */
  | (At & { readonly kind: 'freeze'; readonly target: string; readonly forMs: number })
  /** Its wall clock jumps; the monotonic clock does not. */
  | (At & { readonly kind: 'clock-step'; readonly target: string; readonly byMs: number })
  /** No packet passes between it and the broker. */
  | (At & { readonly kind: 'cut-off'; readonly target: string; readonly forMs: number })
  /** The group coordinators expel its members. */
  | (At & { readonly kind: 'expel'; readonly target: string })
  /** Its consumers end permanently, each with an error for its supervisor. */
  | (At & { readonly kind: 'consumer-crash'; readonly target: string })
  /** The partitions of a broker node have no leader for this time, and another one after it. */
  | (At & { readonly kind: 'leader-change'; readonly node: number; readonly forMs: number })
  /** The broker refuses connections. */
  | (At & { readonly kind: 'outage'; readonly forMs: number })
  /** The broker is frozen: requests wait in its buffers and take effect after it. */
  | (At & { readonly kind: 'pause'; readonly forMs: number })
  /** Every produce request is refused, or every write that needs space. */
  | (At & { readonly kind: 'full-disk'; readonly forMs: number })
  /** Syncs take up to this time. */
  | (At & { readonly kind: 'slow-disk'; readonly forMs: number; readonly slowestSyncMs: number })
  /** Syncs fail, after which the process needs a restart; it gets one when they work again. */
  | (At & { readonly kind: 'failing-disk'; readonly forMs: number; readonly failedSyncPercent: number });

/** Constant deviation of the clocks of a process. */
export interface ClockDeviation {
  /** Difference of its wall clock from the true time. */
  readonly skewMs: number;
  /** How much faster its clocks and timers run, in millionths. */
  readonly driftPpm: number;
}

export interface FaultPlan {
  readonly seed: number;
  /** Faults begin after the start of all processes and end after this time. */
  readonly faultMs: number;
  /** Probability of each fault of a call, from 0 to 1; absent: never. */
  readonly rates: Readonly<Partial<Record<CallFault, number>>>;
  readonly incidents: readonly Incident[];
  /** By process name; absent: exact clocks. */
  readonly clocks: Readonly<Record<string, ClockDeviation>>;
}

export interface PlanOptions {
  /** Default: `cluster`. */
  readonly kind?: SystemKind;
  /** Names of the processes that incidents may concern. */
  readonly processes: readonly string[];
  /** Length of the fault period. */
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
export const NODES = 3;

/** No faults at all. */
export function calmPlan(seed: number): FaultPlan {
  return { seed, faultMs: 0, rates: {}, incidents: [], clocks: {} };
}

/**
 * Chooses the faults of a seed. Few kinds of faults find what all kinds together hide (swarm testing), so a third of the seeds
 * has one or two kinds, a third about half of them, and the rest all.
 */
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
    const afterMs = picks.whole(0, TOGETHER_MS);
    const isTogether = picks.chance(TOGETHER_PERCENT);
    incidents.push(
      former !== undefined && isTogether ? besides(incident, { former, afterMs, faultMs }) : incident,
    );
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

/** The incident soon after another one, in the same process. */
function besides(
  incident: Incident,
  {
    former,
    afterMs,
    faultMs,
  }: { readonly former: Incident; readonly afterMs: number; readonly faultMs: number },
): Incident {
  const atMs = Math.min(former.atMs + afterMs, faultMs - lengthMs(incident));
  return 'target' in incident && 'target' in former
    ? { ...incident, atMs, target: former.target }
    : { ...incident, atMs };
}

function lengthMs(incident: Incident): number {
  if ('forMs' in incident) return incident.forMs;
  return 'downMs' in incident ? incident.downMs : 0;
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
    case 'consumer-crash':
      return { kind, atMs, target };
    case 'freeze':
    case 'cut-off':
      return { kind, atMs, target, forMs };
    case 'leader-change':
      return { kind, atMs, node: picks.whole(0, NODES - 1), forMs };
    case 'outage':
    case 'pause':
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
