import type { Cause } from "../rows/change.ts";
import { nameOfGroup, type SingletonGroup } from "../rows/group.ts";
import { type EndState, type Finishing, finishedItem, type Item } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { closeDebounce } from "./debounce.ts";
import { stepOut } from "./line.ts";

/** Ends an item: out of every line, its lease void, its keys handed on. Mostly the state it ends in is the cause, too. */
export function finish(
  unit: UnitOfWork,
  item: Item,
  state: EndState,
  how: Finishing & { readonly result?: unknown } = {},
  cause: Cause = state,
): Item {
  const after = finishedItem(item, state, unit.now, how);
  unit.change(item, after, cause, how.result === undefined ? {} : { result: how.result });
  // Memory lets go of the payload with this step, and its row was not read: an answer with the item needs it here.
  const hot = unit.state.bodies.get(item.id);
  if (hot) unit.show(item.id, hot);
  closeDebounce(unit, item);
  releaseSingleton(unit, item);
  return after;
}

/** The key of an item that is over goes to the item that waits for it, or is free. */
function releaseSingleton(unit: UnitOfWork, item: Item): void {
  const { singleton } = item.groups;
  if (!singleton) return;
  // No item waits for a key that only its own item tells of, and that one tells no more.
  if (item.tells && !unit.groups.hasRow("singleton", singleton)) return;
  const group = unit.groups.key(singleton);
  if (!group) return;
  const groupName = nameOfGroup("singleton", singleton);
  if (group.waiting === item.id) unit.setGroup(groupName, { ...group, waiting: "" });
  if (group.active === item.id) handOn(unit, groupName, group);
}

/** The key goes to the item that waits for it, or is free. */
export function handOn(unit: UnitOfWork, groupName: string, { waiting }: SingletonGroup): void {
  const next = waiting ? unit.item(waiting) : null;
  unit.setGroup(groupName, next ? keyOf(unit, next) : null);
  if (next?.heldBy === groupName) stepOut(unit, next);
}

/** The group of a key that belongs to this item from now on. */
export function keyOf(unit: UnitOfWork, item: Item): SingletonGroup {
  const ttl = unit.router.config.admission?.singleton?.ttl_seconds;
  return {
    kind: "singleton",
    active: item.id,
    waiting: "",
    untilMs: ttl === undefined ? 0 : unit.now + ttl * 1_000,
  };
}
