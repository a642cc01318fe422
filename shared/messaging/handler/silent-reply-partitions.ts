import type { MonotonicClock } from '../../platform/clock.ts';
import { partitionId, type LogMessage } from '../message.ts';

/** Maximum number of concurrent probes, each of which occupies a place of the consumer for seconds. */
const MAX_PROBES = 2;
/**
 * Maximum number of requests of one request partition that may wait for silent reply partitions up to MAX_SILENCE_MS: half
 * of the consumer window, so that requests of other requesters are still handled.
 */
const MAX_WAITING = 500;
/**
 * Time limit on the wait of all further requests, since these may delay those of other requesters. Within it, the
 * partitions of a broker that froze or died have new leaders (session timeout 9 s by default, 18 s with ZooKeeper).
 */
const MAX_CROWDED_SILENCE_MS = 30_000;
/**
 * A reply partition that is silent for this time while others accept replies is not recovering: elections take seconds, and
 * restarts of a broker minutes.
 */
const MAX_SILENCE_MS = 600_000;
/** Waiting requests are retried within 10 s; a partition without requests for this time is forgotten. */
const FORGOTTEN_MS = 60_000;

/** A reply partition that accepted no reply when it was last tried. */
interface Silence {
  isProbed: boolean;
  /** Since when only this partition has been silent; undefined while all are. Monotonic milliseconds. */
  aloneSinceMs: number | undefined;
  requestedAtMs: number;
}

/**
 * `send`: the partition is not silent. `probe`: this request tests whether it accepts replies, and `probeEnded` must follow.
 * `wait`: the request is retried later. `give-up`: the request has waited too long, or would delay others.
 */
export type ReplyAdmission = 'send' | 'probe' | 'wait' | 'give-up';

/**
 * Reply partitions whose leader does not respond. Requests for a silent partition are retried later, without being
 * calculated or occupying a place among those in progress; a few are admitted as probes. Other partitions, even of the same
 * topic, are not affected.
 */
export class SilentPartitions {
  readonly #silences = new Map<string, Silence>();
  /** The first waiting requests of each request partition, by offset, with the time of their last retry. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #monotonic: MonotonicClock;
  #probes = 0;
  /** When any partition last accepted a reply; monotonic milliseconds. */
  #acceptedAtMs = -Infinity;

  constructor(monotonic: MonotonicClock) {
    this.#monotonic = monotonic;
  }

  get isEmpty(): boolean {
    return this.#silences.size === 0;
  }

  has(id: string): boolean {
    return this.#silences.size > 0 && this.#silences.has(id);
  }

  /** Decides whether a request with this reply partition is handled now. */
  admit(id: string, message: LogMessage): ReplyAdmission {
    const silence = this.#silences.get(id);
    if (silence === undefined) return 'send';
    const nowMs = this.#monotonic.elapsedMs();
    silence.requestedAtMs = nowMs;
    if (!silence.isProbed && this.#probes < MAX_PROBES) {
      silence.isProbed = true;
      this.#probes += 1;
      return 'probe';
    }
    const maxMs = this.#hasPlace(message, nowMs) ? MAX_SILENCE_MS : MAX_CROWDED_SILENCE_MS;
    const { aloneSinceMs = nowMs } = silence;
    return nowMs - aloneSinceMs >= maxMs ? 'give-up' : 'wait';
  }

  probeEnded(id: string): void {
    this.#probes -= 1;
    const silence = this.#silences.get(id);
    if (silence !== undefined) silence.isProbed = false;
  }

  /** Records that the leader of the partition accepted a reply, or rejected one for its content. */
  answered(id: string): void {
    this.#acceptedAtMs = this.#monotonic.elapsedMs();
    if (this.#silences.size > 0) this.#silences.delete(id);
  }

  /** Records that the partition did not respond to a publish started at `startedMs` (monotonic) within its deadline. */
  silent(id: string, startedMs: number): void {
    const nowMs = this.#monotonic.elapsedMs();
    forgetOld(this.#silences, ({ requestedAtMs }) => nowMs - requestedAtMs);
    const isAlone = this.#acceptedAtMs >= startedMs;
    const known = this.#silences.get(id);
    if (known !== undefined) known.aloneSinceMs = isAlone ? (known.aloneSinceMs ?? nowMs) : undefined;
    else {
      const aloneSinceMs = isAlone ? nowMs : undefined;
      this.#silences.set(id, { isProbed: false, aloneSinceMs, requestedAtMs: nowMs });
    }
  }

  /** Whether the request is among the first waiting ones; places of requests that no longer wait are reused. */
  #hasPlace({ topic, partition, offset }: LogMessage, nowMs: number): boolean {
    const origin = partitionId(topic, partition);
    const places = this.#places.get(origin) ?? new Map<number, number>();
    this.#places.set(origin, places);
    if (places.size >= MAX_WAITING && !places.has(offset)) {
      forgetOld(places, (retriedAtMs) => nowMs - retriedAtMs);
      if (places.size >= MAX_WAITING) return false;
    }
    places.set(offset, nowMs);
    return true;
  }
}

function forgetOld<Key, Value>(map: Map<Key, Value>, ageMs: (value: Value) => number): void {
  for (const [key, value] of map) if (ageMs(value) >= FORGOTTEN_MS) map.delete(key);
}
