import { type AnyActorDefinition, defineActor } from "#runtime";
import { answered, takes, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import { type Command, decide, wake } from "./decide.ts";
import * as methods from "./methods.ts";
import { apply, empty, resident, restore } from "./state.ts";

const method = <Request = Message>(command: (request: Request) => Command) => answered(command);
const takenAs = (type: Command["type"]) => takes<Command>(type);
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

export const connectionActor: AnyActorDefinition = defineActor({
  kind: "connection",
  placement: "key",
  empty,
  resident,
  restore,
  environmentOf: ({ record }) => record?.environment,
  decide,
  apply,
  wake,
  methods: {
    "ConnectionService.UpdateConnection": takenAs("update"),
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
    "ConnectorService.ListExecutions": takenAs("list_executions"),
    "ConnectorService.CancelExecution": method(({ execution_id: id }: OfExecution) => ({
      type: "cancel_execution",
      id,
    })),
    "TriggerSubscriptionService.DeleteTriggerSubscription": method((request: OfSubscription) => ({
      type: "unsubscribe",
      id: request.trigger_subscription_id,
      ...versionOf(request),
    })),
    ...Object.fromEntries(Object.values(methods).map(({ name, type }) => [name, takenAs(type)])),
  },
  onEffect: (step): Command => ({ type: "effect", step }),
  onTimer: (id): Command => ({ type: "timer", id }),
  onMessage: (message: Command) => message,
});
