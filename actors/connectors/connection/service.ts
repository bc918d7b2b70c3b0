import { type AnyActorDefinition, defineActor } from "#runtime";
import type { Method } from "../../kit/ask.ts";
import type { PageRequest } from "../../kit/list.ts";
import { answered, answering, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import { type Command, decide, wake } from "./decide.ts";
import * as methods from "./methods.ts";
import { apply, empty, resident, restore } from "./state.ts";

const method = <Request = Message>(command: (request: Request) => Command) => answered(command);
interface OfSession {
  readonly connect_session_id: string;
}
interface OfExecution {
  readonly execution_id: string;
  readonly wait_seconds?: number;
}
interface OfSubscription {
  readonly trigger_subscription_id: string;
  readonly record_version?: number;
}
/** A method whose requests are commands of this type. */
const takes = <Type extends Command["type"]>(of: Method<methods.Given<Type>, unknown>, type: Type) => ({
  [of.name]: answering(of, (given) => ({ ...given, type }) as unknown as Command),
});

export const connectionActor: AnyActorDefinition = defineActor({
  kind: "connection",
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  wake,
  methods: {
    [methods.getConnection.name]: method(() => ({ type: "get" })),
    "ConnectionService.UpdateConnection": method((given) => ({ type: "update", given })),
    "ConnectionService.DeleteConnection": method((request) => ({ type: "delete", ...versionOf(request) })),
    "ConnectionService.DisableConnection": method(() => ({ type: "move", to: "disabled" })),
    "ConnectionService.EnableConnection": method(() => ({ type: "move", to: "active" })),
    "ConnectionService.RevokeConnection": method(() => ({ type: "move", to: "revoked" })),
    "ConnectSessionService.GetConnectSession": method(({ connect_session_id: id }: OfSession) => ({
      type: "get_session",
      id,
    })),
    "ConnectSessionService.RevokeConnectSession": method(({ connect_session_id: id }: OfSession) => ({
      type: "revoke_session",
      id,
    })),
    "ConnectorService.GetExecution": method(({ execution_id: id, wait_seconds = 0 }: OfExecution) => ({
      type: "get_execution",
      id,
      waitMs: wait_seconds * 1_000,
    })),
    "ConnectorService.ListExecutions": method((request: PageRequest & { readonly status?: string }) => ({
      type: "list_executions",
      request,
    })),
    "ConnectorService.CancelExecution": method(({ execution_id: id }: OfExecution) => ({
      type: "cancel_execution",
      id,
    })),
    "TriggerSubscriptionService.DeleteTriggerSubscription": method((request: OfSubscription) => ({
      type: "unsubscribe",
      id: request.trigger_subscription_id,
      ...versionOf(request),
    })),
    ...takes(methods.look, "look"),
    ...takes(methods.resolve, "resolve"),
    ...takes(methods.reencrypt, "reencrypt"),
    ...takes(methods.check, "check"),
    ...takes(methods.awaitCheck, "await_check"),
    ...takes(methods.createSession, "create_session"),
    ...takes(methods.lookAtSession, "look_at_session"),
    ...takes(methods.awaitSession, "await_session"),
    ...takes(methods.submitSession, "submit"),
    ...takes(methods.authorize, "authorize"),
    ...takes(methods.callback, "callback"),
    ...takes(methods.execute, "execute"),
    ...takes(methods.attempt, "attempt"),
    ...takes(methods.awaitExecution, "get_execution"),
    ...takes(methods.subscribe, "subscribe"),
    ...takes(methods.lookAtSubscription, "look_at_subscription"),
    ...takes(methods.updateSubscription, "update_subscription"),
    ...takes(methods.reencryptSubscription, "reencrypt_subscription"),
    ...takes(methods.receive, "receive"),
    ...takes(methods.pollState, "poll_state"),
    ...takes(methods.unseen, "unseen"),
    ...takes(methods.delivery, "delivery"),
  },
  onEffect: (step): Command => ({ type: "effect", step }),
  onTimer: (id): Command => ({ type: "timer", id }),
  onMessage: (message): Command => message as Command,
});
