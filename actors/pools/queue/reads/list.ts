import { isRefusal, type Refusal } from "#base";
import type { Context } from "#runtime";
import { cutToBytes, pageBounds, sealCursor } from "../../../kit/cursor.ts";
import type { RouterView } from "../../router.ts";
import { reachPool } from "../draft/pool.ts";
import type { Missing } from "../rows/missing.ts";
import type { State } from "../state.ts";
import { type GroupList, groupsAfter } from "./list-groups.ts";
import { type ItemList, itemsAfter, totalOf } from "./list-items.ts";
import { Rooms } from "./room.ts";
import { fullMessage } from "./view.ts";

export type ListCommand = ItemList | GroupList;

type Message = Record<string, unknown>;

/**
 * One page, by id. `total` is exact where a counter knows it. A filter that lets little through is not followed through a
 * million rows: the page ends where the look ended, with a cursor that goes on from there.
 */
export function list(
  state: State,
  command: ListCommand,
  context: Context,
  missing: Missing,
): Message | Refusal {
  const router = context.twin<RouterView>("router");
  const refused = reachPool(router, context);
  if (refused) return refused;
  const { page, ...filter } = command;
  const scope = [router.tenant, router.poolId, filter];
  const bounds = pageBounds(page, state.seal, scope);
  if (isRefusal(bounds)) return bounds;
  const [after = "", skip = bounds.offset] = (bounds.after ?? []) as [string?, number?];
  const wanted = bounds.size + skip + 1;
  const seal = (id: string, left: number) => sealCursor(state.seal, scope, left > 0 ? [id, left] : [id]);
  if (command.type === "list_groups") {
    const { entries, end } = groupsAfter(state, command, context, missing, after, wanted);
    const shown = entries.slice(skip, skip + bounds.size);
    const more = entries.length > skip + shown.length;
    const token = () => (more ? seal(shown.at(-1)![0], 0) : seal(end, skip - entries.length));
    return {
      admission_groups: shown.map(([, message]) => message),
      next_page_token: more || end ? token() : "",
    };
  }
  const { entries, end } = itemsAfter(state, command, context, missing, after, wanted);
  const look = { far: false, rooms: new Rooms(state, router, context.now) };
  const full = entries
    .slice(skip, skip + bounds.size)
    .map((item) => fullMessage(state, context, item, missing, look));
  if (missing.length > 0) return {};
  const shown = cutToBytes(full);
  const more = entries.length > skip + shown.length;
  const token = () =>
    more ? seal((shown.at(-1) as { id: string }).id, 0) : seal(end, skip - entries.length);
  const total = totalOf(state, command);
  return {
    [command.type === "list_items" ? "items" : "dead_letters"]: shown,
    next_page_token: more || end ? token() : "",
    ...(total !== undefined && { total }),
  };
}
