import { partitionId, type LogMessage } from '../message.ts';

/** Requests that probe a silent reply partition at a time: each occupies a place of the consumer for seconds. */
const MAX_PROBES = 2;
/**
 * Requests of one request partition that wait for silent reply partitions as long as MAX_SILENCE_MS allows: half of the
 * consumer's window, so that the requests of other requesters still get through.
 */
const MAX_WAITING = 500;
/**
 * Further requests wait only this long, although they may hold up those of others: a broker that froze or died is not the
 * fault of the reply topic, and its partitions have new leaders by then (a broker's session is 9 s by default, 18 s with
 * ZooKeeper).
 */
const MAX_CROWDED_SILENCE_MS = 30_000;
/**
 * A reply partition that accepted nothing for this time, while others did, is not recovering: elections take seconds, and
 * the restart of a broker takes minutes.
 */
const MAX_SILENCE_MS = 600_000;
/** Waiting requests come back after 10 s at the latest; a partition without any request for this time is forgotten. */
const FORGOTTEN_MS = 60_000;

/** A reply partition that accepted no reply when it was last tried. */
interface Silence {
  isProbed: boolean;
  /** Since when other partitions accepted replies and this one did not; undefined while none did. Monotonic milliseconds. */
  aloneSinceMs: number | undefined;
  requestedAtMs: number;
}

/**
 * `send`: nothing is known against the partition. `probe`: this request finds out whether it accepts replies, and
 * `probeEnded` must follow. `wait`: the request is retried later. `give-up`: waiting longer is pointless or would hold up
 * other requests.
 */
export type ReplyAdmission = 'send' | 'probe' | 'wait' | 'give-up';

/**
 * Reply partitions whose leader does not answer, each by itself: other partitions, of the same topic too, are not
 * affected. Requests for a silent one wait on their topic before they are computed, without occupying a place among those
 * in progress; a few probe whether it answers again.
 */
export class SilentPartitions {
  readonly #silences = new Map<string, Silence>();
  /** The first waiting requests by the partition they came from: their offsets, and when each was last considered. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #now: () => number;
  #probes = 0;
  /** When any partition last accepted a reply; monotonic milliseconds. */
  #acceptedAtMs = -Infinity;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#silences.size === 0;
  }

  has(id: string): boolean {
    return this.#silences.has(id);
  }

  /** Decides about a request whose reply goes to the partition. */
  admit(id: string, message: LogMessage): ReplyAdmission {
    const silence = this.#silences.get(id);
    if (silence === undefined) return 'send';
    const nowMs = this.#now();
    silence.requestedAtMs = nowMs;
    if (!silence.isProbed && this.#probes < MAX_PROBES) {
      silence.isProbed = true;
      this.#probes += 1;
      return 'probe';
    }
    const longestMs = this.#hasPlace(message, nowMs) ? MAX_SILENCE_MS : MAX_CROWDED_SILENCE_MS;
    const { aloneSinceMs = nowMs } = silence;
    return nowMs - aloneSinceMs >= longestMs ? 'give-up' : 'wait';
  }

  probeEnded(id: string): void {
    this.#probes -= 1;
    const silence = this.#silences.get(id);
    if (silence !== undefined) silence.isProbed = false;
  }

  /** The partition's leader accepted a reply, or rejected one for its content. */
  answered(id: string): void {
    this.#acceptedAtMs = this.#now();
    this.#silences.delete(id);
  }

  /** The partition did not accept a reply within the deadline of a publish that began at `beganMs` (monotonic). */
  silent(id: string, beganMs: number): void {
    const nowMs = this.#now();
    forgetOld(this.#silences, ({ requestedAtMs }) => nowMs - requestedAtMs);
    const isAlone = this.#acceptedAtMs >= beganMs;
    const known = this.#silences.get(id);
    if (known !== undefined) known.aloneSinceMs = isAlone ? (known.aloneSinceMs ?? nowMs) : undefined;
    else {
      const aloneSinceMs = isAlone ? nowMs : undefined;
      this.#silences.set(id, { isProbed: false, aloneSinceMs, requestedAtMs: nowMs });
    }
  }

  /** Whether the request is among the first that wait; places of requests that no longer wait are reused. */
  #hasPlace({ topic, partition, offset }: LogMessage, nowMs: number): boolean {
    const origin = partitionId(topic, partition);
    const places = this.#places.get(origin) ?? new Map<number, number>();
    this.#places.set(origin, places);
    if (places.size >= MAX_WAITING && !places.has(offset)) {
      forgetOld(places, (consideredAtMs) => nowMs - consideredAtMs);
      if (places.size >= MAX_WAITING) return false;
    }
    places.set(offset, nowMs);
    return true;
  }
}

function forgetOld<Key, Value>(map: Map<Key, Value>, ageMs: (value: Value) => number): void {
  for (const [key, value] of map) if (ageMs(value) >= FORGOTTEN_MS) map.delete(key);
}
