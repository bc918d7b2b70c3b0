import type { Context, Decision } from "#runtime";
import { after, listed, type PageRequest, pageOf } from "../../kit/list.ts";
import type { Message } from "../../kit/record.ts";
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
  /** Of recipients. */
  readonly name?: string;
}

/** A page of recipients or rules: all of them are in memory. */
export function listChildren(state: State, command: ListChildren, context: Context): Decision<Event> {
  const { list, request } = command;
  const ids = filtered(state, command, context);
  const page = pageOf<string, Message>(
    request,
    {
      scope: [state.tenant, state.pool!.id, list, request.status, request.name, "id"],
      shape: ["string"],
      positionOf: (id) => [id],
      read: (bounds) => {
        const { total, ...found } = after(ids, bounds, (id, [last]) => id > String(last));
        return request.name === undefined ? { ...found, total: ids.length } : found;
      },
    },
    (id) => (list === "rules" ? ruleMessage : recipientMessage)(state, id, context),
  );
  return listed(list, page);
}

function filtered(
  state: State,
  { list, request: { status, name } }: ListChildren,
  context: Context,
): readonly string[] {
  if (list === "rules") return ruleIdsOf(state);
  if (status === undefined && name === undefined) return recipientIdsOf(state);
  const { recipients } = context.twin<RouterView>("router");
  return recipientIdsOf(state).filter((id) => {
    const recipient = state.recipients.get(id)!;
    if (name !== undefined && recipient.name !== name) return false;
    return status === undefined || recipientStatus(recipient, recipients.get(id)) === status;
  });
}
