/**
 * The memory in which the values of buffered rows stand, and how many layers hold on to each piece of it. A value stands
 * in the journal entry it was written into, an entry in a slab with others: so a small row keeps a whole slab, with the
 * events beside it and the rows of other shards.
 */
export class Slabs {
  /** Of all pieces that a layer holds on to. */
  bytes = 0;
  readonly #holders = new Map<ArrayBufferLike, number>();

  use(slab: ArrayBufferLike): void {
    const holders = this.#holders.get(slab) ?? 0;
    if (holders === 0) this.bytes += slab.byteLength;
    this.#holders.set(slab, holders + 1);
  }

  release(slab: ArrayBufferLike): void {
    const holders = this.#holders.get(slab)!;
    if (holders > 1) this.#holders.set(slab, holders - 1);
    else {
      this.#holders.delete(slab);
      this.bytes -= slab.byteLength;
    }
  }
}
