import type { Address, EffectRequest, RowWriter } from "#runtime";
import { RowSet } from "./rows.ts";

/** What entities leave behind that a restart does not forget: rows, timers, effects, messages, published events. */
export class EntityStore {
  readonly published: { kind: string; subject: string; payload: unknown }[] = [];
  /** By entity and id, as effects are. */
  readonly timers = new Map<string, { address: Address; id: string; due: number }>();
  readonly effects = new Map<string, AskedEffect>();
  readonly outbox: { from: Address; to: Address; message: unknown }[] = [];
  readonly #rows = new Map<string, Map<string, RowSet>>();

  rows(address: Address, collection: string): RowSet {
    const collections = getOrMake(this.#rows, idOf(address), () => new Map<string, RowSet>());
    return getOrMake(collections, collection, () => new RowSet());
  }

  /** Counts of all rows of a tenant, by entity and collection. */
  rowsOf(tenant: string): string[] {
    return [...this.#rows].flatMap(([id, collections]) =>
      id.split("/")[1] !== tenant
        ? []
        : [...collections].flatMap(([collection, rows]) => {
            const { length } = rows.scan({ collection, limit: Number.MAX_SAFE_INTEGER });
            return length === 0 ? [] : [`${id} ${collection}: ${length}`];
          }),
    );
  }

  collectionsOf(address: Address): string[] {
    return [...(this.#rows.get(idOf(address))?.keys() ?? [])];
  }

  /** What `apply` writes with at this time. */
  writer(address: Address, now: number): RowWriter {
    const nameOf = (id: string) => `${idOf(address)}#${id}`;
    return {
      now,
      put: (collection, key, value) => this.rows(address, collection).put(key, value),
      delete: (collection, key) => this.rows(address, collection).delete(key),
      deletePrefix: (collection, prefix) => this.rows(address, collection).deletePrefix(prefix),
      deleteRange: (collection, from, to) => this.rows(address, collection).deleteRange(from, to),
      setTimer: (id, due) => void this.timers.set(nameOf(id), { address, id, due }),
      clearTimer: (id) => void this.timers.delete(nameOf(id)),
      send: (to, message) => void this.outbox.push({ from: address, to, message: structuredClone(message) }),
      publish: (kind, subject, payload) =>
        void this.published.push({ kind, subject, payload: structuredClone(payload) }),
      broadcast: () => {},
      effect: (id, effect) => void this.effects.set(nameOf(id), { address, id, ...effect }),
      endEffect: (id) => void this.effects.delete(nameOf(id)),
    };
  }
}

export interface AskedEffect extends EffectRequest {
  readonly address: Address;
  readonly id: string;
}

export function idOf(address: Address): string {
  return `${address.kind}/${address.tenant}/${address.key}`;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
