import type { FastifyReply } from 'fastify';

/** Some of the bodies of a budget, those of one caller say, which together may take `limitBytes` of it. */
export interface BodyShare {
  readonly name: string;
  readonly limitBytes: number;
}

/**
 * Limits the total memory of the bodies of requests in flight; otherwise every connection could hold the largest one in
 * memory. Shares keep a part of it for others.
 */
export class BodyBudget {
  readonly #limitBytes: number;
  readonly #usedByShare = new Map<string, number>();
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * The function that reserves memory for the body of a request, chunk by chunk, until its response is sent or its caller
   * disconnects; false if there is none left for one of its shares.
   */
  of(reply: FastifyReply, shares: readonly BodyShare[]): (bytes: number) => boolean {
    let reserved = 0;
    return (bytes) => {
      if (this.#usedBytes + bytes > this.#limitBytes) return false;
      for (const { name, limitBytes } of shares) if (this.#usedOf(name) + bytes > limitBytes) return false;
      if (reserved === 0) {
        reply.raw.on('close', () => {
          this.#add(-reserved, shares);
          reserved = 0;
        });
      }
      reserved += bytes;
      this.#add(bytes, shares);
      return true;
    };
  }

  #usedOf(share: string): number {
    return this.#usedByShare.get(share) ?? 0;
  }

  #add(bytes: number, shares: readonly BodyShare[]): void {
    this.#usedBytes += bytes;
    for (const { name } of shares) {
      const used = this.#usedOf(name) + bytes;
      if (used > 0) this.#usedByShare.set(name, used);
      else this.#usedByShare.delete(name);
    }
  }
}
