import { limits } from "#base";
import { recentSince } from "../../actors/pools/queue/memory/recent-line.ts";
import {
  type Group,
  groupFromRow,
  groupIdOf,
  kindOf,
  nameOfGroup,
} from "../../actors/pools/queue/rows/group.ts";
import { type Item, isWaiting } from "../../actors/pools/queue/rows/item.ts";
import type { StoredQueue } from "./queue-check.ts";

/** Items that wait and that nothing will ever wake: no timer, no lease, no item ahead. */
export function stuckProblems(queue: StoredQueue, items: readonly Item[]): string[] {
  const groups = new Map(
    queue.stored("group").map(({ key, value }) => [`${key[0]}:${key[1]}`, groupFromRow(value)]),
  );
  return [
    ...countProblems(groups, items),
    ...holdProblems(queue, groups, items),
    ...wakeProblems(queue, groups),
    ...timerProblems(queue),
  ];
}

/** Held items are found through the counts of their group. */
function countProblems(groups: ReadonlyMap<string, Group>, items: readonly Item[]): string[] {
  const held = new Map<string, number>();
  for (const { heldBy, classNo } of items)
    if (heldBy && kindOf(heldBy) !== "singleton")
      held.set(`${classNo}|${heldBy}`, (held.get(`${classNo}|${heldBy}`) ?? 0) + 1);
  const counted = new Map<string, number>();
  for (const [groupName, group] of groups)
    for (const [classNo, count] of Object.entries("held" in group ? group.held : {}))
      counted.set(`${classNo}|${groupName}`, count);
  return [...new Set([...held.keys(), ...counted.keys()])].flatMap((line) => {
    const [there, said] = [held.get(line) ?? 0, counted.get(line) ?? 0];
    return there === said ? [] : [`${line} counts ${said} held items, there are ${there}`];
  });
}

/**
 * A group that holds items back has a lease, a timer, or an item of the same class ahead of them that is not stuck
 * itself.
 */
function holdProblems(
  queue: StoredQueue,
  groups: ReadonlyMap<string, Group>,
  items: readonly Item[],
): string[] {
  const timers = new Set(queue.stored("due").map(({ key }) => `${key[0]}|${key[3]}`));
  const isLed = (groupName: string): boolean => {
    const group = groups.get(groupName);
    switch (kindOf(groupName)) {
      case "throttle":
        return group?.kind === "throttle" && timers.has(`${group.wakeAt}|${groupName}`);
      case "concurrency":
        return queue.state.derived.of(groupIdOf(groupName)).slots > 0;
      case "singleton":
        return group?.kind === "singleton" && queue.state.leases.has(group.active);
      case "debounce":
        return false;
    }
  };
  let stuck = items.filter(({ state, heldBy }) => isWaiting(state) && heldBy !== "" && !isLed(heldBy));
  // The item ahead may be held by another group: as long as that one makes progress, so does this one.
  for (let before = -1; before !== stuck.length; ) {
    before = stuck.length;
    const waiting = new Set(stuck);
    const moving = items.filter((item) => item.state === "ready" && !waiting.has(item));
    stuck = stuck.filter(({ heldBy, classNo }) => {
      const ahead = (item: Item) =>
        item.heldBy !== heldBy && item.classNo === classNo && groupsOf(item).includes(heldBy);
      return !moving.some(ahead);
    });
  }
  return stuck.map(({ id, heldBy }) => `${id} is held by ${heldBy}, which nothing will wake`);
}

function groupsOf({ groups }: Item): string[] {
  return [
    nameOfGroup("throttle", groups.throttle),
    ...groups.concurrency.map(({ id }) => nameOfGroup("concurrency", id)),
  ];
}

/** A throttled group has one time at which it is woken. */
function wakeProblems(queue: StoredQueue, groups: ReadonlyMap<string, Group>): string[] {
  return queue.stored("due").flatMap(({ key: [at, , , groupName] }) => {
    const group = groups.get(groupName as string);
    if (!`${groupName}`.startsWith("throttle:") || (group?.kind === "throttle" && group.wakeAt === at))
      return [];
    return [`${groupName} is woken at ${at}, where it does not wait for it`];
  });
}

/** The timer is not later than the first event it is for. */
function timerProblems(queue: StoredQueue): string[] {
  const { state } = queue;
  const [recent] = state.recent.items();
  const times = [
    state.leaseEnds.at(0)?.at ?? 0,
    (queue.stored("due")[0]?.key[0] ?? 0) as number,
    state.recent.scheduled.at(0)?.notBefore ?? 0,
    recent ? recentSince(recent) + limits.queueLineAfterMs : 0,
    state.pause?.untilMs ?? 0,
    state.retainFirstAt,
    ...[...state.jobs.values()].map((job) => (job.state === "running" ? job.nextAt : 0)),
  ].filter((time) => time > 0);
  if (times.length === 0) return [];
  const first = Math.min(...times);
  if (state.armedAt > 0 && state.armedAt <= first) return [];
  return [`the timer is set to ${state.armedAt}, something is due at ${first}`];
}
