import type { Context } from "#runtime";
import type { Message } from "../../kit/record.ts";
import { poolResource, recipientResource, ruleResource } from "../pool-record.ts";
import type { RouterView } from "../router.ts";
import { governanceMessage } from "./governance.ts";
import { recipientIdsOf, ruleIdsOf, type State } from "./state.ts";

export function poolMessage(state: State): Message {
  return poolResource(state.pool!, state.tenant, {
    recipientIds: recipientIdsOf(state),
    ruleIds: ruleIdsOf(state),
    governance: governanceMessage(state.governance),
  });
}

/** With what the router knows of it. */
export function recipientMessage(state: State, id: string, context: Context): Message {
  const live = context.twin<RouterView>("router").recipients.get(id);
  return recipientResource(state.recipients.get(id)!, { poolId: state.pool!.id, tenant: state.tenant }, live);
}

export function ruleMessage(state: State, id: string, context: Context): Message {
  const errors = context.twin<RouterView>("router").ruleErrors.get(id) ?? 0;
  return ruleResource(state.rules.get(id)!, { poolId: state.pool!.id, tenant: state.tenant }, errors);
}
