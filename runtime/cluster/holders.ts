/** A worker of this node by its number, or another node by its name. */
export type Holder = number | string;

/** A shard and the view on which its holder took it. */
export type Claim = readonly [shard: number, view: number];

/**
 * Who says to hold which shard. Two may say so for a moment: the one that took it on the later view is right, because the
 * journal refuses the other.
 */
export class Holders {
  readonly #claims = new Map<Holder, ReadonlyMap<number, number>>();
  readonly #best = new Map<number, { readonly holder: Holder; readonly view: number }>();

  of(shard: number): Holder | undefined {
    return this.#best.get(shard)?.holder;
  }

  claimsOf(holder: Holder): ReadonlyMap<number, number> | undefined {
    return this.#claims.get(holder);
  }

  get local(): Claim[] {
    return [...this.#claims].flatMap(([holder, claims]) => (typeof holder === "number" ? [...claims] : []));
  }

  get count(): number {
    return this.#best.size;
  }

  set(holder: Holder, claims: readonly Claim[]): void {
    this.#claims.set(holder, new Map(claims));
    this.#countAnew();
  }

  delete(holder: Holder): void {
    if (this.#claims.delete(holder)) this.#countAnew();
  }

  #countAnew(): void {
    this.#best.clear();
    for (const [holder, claims] of this.#claims)
      for (const [shard, view] of claims) {
        const best = this.#best.get(shard);
        if (best === undefined || view > best.view) this.#best.set(shard, { holder, view });
      }
  }
}
