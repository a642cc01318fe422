import type { Socket } from 'node:net';
import { assertNever } from '../../shared/platform/errors.ts';
import { FETCH, type WireAction, type WireResponse } from './fakes/kafka-log.ts';
import type { Picks } from './random/pick.ts';

const LENGTH_BYTES = 4;
/** Length and correlation id. */
const HEAD_BYTES = 8;
const BITS = 8;
/** A record batch starts with its offset, which no checksum covers; its length follows eight bytes later. */
const BATCH_OFFSET_BYTES = 8;
const MAGIC_AT = 16;
const MAGIC = 2;
const HUGE_BYTES = 2 ** 30;
const MIB = 1_024 * 1_024;

export type Damage = (typeof DAMAGES)[number];
const DAMAGES = [
  'cut',
  'flipped',
  'flipped',
  'huge',
  'negative',
  'longer',
  'shorter',
  'twice',
  'another before',
  'another within',
  'another number',
] as const;

/** Damages a share of the responses of a fake Kafka, and counts each kind of damage. */
export class DamagedWire {
  readonly counts = new Map<Damage, number>();
  /** Percentage of damaged responses. */
  percent: number;
  readonly #picks: Picks;
  readonly #last = new Map<Socket, Buffer>();

  constructor(picks: Picks, percent: number) {
    this.#picks = picks;
    this.percent = percent;
  }

  readonly onResponse = (response: WireResponse): WireAction => {
    const { frame, socket } = response;
    const others = [...this.#last].filter(([other]) => other !== socket && !other.destroyed);
    const [, another] = others.length === 0 ? [] : this.#picks.of(...others);
    this.#last.set(socket, frame);
    for (const known of this.#last.keys()) if (known.destroyed) this.#last.delete(known);
    if (!this.#picks.chance(this.percent)) return { bytes: frame };
    const damage = this.#picks.of(...DAMAGES);
    if (damage.startsWith('another') && another === undefined) return { bytes: frame };
    this.counts.set(damage, (this.counts.get(damage) ?? 0) + 1);
    return this.#damaged(damage, response, another ?? frame);
  };

  #damaged(damage: Damage, response: WireResponse, another: Buffer): WireAction {
    const { frame } = response;
    const length = frame.length - LENGTH_BYTES;
    const half = this.#picks.whole(1, frame.length - 1);
    switch (damage) {
      case 'cut':
        return { bytes: frame.subarray(0, half), reset: true };
      case 'flipped':
        return { bytes: this.#flipped(response) };
      case 'huge':
        return { bytes: withLength(frame, HUGE_BYTES + length) };
      case 'negative':
        return { bytes: withLength(frame, -this.#picks.whole(1, length)) };
      case 'longer':
        return { bytes: withLength(frame, length + this.#picks.whole(1, MIB)) };
      case 'shorter':
        return { bytes: withLength(frame, this.#picks.whole(0, length - 1)) };
      case 'twice':
        return { bytes: Buffer.concat([frame, frame]) };
      case 'another before':
        return { bytes: Buffer.concat([another, frame]) };
      case 'another within':
        return { bytes: Buffer.concat([frame.subarray(0, half), another, frame.subarray(half)]) };
      case 'another number': {
        const copy = Buffer.from(frame);
        copy.writeInt32BE(frame.readInt32BE(LENGTH_BYTES) + this.#picks.of(-2, -1, 1, 2), LENGTH_BYTES);
        return { bytes: copy };
      }
      default:
        return assertNever(damage);
    }
  }

  /**
   * Flips one bit of the response, but not in host names and ports of brokers, which might point beyond loopback, in
   * the coordinator's data about groups and offsets, or in the offset of a record batch: only TCP and TLS protect
   * these.
   */
  #flipped({ frame, kind }: WireResponse): Buffer {
    const copy = Buffer.from(frame);
    const end = kind === FETCH ? frame.length : HEAD_BYTES;
    let at = this.#picks.whole(0, end - 1);
    while (at >= HEAD_BYTES && isBatchOffset(frame, at)) at = this.#picks.whole(0, end - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << this.#picks.whole(0, BITS - 1));
    return copy;
  }
}

/** Whether a record batch may start at one of the previous bytes. False positives are harmless. */
function isBatchOffset(frame: Buffer, at: number): boolean {
  for (let start = at; start > at - BATCH_OFFSET_BYTES && start >= 0; start -= 1) {
    const length =
      start + LENGTH_BYTES * 3 <= frame.length ? frame.readInt32BE(start + BATCH_OFFSET_BYTES) : 0;
    if (frame[start + MAGIC_AT] === MAGIC && length > 0 && start + length <= frame.length) return true;
  }
  return false;
}

function withLength(frame: Buffer, length: number): Buffer {
  const copy = Buffer.from(frame);
  copy.writeInt32BE(length);
  return copy;
}
