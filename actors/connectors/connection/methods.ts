import { contractMethod, method } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import type { Pending, Polling, Subscription } from "../subscription/record.ts";
import type { Command } from "./decide.ts";
import type { Attempted } from "./executions.ts";
import type { Connection, Session } from "./record.ts";
import type { Check } from "./state.ts";

/** What a command of this type is made of. */
type Given<Type extends Command["type"]> = Omit<Extract<Command, { type: Type }>, "type">;

/** The questions of this module to the entity of a connection. A session or subscription is in the entity that its id names. */
function of<Type extends Command["type"]>(type: Type) {
  return <Response>(name: string) => ({ ...method<Given<Type>, Response>("connection", name), type });
}

type Shown = Message & { readonly id: string };

export interface FoundSession {
  readonly session: Session;
  readonly record: Connection;
}

export interface FoundSubscription {
  readonly subscription: Subscription;
  readonly record: Connection;
  readonly message: Message;
}

export interface Delivery {
  readonly subscription: Subscription;
  readonly pending: Pending;
  readonly event: unknown;
  readonly environment: string;
}

export const getConnection = {
  ...contractMethod<object, Message>("connection", "ConnectionService.GetConnection"),
  type: "get" as const,
};
export const look = of("look")<Connection>("Look");
export const resolve = of("resolve")<Connection>("Resolve");
export const reencrypt = of("reencrypt")<{ readonly reencrypted: boolean }>("Reencrypt");
export const check = of("check")<object>("Check");
export const awaitCheck = of("await_check")<{ readonly connection: Message; readonly check: Check }>(
  "AwaitCheck",
);
export const createSession = of("create_session")<Shown>("CreateSession");
export const lookAtSession = of("look_at_session")<FoundSession>("LookAtSession");
export const awaitSession = of("await_session")<Message>("AwaitSession");
export const submitSession = of("submit")<Message>("Submit");
export const authorize = of("authorize")<Message>("Authorize");
export const callback = of("callback")<Message>("Callback");
export const execute = of("execute")<Shown>("Execute");
export const attempt = of("attempt")<Attempted>("Attempt");
export const awaitExecution = of("get_execution")<Message>("AwaitExecution");
export const subscribe = of("subscribe")<FoundSubscription>("Subscribe");
export const lookAtSubscription = of("look_at_subscription")<FoundSubscription>("LookAtSubscription");
export const updateSubscription = of("update_subscription")<FoundSubscription>("UpdateSubscription");
export const reencryptSubscription = of("reencrypt_subscription")<{ readonly reencrypted: boolean }>(
  "ReencryptSubscription",
);
export const receive = of("receive")<{ readonly duplicate: boolean }>("Receive");
export const pollState = of("poll_state")<{ readonly subscription: Subscription; readonly polling: Polling }>(
  "PollState",
);
export const unseen = of("unseen")<{ readonly unseen: readonly string[] }>("Unseen");
export const delivery = of("delivery")<Delivery>("Delivery");
