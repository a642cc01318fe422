import { partitionId, type LogMessage } from './message.ts';

/** Requests for silent reply partitions that are tried at a time: each keeps one of the consumer's places for seconds. */
const MAX_PROBES = 2;
/**
 * Requests from one partition of the request topic that wait for silent reply partitions: half of what a consumer takes
 * in before it pauses that partition, so that the requests of others still come through.
 */
const MAX_WAITING = 500;
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
  /** Requests that wait for it, by the partition that they came from. */
  readonly waiting: Map<string, number>;
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

  /** Decides about a request whose reply goes to the partition; `attempt` counts from 1. */
  admit(id: string, message: LogMessage, attempt: number): Admission {
    const silence = this.#silences.get(id);
    if (silence === undefined) return 'go';
    const nowMs = this.#now();
    silence.askedAtMs = nowMs;
    if (!silence.isProbed && this.#probes < MAX_PROBES) {
      silence.isProbed = true;
      this.#probes += 1;
      return 'probe';
    }
    const isCrowded = attempt === 1 && !this.#takePlace(silence, message, nowMs);
    const { aloneSinceMs } = silence;
    if (aloneSinceMs === undefined) return 'wait';
    return isCrowded || nowMs - aloneSinceMs >= LONGEST_SILENCE_MS ? 'give-up' : 'wait';
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
    const isAlone = this.#deliveredAtMs >= beganMs;
    const known = this.#silences.get(id);
    if (known === undefined) {
      const aloneSinceMs = isAlone ? nowMs : undefined;
      this.#silences.set(id, { isProbed: false, aloneSinceMs, askedAtMs: nowMs, waiting: new Map() });
    } else known.aloneSinceMs = isAlone ? (known.aloneSinceMs ?? nowMs) : undefined;
  }

  /** Counts a request that begins to wait; false when too many of its partition do. */
  #takePlace(silence: Silence, message: LogMessage, nowMs: number): boolean {
    const from = partitionId(message.topic, message.partition);
    let waiting = 0;
    for (const [id, other] of this.#silences) {
      if (nowMs - other.askedAtMs >= FORGOTTEN_MS) this.#silences.delete(id);
      else waiting += other.waiting.get(from) ?? 0;
    }
    if (waiting >= MAX_WAITING) return false;
    silence.waiting.set(from, (silence.waiting.get(from) ?? 0) + 1);
    return true;
  }
}
