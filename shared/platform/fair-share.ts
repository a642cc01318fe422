/** An owner may take more while it has less than is left, so one gets half, two a third each, and others find room. */
export class FairShare {
  readonly #used = new Map<string, number>();
  #total = 0;

  /** `limit` is for all owners together. */
  hasRoom(owner: string, limit: number): boolean {
    return (this.#used.get(owner) ?? 0) < limit - this.#total;
  }

  /** `amount` must be a whole number: with fractions, giveBack() could leave a remainder. */
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
