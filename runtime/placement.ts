import { hash32 } from "#base";
import type { Address, AnyActorDefinition, EntityMethod } from "./actor.ts";
import { shapeOf } from "./row-shape.ts";

/**
 * Which shard an entity lives in. The kind is not part of the hash, so entities with the same placement key share a
 * shard: that is what lets twins commit together.
 */
export function shardOf(address: Address, placement: "key" | "tenant", shardCount: number): number {
  return (placement === "tenant" ? hash32(address.tenant) : hashOf(address)) % shardCount;
}

/** `hash32` of tenant and key with a zero between them, without putting the two together. */
export function hashOf({ tenant, key }: Address): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < tenant.length; i++) h = Math.imul(h ^ tenant.charCodeAt(i), 0x01000193);
  h = Math.imul(h, 0x01000193);
  for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The kinds of a runtime, and for each the kinds it is activated with. */
export class Kinds {
  readonly #kinds = new Map<string, Kind>();

  constructor(definitions: readonly AnyActorDefinition[]) {
    for (const definition of definitions) {
      if (this.#kinds.has(definition.kind)) throw new Error(`two definitions of the kind ${definition.kind}`);
      for (const collection of Object.keys(definition.shapeSteps ?? {})) shapeOf(definition, collection);
      const methods = new Map(Object.entries(definition.methods));
      this.#kinds.set(definition.kind, { definition, methods, family: [definition] });
    }
    for (const definition of definitions) {
      for (const twin of definition.twins ?? []) this.#join(definition, twin);
    }
  }

  get(kind: string): Kind | undefined {
    return this.#kinds.get(kind);
  }

  /** Twins are twins in both directions, whichever of the two names the other. */
  #join(definition: AnyActorDefinition, twinKind: string): void {
    const one = this.#kinds.get(definition.kind)!;
    const other = this.#kinds.get(twinKind);
    if (other === undefined) throw new Error(`${definition.kind} names an unknown twin ${twinKind}`);
    if (other.definition.placement !== definition.placement)
      throw new Error(`twins ${definition.kind} and ${twinKind} are placed differently`);
    if (one.family === other.family) return;
    const family = [...one.family, ...other.family];
    for (const member of family) this.#kinds.get(member.kind)!.family = family;
  }
}

export interface Kind {
  readonly definition: AnyActorDefinition;
  readonly methods: ReadonlyMap<string, EntityMethod<unknown, unknown, unknown, unknown>>;
  /** The definition and its twins; the first one names the cell. */
  family: readonly AnyActorDefinition[];
}
