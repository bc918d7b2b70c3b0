import { isRefusal } from "#base";
import type { Context, Decision } from "#runtime";
import { cutToBytes, type PageRequest, pageBounds, sealCursor } from "../../kit/cursor.ts";
import { recipientStatus } from "../pool-record.ts";
import type { RouterView } from "../router.ts";
import { recipientMessage, ruleMessage } from "./resources.ts";
import { type Event, recipientIdsOf, ruleIdsOf, type State } from "./state.ts";

export interface ListChildren {
  readonly type: "list";
  readonly list: "recipients" | "rules";
  readonly poolId: string;
  readonly request: ListRequest;
}

export interface ListRequest extends PageRequest {
  readonly status?: string;
}

/** A page of recipients or rules: all of them are in memory. */
export function listChildren(state: State, command: ListChildren, context: Context): Decision<Event> {
  const { list, request } = command;
  const scope = [state.tenant, state.pool!.id, list, request.status, "id"];
  const bounds = pageBounds(request, state.seal, scope);
  if (isRefusal(bounds)) return bounds;
  const ids = filtered(state, command, context);
  const start = bounds.after ? ids.findIndex((id) => id > bounds.after![0]!) : bounds.offset;
  const page = start === -1 ? [] : ids.slice(start, start + bounds.size);
  const messageOf = list === "rules" ? ruleMessage : recipientMessage;
  const shown = cutToBytes(page.map((id) => messageOf(state, id, context)));
  const more = start !== -1 && start + shown.length < ids.length;
  const answer = {
    [list]: shown,
    next_page_token: more ? sealCursor(state.seal, scope, [page[shown.length - 1]!]) : "",
    total: ids.length,
  };
  return { events: [], answer };
}

function filtered(
  state: State,
  { list, request: { status } }: ListChildren,
  context: Context,
): readonly string[] {
  if (list === "rules") return ruleIdsOf(state);
  if (status === undefined) return recipientIdsOf(state);
  const { recipients } = context.twin<RouterView>("router");
  return recipientIdsOf(state).filter(
    (id) => recipientStatus(state.recipients.get(id)!, recipients.get(id)) === status,
  );
}
