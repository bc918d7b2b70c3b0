/** A map that costs almost nothing while it is empty: most entities have no timers, no inbox and no parked command. */
export class LazyMap<Key, Value> {
  #map: Map<Key, Value> | undefined = undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }

  get(key: Key): Value | undefined {
    return this.#map?.get(key);
  }

  has(key: Key): boolean {
    return this.#map?.has(key) ?? false;
  }

  set(key: Key, value: Value): void {
    this.#map ??= new Map();
    this.#map.set(key, value);
  }

  delete(key: Key): void {
    this.#map?.delete(key);
  }

  clear(): void {
    this.#map = undefined;
  }
}
