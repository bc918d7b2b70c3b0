import { isRecent, mayWaitRecent } from "../memory/recent-line.ts";
import { nameOfGroup } from "../rows/group.ts";
import { type Body, copyItem, type Item, type OwnItem } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

/** The open window of the item's key, `null` where there is none, `undefined` where rows have to be read. */
export function openWindow(unit: UnitOfWork, groupId: string): Item | null | undefined {
  if (!groupId) return null;
  const window = unit.groups.window(groupId);
  if (!window) return window;
  const item = unit.item(window.item);
  if (item === undefined) return undefined;
  return item?.state === "scheduled" ? item : null;
}

/**
 * The first item of a window waits for more: it is ready when none has come for `period_ms`, or after `max_wait_ms`. A short
 * window needs no row: the item itself says that it is one.
 */
export function openDebounce(unit: UnitOfWork, item: OwnItem): void {
  const { period_ms } = unit.router.config.admission!.debounce!;
  const { notBefore } = item;
  const fireAt = Math.max(unit.now + period_ms, notBefore);
  const { debounce } = item.groups;
  const recent =
    notBefore === 0 && mayWaitRecent(unit.state, unit.depth, period_ms) && unit.groups.tellWindow(item);
  if (!recent) {
    const window = { kind: "debounce", item: item.id, firstAt: unit.now, notBefore, fireAt } as const;
    unit.setGroup(nameOfGroup("debounce", debounce), window);
  }
  item.notBefore = fireAt;
  item.recent = recent;
}

/** One more for an open window: the same item, later, with what the pool wants of the two. It lives as long as either may. */
export function coalesce(unit: UnitOfWork, open: Item, body: Body, item: Item): void {
  const { period_ms, max_wait_ms, take } = unit.router.config.admission!.debounce!;
  const { debounce } = open.groups;
  const window = unit.groups.window(debounce);
  if (!window) return;
  const latest = max_wait_ms === undefined ? Number.MAX_SAFE_INTEGER : window.firstAt + max_wait_ms;
  const fireAt = Math.max(unit.now, window.notBefore, Math.min(unit.now + period_ms, latest));
  if (unit.groups.hasRow("debounce", debounce))
    unit.setGroup(nameOfGroup("debounce", debounce), { ...window, fireAt });
  const changed = copyItem(open);
  if (take === "last") replaceBy(changed, item);
  changed.notBefore = fireAt;
  changed.coalesced++;
  changed.updatedAt = unit.now;
  changed.version++;
  const endless = item.expiresAt === 0 || open.expiresAt === 0;
  changed.expiresAt = endless ? 0 : Math.max(item.expiresAt, open.expiresAt);
  unit.change(open, changed, "coalesced", take === "last" ? { body } : {});
}

/**
 * Everything that the last request asked for. The item keeps its id, its arrival and its singleton key, which it has held
 * since the window opened.
 */
function replaceBy(open: OwnItem, item: Item): void {
  const { key, band, cost, bytes, classNo, flow, sticky, groups, traceparent } = item;
  open.key = key;
  open.band = band;
  open.cost = cost;
  open.bytes = bytes;
  open.classNo = classNo;
  open.flow = flow;
  open.sticky = sticky;
  open.traceparent = traceparent;
  open.groups = { ...groups, singleton: open.groups.singleton };
}

/** What the payload that stays takes more than the one that is there. */
export function coalescedBytes(unit: UnitOfWork, open: Item, { bytes }: Item): number {
  return unit.router.config.admission!.debounce!.take === "last" ? bytes - open.bytes : 0;
}

/** The window ends with its item's wait, however that ends. */
export function closeDebounce(unit: UnitOfWork, item: Item): void {
  const { debounce } = item.groups;
  // Of a recent one there is no row.
  if (!debounce || item.state !== "scheduled" || isRecent(unit.state, item)) return;
  if (unit.groups.window(debounce)?.item === item.id) unit.setGroup(nameOfGroup("debounce", debounce), null);
}
