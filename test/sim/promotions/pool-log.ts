import { handleOf } from "#base";
import type { CanaryShare } from "../../../actors/kit/canary.ts";
import type { Event } from "../../../actors/pools/pool/state.ts";
import type { RuleRecord } from "../../../actors/pools/pool-record.ts";
import { unpackRecord } from "../../../actors/pools/router/record.ts";
import type { DurableEntry } from "../watch.ts";

type Rule = Pick<RuleRecord, "id" | "name" | "order" | "enabled" | "condition" | "action">;

/** What one candidate did to one pool, in the order of the journal. */
interface Done {
  /** The content in force when the candidate last read it. */
  base?: string;
  /** With ids: the content that the activation replaced, and the one that it wrote. */
  replaced?: string;
  activated?: string;
  restored: boolean;
  shares: readonly CanaryShare[];
  /** By key: the smallest share with which the canary decided it, and when. */
  readonly decided: Map<string, { readonly atMs: number; readonly share: number }>;
}

/** Replays the journal of one pool, and checks every step of a promotion against the content in force before it. */
export class PoolLog {
  readonly done = new Map<string, Done>();
  readonly #handle: string;
  readonly #violate: (claim: string) => void;
  readonly #rules = new Map<string, Rule>();
  #canary: string | undefined;

  constructor(poolId: string, violate: (claim: string) => void) {
    this.#handle = handleOf(poolId);
    this.#violate = (claim) => violate(`pool ${poolId}: ${claim}`);
  }

  add({ entry }: DurableEntry): void {
    if (entry.address?.key !== this.#handle) return;
    for (const { kind, events } of entry.steps)
      for (const event of events) {
        if (kind === "pool") this.#change(event as Event);
        else if (kind === "router") this.#routed(event as { type: string }, entry.now);
      }
  }

  #change(event: Event): void {
    switch (event.type) {
      case "rule_put":
        this.#rules.set(event.rule.id, event.rule);
        return;
      case "rule_removed":
        this.#rules.delete(event.id);
        return;
      case "answered":
        if (event.answer.step === "check") this.#of(event.to.key).base = this.#content();
        return;
      case "canary_changed": {
        const { canary } = event.governance;
        this.#canary = canary && handleOf(canary.candidateId);
        if (canary) this.#of(handleOf(canary.candidateId)).shares = canary.shares;
        return;
      }
      case "activated":
        this.#activated(event);
        return;
    }
  }

  #activated({ candidateId, rules = [], kept, governance }: Extract<Event, { type: "activated" }>): void {
    const of = this.#of(handleOf(candidateId));
    const restores = kept.length === 0;
    if (!restores && this.#content() !== of.base)
      this.#violate(`${candidateId} was activated over ${this.#content()}, and looked at ${of.base}`);
    if (restores && this.#withIds() !== of.activated)
      this.#violate(`${candidateId} was rolled back over ${this.#withIds()}, and activated ${of.activated}`);
    if (!restores && of.activated !== undefined) this.#violate(`${candidateId} was activated twice`);
    if (!restores) of.replaced = this.#withIds();
    this.#rules.clear();
    for (const rule of rules) this.#rules.set(rule.id, rule);
    if (!restores) of.activated = this.#withIds();
    else if (this.#withIds() !== of.replaced)
      this.#violate(`${candidateId} restored ${this.#withIds()}, and had replaced ${of.replaced}`);
    of.restored = restores;
    this.#canary = governance.canary && handleOf(governance.canary.candidateId);
  }

  /** A key that the canary decided with one share it decides with every larger one. */
  #routed(event: { readonly type: string; readonly record?: readonly unknown[] }, now: number): void {
    if (event.type !== "routed" || this.#canary === undefined) return;
    const { key, candidateId } = unpackRecord(event.record!);
    const { decided, shares } = this.#of(this.#canary);
    const before = decided.get(key);
    const share = shares.findLast(([fromMs]) => fromMs <= now)?.[1] ?? 0;
    if (candidateId !== undefined) {
      if (before === undefined || share < before.share) decided.set(key, { atMs: now, share });
    } else if (before !== undefined && share >= before.share)
      this.#violate(
        `${key} was decided by ${this.#canary} at ${before.atMs} with ${before.share}, and not at ${now} with ${share}`,
      );
  }

  #of(handle: string): Done {
    const known = this.done.get(handle);
    if (known) return known;
    const made: Done = { restored: false, shares: [], decided: new Map() };
    this.done.set(handle, made);
    return made;
  }

  #content(): string {
    return JSON.stringify(this.#sorted().map(({ id: _, ...content }) => content));
  }

  #withIds(): string {
    return JSON.stringify(this.#sorted());
  }

  #sorted(): Rule[] {
    const shown = [...this.#rules.values()].map(({ id, name, order, enabled, condition, action }) => ({
      id,
      name,
      order,
      enabled,
      condition,
      action,
    }));
    return shown.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
  }
}
