import { isRefusal, type Refusal } from "#base";
import type { Context } from "#runtime";
import { byIdIn } from "../../../kit/collection.ts";
import { listJobs } from "../../../kit/jobs.ts";
import {
  boundsOf,
  type PageRequest,
  type Position,
  type PositionShape,
  pageFrom,
} from "../../../kit/list.ts";
import type { RouterView } from "../../router.ts";
import { filterRefusal } from "../jobs/filter.ts";
import type { Item } from "../rows/item.ts";
import type { State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { type GroupList, groupsAfter, type Named } from "./list-groups.ts";
import { type ItemList, itemsAfter } from "./list-items.ts";
import { Rooms } from "./room.ts";
import { fullMessage } from "./view.ts";

export type ListCommand = ItemList | GroupList | JobList;

interface JobList {
  readonly type: "list_jobs";
  readonly page: PageRequest;
}

type Message = Record<string, unknown>;

/**
 * One page, by id. `total` is exact where a counter knows it. A filter that lets little through is not followed through a
 * million rows: the page ends where the look ended, with a cursor that goes on from there.
 */
export function list(state: State, command: ListCommand, context: Context): Message | Refusal {
  const router = context.twin<RouterView>("router");
  const refused = reachPool(router, context);
  if (refused) return refused;
  const { page: request, ...filter } = command;
  const scope = [router.tenant, router.poolId, filter];
  if (command.type === "list_groups") {
    const groups = { scope, shape, positionOf: ([name]: Named): Position => [name] };
    const bounds = boundsOf(request, groups);
    if (isRefusal(bounds)) return bounds;
    const found = groupsAfter(state, command, context, bounds);
    const { values, ...rest } = pageFrom(groups, bounds, found, ([, message]) => message);
    return { admission_groups: values, ...rest };
  }
  if (command.type === "list_jobs") {
    const page = listJobs(state.jobs, request, scope);
    if (isRefusal(page)) return page;
    const { values, ...rest } = page;
    return { jobs: values, ...rest };
  }
  const bad = filterRefusal(command.filter);
  if (bad) return bad;
  const items = byIdIn<Item>(scope);
  const bounds = boundsOf(request, items);
  if (isRefusal(bounds)) return bounds;
  const found = itemsAfter(state, command, context, bounds);
  const look = { far: false, rooms: new Rooms(state, router, context.now) };
  const show = (item: Item) => fullMessage(state, context, item, look);
  const { values, ...rest } = pageFrom(items, bounds, found, show);
  return { [command.type === "list_items" ? "items" : "dead_letters"]: values, ...rest };
}

const shape: PositionShape = ["string"];
