import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { partsOf } from "../memory/hot-rows.ts";
import { byLine } from "../memory/ready-index.ts";
import { beyondReach, isBacklog } from "../memory/recent-line.ts";
import { SortedWindow } from "../memory/sorted-window.ts";
import type { Change, Place } from "../rows/change.ts";
import { type ChangedEvent, changesTo } from "../rows/changed.ts";
import { dueKey } from "../rows/due.ts";
import { classList, isFinished, isOver } from "../rows/item.ts";
import { arm, countLive } from "../rows/stats.ts";
import { heldLine, type State } from "../state.ts";
import { addDue, moveItem, putGroup, putInLine } from "./move.ts";
import { tellEnds } from "./origins.ts";
import { remember, retain } from "./retain.ts";

export function applyChanges(state: State, event: ChangedEvent, rows: RowWriter): void {
  for (const spec of event.classes ?? []) {
    state.classes.put(spec);
    state.ready.reset(classList(spec.no));
    rows.put("class", [spec.no], spec);
  }
  const changes = changesTo(state, event, rows.now);
  openHeldWindows(state, event, changes);
  countClasses(state, changes, rows);
  countSteps(state, changes, rows.now);
  let index = 0;
  for (const change of changes.values()) moveItem(state, change, event.changes[index++]![1], rows);
  state.leaseRows.endStep();
  applyGroups(state, event, rows);
  for (const [flow, finish] of event.flows ?? []) {
    state.flows.set(flow, finish);
    rows.put("flow", partsOf(flow), finish);
  }
  if (event.virtualTime)
    for (const [band, time] of event.virtualTime.entries()) state.virtualTime[band] = time;
  state.order = event.order;
  if (event.retentionMs !== undefined) {
    retain(state, event.order, event.retentionMs, changes, rows);
    remember(state, event.retentionMs, event.remembered ?? [], rows);
  }
  if (state.origins.size > 0) tellEnds(state, changes, rows);
  if (state.watched.isOpen) noteMoves(state, changes);
  countLive(state);
  const beyond = beyondReach(state);
  if (beyond > 0) putInLine(state, beyond, rows);
  if (isBacklog(state)) arm(state, rows.now + limits.queueLineSoonMs, rows);
  state.news.add(changes);
}

function noteMoves({ watched }: State, changes: Changes): void {
  for (const { item, gone } of changes.values())
    if (gone || item.lease || isOver(item.state)) watched.note(item.id);
}

function applyGroups(state: State, event: ChangedEvent, rows: RowWriter): void {
  for (const [groupName, group] of event.groups ?? []) putGroup(state, groupName, group, rows);
  if (!event.wakes) return;
  for (const due of event.wakes.removed) {
    state.due.remove(due);
    rows.delete("due", dueKey(due));
  }
  for (const due of event.wakes.added) addDue(state, due, rows);
}

type Changes = ReadonlyMap<string, Change>;

const noClass = -1;

/**
 * Classes by their items. Who joins is counted before who leaves, so a class that goes on is not dropped in between. A dead
 * letter keeps its class: a retry brings it back with everything it asked for.
 */
function countClasses(state: State, changes: Changes, rows: RowWriter): void {
  // The class that asks for nothing is always there.
  if (state.classes.size === 1) return;
  for (const by of [1, -1])
    for (const { from, item, gone } of changes.values()) {
      const was = from !== null && !isFinished(from) ? from.classNo : noClass;
      const is = !gone && !isFinished(item) ? item.classNo : noClass;
      const classNo = by === 1 ? is : was;
      if (was === is || classNo === noClass || !state.classes.count(classNo, by)) continue;
      rows.delete("class", [classNo]);
      state.ready.drop(classList(classNo));
      state.recent.drop(classList(classNo));
    }
}

/** The first held items of a group and class: their line is all in memory, there are no rows before them. */
function openHeldWindows(state: State, event: ChangedEvent, changes: Changes): void {
  if (!event.groups) return;
  const moved = new Map<string, { readonly place: Place; by: number }>();
  const count = (place: Place | null, by: number) => {
    if (!place?.heldBy) return;
    const line = heldLine(place.heldBy, place.classNo);
    const counted = moved.get(line);
    if (counted) counted.by += by;
    else moved.set(line, { place, by });
  };
  for (const { from, item } of changes.values()) {
    count(from, -1);
    count(item, 1);
  }
  if (moved.size === 0) return;
  const groups = new Map(event.groups);
  for (const [line, { place, by }] of moved) {
    const group = groups.get(place.heldBy);
    if (group === undefined) continue;
    const held = (group && "held" in group ? group.held : {})[place.classNo] ?? 0;
    if (held === by) state.heldLines.set(line, new SortedWindow(byLine, limits.queueHeldWindowMax, true));
  }
}

/** Before they are applied: leases that end here are still known. */
function countSteps(state: State, changes: Changes, now: number): void {
  let claims = 0;
  let waitedMs = 0;
  let completions = 0;
  for (const change of changes.values()) {
    const { cause, item } = change;
    state.totals.count(change, state.leases.get(item.id), now);
    if (cause === "leased") {
      claims++;
      waitedMs += Math.max(0, now - item.readyAt);
    } else if (cause === "completed") completions++;
  }
  if (claims > 0) state.statistics.countClaims(now, claims, waitedMs);
  if (completions > 0) state.statistics.countCompletions(now, completions);
}
