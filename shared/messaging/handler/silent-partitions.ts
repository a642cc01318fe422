import { partitionId, type LogMessage } from '../message.ts';

/** Requests for silent reply partitions that are tried at a time: each keeps one of the consumer's places for seconds. */
const MAX_PROBES = 2;
/**
 * Requests from one partition of the request topic that wait for silent reply partitions as long as LONGEST_SILENCE_MS:
 * half of what a consumer takes in before it pauses that partition, so that the requests of others still come through.
 */
const MAX_WAITING = 500;
/**
 * Further ones wait so long, although they may hold up the requests of others: a broker that froze or died is no fault of
 * the reply topic, and its partitions have other leaders by then (the session of a broker is 9 s by default, 18 s with
 * ZooKeeper).
 */
const CROWDED_SILENCE_MS = 30_000;
/**
 * A reply partition that took nothing for so long, while others did, is no passing trouble: elections take seconds, and a
 * broker that restarts takes minutes.
 */
const LONGEST_SILENCE_MS = 600_000;
/** Requests that wait come back after 10 s at the latest; a partition that nobody asks for any more is forgotten. */
const FORGOTTEN_MS = 60_000;

/** What is known of a reply partition that took no reply when it was last tried. */
interface Silence {
  isProbed: boolean;
  /** Since when other partitions took replies and this one did not; undefined while none did. Monotonic milliseconds. */
  aloneSinceMs: number | undefined;
  askedAtMs: number;
}

/**
 * `go`: nothing is known against the partition. `probe`: this request finds out, and `probeEnded` must follow. `wait`:
 * the request is tried again later. `give-up`: waiting any longer would hold up others, or is in vain.
 */
export type Admission = 'go' | 'probe' | 'wait' | 'give-up';

/**
 * Reply partitions whose leader does not answer, one by one: those beside them, of the same topic too, are not affected.
 * Requests for a silent one wait on their topic before they are computed, without a place among those in progress; a few
 * are let through to find out whether it answers again.
 */
export class SilentPartitions {
  readonly #silences = new Map<string, Silence>();
  /** The first requests that wait, by the partition they came from: their offsets, and when each was last decided about. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #now: () => number;
  #probes = 0;
  /** When any partition took a reply last; monotonic milliseconds. */
  #deliveredAtMs = -Infinity;

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
  admit(id: string, message: LogMessage): Admission {
    const silence = this.#silences.get(id);
    if (silence === undefined) return 'go';
    const nowMs = this.#now();
    silence.askedAtMs = nowMs;
    if (!silence.isProbed && this.#probes < MAX_PROBES) {
      silence.isProbed = true;
      this.#probes += 1;
      return 'probe';
    }
    const longestMs = this.#hasPlace(message, nowMs) ? LONGEST_SILENCE_MS : CROWDED_SILENCE_MS;
    const { aloneSinceMs = nowMs } = silence;
    return nowMs - aloneSinceMs >= longestMs ? 'give-up' : 'wait';
  }

  probeEnded(id: string): void {
    this.#probes -= 1;
    const silence = this.#silences.get(id);
    if (silence !== undefined) silence.isProbed = false;
  }

  /** The partition's leader took a reply, or refused one for what it is. */
  answered(id: string): void {
    this.#deliveredAtMs = this.#now();
    this.#silences.delete(id);
  }

  /** The partition took no reply within the time of a publish that began at `beganMs` (monotonic). */
  silent(id: string, beganMs: number): void {
    const nowMs = this.#now();
    forgetOld(this.#silences, ({ askedAtMs }) => nowMs - askedAtMs);
    const isAlone = this.#deliveredAtMs >= beganMs;
    const known = this.#silences.get(id);
    if (known === undefined) {
      const aloneSinceMs = isAlone ? nowMs : undefined;
      this.#silences.set(id, { isProbed: false, aloneSinceMs, askedAtMs: nowMs });
    } else known.aloneSinceMs = isAlone ? (known.aloneSinceMs ?? nowMs) : undefined;
  }

  /** Whether the request is one of the first that wait; places of those that wait no longer are given to others. */
  #hasPlace({ topic, partition, offset }: LogMessage, nowMs: number): boolean {
    const from = partitionId(topic, partition);
    const places = this.#places.get(from) ?? new Map<number, number>();
    this.#places.set(from, places);
    if (places.size >= MAX_WAITING && !places.has(offset)) {
      forgetOld(places, (decidedAtMs) => nowMs - decidedAtMs);
      if (places.size >= MAX_WAITING) return false;
    }
    places.set(offset, nowMs);
    return true;
  }
}

function forgetOld<Key, Value>(map: Map<Key, Value>, ageMs: (value: Value) => number): void {
  for (const [key, value] of map) if (ageMs(value) >= FORGOTTEN_MS) map.delete(key);
}
