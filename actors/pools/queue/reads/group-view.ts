import type { Context } from "#runtime";
import type { RouterView } from "../../router.ts";
import { limitOf } from "../admission/concurrency.ts";
import { conforming, eligibleAt, paceOf } from "../admission/throttle.ts";
import { findGroup } from "../memory/derived.ts";
import {
  type ClearedRow,
  clearedRows,
  type Group,
  type GroupKind,
  groupIdOf,
  heldTotal,
  isLeftOver,
  kindOf,
  nameOfGroup,
} from "../rows/group.ts";
import { heldCollection, type Item } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { State } from "../state.ts";

/** What is shown of a group; times 0 where there is none. */
export interface GroupView {
  readonly kind: GroupKind;
  readonly groupId: string;
  readonly status: "active" | "expired" | "cleared";
  readonly inUse: number;
  readonly limit: number;
  readonly waiting: number;
  readonly nextEligibleAt: number;
  readonly cleared: { readonly at: number; readonly by: string; readonly reason: string } | null;
}

/** For all groups of one answer: the leases are looked through once, not for each group. */
export class GroupViews {
  readonly #state: State;
  readonly #context: Context;
  readonly #router: RouterView;
  /** By group that a lease is in: which of the pool's concurrency controls it belongs to. */
  #controls: ReadonlyMap<string, number> | undefined;

  constructor(state: State, context: Context) {
    this.#state = state;
    this.#context = context;
    this.#router = context.twin<RouterView>("router");
  }

  /** One group, `null` where nothing is known of it, `undefined` where rows have to be read. */
  find(kind: GroupKind, groupId: string): GroupView | null | undefined {
    const groupName = nameOfGroup(kind, groupId);
    const group = findGroup(this.#state, this.#context, groupName);
    const cleared = this.#context.row({ collection: clearedRows, key: [kind, groupId] });
    if (group === undefined || cleared === undefined) return undefined;
    if (!group && this.#inUse(groupName) === 0 && !cleared) return null;
    return this.of(groupName, group, cleared);
  }

  of(groupName: string, group: Group | null, cleared: ClearedRow | null): GroupView {
    const { active, ...stats } =
      kindOf(groupName) === "concurrency" ? this.#slots(groupName, group) : this.#stats(group);
    return {
      kind: kindOf(groupName),
      groupId: groupIdOf(groupName),
      status: active ? "active" : cleared && isLeftOver(group) ? "cleared" : "expired",
      ...stats,
      cleared: cleared && { at: cleared[0], by: cleared[1], reason: cleared[2] },
    };
  }

  #stats(group: Group | null): Stats {
    const { now } = this.#context;
    switch (group?.kind) {
      case "singleton": {
        const active = group.untilMs === 0 || group.untilMs > now;
        return { active, inUse: 1, limit: 1, waiting: group.waiting ? 1 : 0, nextEligibleAt: group.untilMs };
      }
      case "debounce":
        return { active: true, inUse: 1, limit: 1, waiting: 1, nextEligibleAt: group.fireAt };
      case "throttle": {
        const throttle = this.#router.config.admission?.throttle;
        if (!throttle) return nothing;
        const next = Math.ceil(eligibleAt(throttle, group));
        const waiting = heldTotal(group.held);
        return {
          active: group.tat > now || waiting > 0,
          inUse: paceOf(throttle).burst - conforming(throttle, group, now),
          limit: throttle.limit,
          waiting,
          nextEligibleAt: next > now ? next : 0,
        };
      }
      default:
        return nothing;
    }
  }

  /** Slots are counted from the leases; a row says only who waits for one. */
  #slots(groupName: string, group: Group | null): Stats {
    const inUse = this.#inUse(groupName);
    const waiting = group?.kind === "concurrency" ? heldTotal(group.held) : 0;
    const most = limitOf(this.#router.config, this.#controlOf(groupName, waiting));
    const limit = most === Number.MAX_SAFE_INTEGER ? 0 : most;
    return { active: inUse + waiting > 0, inUse, limit, waiting, nextEligibleAt: 0 };
  }

  #inUse(groupName: string): number {
    return kindOf(groupName) === "concurrency" ? this.#state.derived.of(groupIdOf(groupName)).slots : 0;
  }

  /** An item that is at work or waits in a group knows which of the pool's controls the group belongs to. */
  #controlOf(groupName: string, waiting: number): number {
    this.#controls ??= controlsOf(this.#state.leases.values());
    const known = this.#controls.get(groupIdOf(groupName));
    if (known !== undefined || waiting === 0) return known ?? 0;
    const rows = this.#context.scan(heldCollection, { prefix: [groupName], limit: 1 });
    const held = rows.map(({ value }) => fromRow(value));
    return controlsOf(held).get(groupIdOf(groupName)) ?? 0;
  }
}

type Stats = Pick<GroupView, "inUse" | "limit" | "waiting" | "nextEligibleAt"> & {
  readonly active: boolean;
};

const nothing: Stats = { active: false, inUse: 0, limit: 0, waiting: 0, nextEligibleAt: 0 };

function controlsOf(items: Iterable<Item>): ReadonlyMap<string, number> {
  const controls = new Map<string, number>();
  for (const { groups } of items) for (const { id, control } of groups.concurrency) controls.set(id, control);
  return controls;
}
