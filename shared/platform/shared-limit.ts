/**
 * What several owners use of something limited. One may use more while it has less than is left: one that floods takes half, two of them a
 * third each, and there is always room for others.
 */
export class SharedLimit {
  readonly #used = new Map<string, number>();
  #total = 0;

  hasRoom(owner: string, limit: number): boolean {
    return (this.#used.get(owner) ?? 0) < limit - this.#total;
  }

  /** `amount`: a whole number, so that nothing is left of it when it is given back. */
  take(owner: string, amount: number): void {
    this.#total += amount;
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + amount);
  }

  giveBack(owner: string, amount: number): void {
    this.#total -= amount;
    const left = (this.#used.get(owner) ?? 0) - amount;
    if (left > 0) this.#used.set(owner, left);
    else this.#used.delete(owner);
  }
}
