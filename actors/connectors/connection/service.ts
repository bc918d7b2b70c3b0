import { type AnyActorDefinition, defineActor } from "#runtime";
import type { PageRequest } from "../../kit/list.ts";
import { answered, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import { type Command, decide, wake } from "./decide.ts";
import { apply, empty, resident, restore } from "./state.ts";

const method = (command: (request: Message) => Command) => answered<Command>(command);
const sessionId = (request: Message) => request.connect_session_id as string;
const executionId = (request: Message) => request.execution_id as string;
/** A request whose members are those of the command. */
const as = <Type extends Command["type"]>(type: Type) =>
  method((request) => ({ ...request, type }) as unknown as Command);
const asked = <Type extends Command["type"]>(type: Type) =>
  method((request) => ({ type, asked: request }) as unknown as Command);

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
    "ConnectionService.GetConnection": method(() => ({ type: "get" })),
    "ConnectionService.UpdateConnection": method((given) => ({ type: "update", given })),
    "ConnectionService.DeleteConnection": method((request) => ({ type: "delete", ...versionOf(request) })),
    "ConnectionService.DisableConnection": method(() => ({ type: "move", to: "disabled" })),
    "ConnectionService.EnableConnection": method(() => ({ type: "move", to: "active" })),
    "ConnectionService.RevokeConnection": method(() => ({ type: "move", to: "revoked" })),
    "ConnectSessionService.GetConnectSession": method((request) => ({
      type: "get_session",
      id: sessionId(request),
    })),
    "ConnectSessionService.RevokeConnectSession": method((request) => ({
      type: "revoke_session",
      id: sessionId(request),
    })),
    "ConnectorService.GetExecution": method((request) => ({
      type: "get_execution",
      id: executionId(request),
      waitMs: ((request.wait_seconds as number | undefined) ?? 0) * 1_000,
    })),
    "ConnectorService.ListExecutions": method((request) => ({
      type: "list_executions",
      request: request as PageRequest & { status?: string },
    })),
    "ConnectorService.CancelExecution": method((request) => ({
      type: "cancel_execution",
      id: executionId(request),
    })),
    "Connection.Check": as("check"),
    "Connection.AwaitCheck": as("await_check"),
    "Connection.Look": as("look"),
    "Connection.Resolve": as("resolve"),
    "Connection.Reseal": as("reseal"),
    "Connection.CreateSession": asked("create_session"),
    "Connection.LookAtSession": as("look_at_session"),
    "Connection.AwaitSession": as("await_session"),
    "Connection.Submit": asked("submit"),
    "Connection.Authorize": asked("authorize"),
    "Connection.Callback": asked("callback"),
    "Connection.Execute": asked("execute"),
    "Connection.Attempt": as("attempt"),
    "Connection.AwaitExecution": as("get_execution"),
    "TriggerSubscriptionService.DeleteTriggerSubscription": method((request) => ({
      type: "unsubscribe",
      id: request.trigger_subscription_id as string,
      ...versionOf(request),
    })),
    "Connection.Subscribe": asked("subscribe"),
    "Connection.LookAtSubscription": as("look_at_subscription"),
    "Connection.UpdateSubscription": asked("update_subscription"),
    "Connection.ResealSubscription": asked("reseal_subscription"),
    "Connection.Receive": asked("receive"),
    "Connection.PollState": as("poll_state"),
    "Connection.Unseen": as("unseen"),
    "Connection.Delivery": asked("delivery"),
  },
  onEffect: (step): Command => ({ type: "effect", step }),
  onTimer: (id): Command => ({ type: "timer", id }),
  onMessage: (message): Command => message as Command,
});
