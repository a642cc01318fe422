/** An owner may take more while it has less than is left: one gets half, two get a third each. Others find room. */
export class FairShare {
  readonly #used = new Map<string, number>();
  #total = 0;

  /** `limit`: of all owners together. */
  hasRoom(owner: string, limit: number): boolean {
    return (this.#used.get(owner) ?? 0) < limit - this.#total;
  }

  /** `amount` must be a whole number: of fractions, giveBack() could leave a rest. */
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
