import type { CallFault, FaultKind, FaultPlan } from './fault-plan.ts';

/** Normal time of a packet between two machines. */
const MIN_TRAVEL_MS = 0.2;
const MAX_TRAVEL_MS = 3;
/** Longest times between a client and the broker, in milliseconds. */
export interface CallTimes {
  /** A client gives up a request without a response after this time. */
  readonly requestTimeoutMs: number;
  /** Additional time of a late packet. */
  readonly lateMs: number;
}

/** Clients of Kafka wait some seconds for a response; the latest packets arrive after that. */
const DEFAULT_TIMES: CallTimes = { requestTimeoutMs: 5_000, lateMs: 8_000 };

export interface CallFate {
  readonly requestMs: number;
  readonly responseMs: number;
  /** `stale`: the request arrives after the client has given it up, and outside of the order of its connection. */
  readonly lost: 'request' | 'response' | 'stale' | undefined;
  /** The share of the records of a produce request that is stored; undefined: all. */
  readonly tornAt: number | undefined;
  /** Whether a request on its way is lost when its sender crashes. */
  readonly diesWithSender: boolean;
}

/** Random numbers of one call, from 0 to less than 1. */
export type Share = (purpose: number) => number;

export type FaultCounts = Partial<Record<FaultKind, number>>;

/**
 * Decides the fate of each call by a hash of the seed, the client and the number of its call, and not by a common sequence:
 * the fate of a call stays the same when others are removed.
 */
export class CallFates {
  readonly counts: FaultCounts = {};
  readonly times: CallTimes;
  readonly #plan: Pick<FaultPlan, 'seed' | 'rates'>;
  /** Faults occur only during the fault period. */
  isActive = false;

  constructor(plan: Pick<FaultPlan, 'seed' | 'rates'>, times: CallTimes = DEFAULT_TIMES) {
    this.#plan = plan;
    this.times = times;
  }

  count(kind: FaultKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** The random numbers of call `number` of a client. */
  shares(clientId: string, number: number): Share {
    const base = mix(hashText(clientId) ^ Math.imul(this.#plan.seed + 1, 0x9e3779b1)) + number;
    return (purpose) => mix(mix(base) + purpose) / 4_294_967_296;
  }

  /** Whether a fault of this kind befalls the call. Counts it. */
  befalls(kind: CallFault, share: number): boolean {
    if (!this.isActive || share >= (this.#plan.rates[kind] ?? 0)) return false;
    this.count(kind);
    return true;
  }

  ofCall(clientId: string, number: number, isProduce: boolean): CallFate {
    const share = this.shares(clientId, number);
    const travel = (purpose: number): number =>
      MIN_TRAVEL_MS + share(purpose) * (MAX_TRAVEL_MS - MIN_TRAVEL_MS);
    const late = (kind: CallFault, purpose: number): number =>
      this.befalls(kind, share(purpose)) ? share(purpose + 1) ** 3 * this.times.lateMs : 0;
    const lost = this.#lossOf(share, isProduce);
    const isTorn = isProduce && lost === undefined && this.befalls('torn-batch', share(7));
    const staleMs = this.times.requestTimeoutMs + share(14) * this.times.lateMs;
    return {
      requestMs: lost === 'stale' ? staleMs : travel(1) + late('late-request', 10),
      responseMs: travel(2) + late('late-response', 12),
      lost,
      tornAt: isTorn ? share(8) : undefined,
      diesWithSender: share(9) < 0.5,
    };
  }

  #lossOf(share: Share, isProduce: boolean): CallFate['lost'] {
    if (this.befalls('lost-request', share(5))) return 'request';
    if (this.befalls(isProduce ? 'lost-acknowledgement' : 'lost-response', share(6))) return 'response';
    return isProduce && this.befalls('stale-request', share(15)) ? 'stale' : undefined;
  }
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** The finalizer of MurmurHash3: each bit of the input changes about half of the output. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
