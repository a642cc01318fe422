import type { CallFault, FaultKind, FaultPlan } from './fault-plan.ts';

const MIN_TRAVEL_MS = 0.2;
const MAX_TRAVEL_MS = 3;
export interface CallTimes {
  readonly requestTimeoutMs: number;
  readonly lateMs: number;
}

/** Clients of Kafka wait some seconds for a response; the latest packets arrive after that. */
const DEFAULT_TIMES: CallTimes = { requestTimeoutMs: 5_000, lateMs: 8_000 };

export type CallFate = ReturnType<CallFates['ofCall']>;

export type Share = (purpose: number) => number;

export type FaultCounts = Partial<Record<FaultKind, number>>;

/** The fate of a call is a hash of seed, client and number: it stays the same when other calls are removed. */
export class CallFates {
  readonly counts: FaultCounts = {};
  readonly times: CallTimes;
  readonly #plan: Pick<FaultPlan, 'seed' | 'rates'>;
  isActive = false;

  constructor(plan: Pick<FaultPlan, 'seed' | 'rates'>, times: CallTimes = DEFAULT_TIMES) {
    this.#plan = plan;
    this.times = times;
  }

  count(kind: FaultKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  shares(clientId: string, number: number): Share {
    const base = mix(hashText(clientId) ^ Math.imul(this.#plan.seed + 1, 0x9e3779b1)) + number;
    return (purpose) => mix(mix(base) + purpose) / 4_294_967_296;
  }

  befalls(kind: CallFault, share: number): boolean {
    if (!this.isActive || share >= (this.#plan.rates[kind] ?? 0)) return false;
    this.count(kind);
    return true;
  }

  ofCall(clientId: string, number: number, isProduce: boolean) {
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
      /** `stale`: the request arrives after the client has given it up, and outside of the order of its connection. */
      lost,
      /** The share of the records of a produce request that is stored; undefined: all. */
      tornAt: isTorn ? share(8) : undefined,
      diesWithSender: share(9) < 0.5,
    };
  }

  #lossOf(share: Share, isProduce: boolean): 'request' | 'response' | 'stale' | undefined {
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
