import { limits } from "#base";
import { type AnyActorDefinition, defineActor } from "#runtime";
import { method } from "../../kit/ask.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { answering, takes } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { CreateRequest, InputMessage, StreamGone } from "../stream/record.ts";
import { type Await, type Command, decide, type ListStreams, type Publish, wake } from "./decide.ts";
import { apply, empty, resident, restore } from "./state.ts";

const kind = "workflow_wait";

export const addStream = method<CreateRequest, { readonly id: string }>(kind, "AddStream");
export const awaitEvent = method<Omit<Await, "type">, Message>(kind, "AwaitEvent");
export const addEvent = method<Omit<Publish, "type">, Message>(kind, "AddEvent");

export const waitsActor: AnyActorDefinition = defineActor({
  kind,
  placement: "key",
  empty,
  resident,
  restore,
  restMs: limits.workflowRestMs,
  decide,
  apply,
  wake,
  methods: {
    [addStream.name]: answering(addStream, (request): Command => ({ type: "create_stream", request })),
    "WorkflowStreamService.ListStreams": takes<ListStreams>("list_streams"),
    [awaitEvent.name]: takes<Await>("wait"),
    [addEvent.name]: takes<Publish>("publish"),
  },
  onMessage: (message: InputMessage | StreamGone | EntityPurge): Command => message,
  onTimer: (): Command => ({ type: "rest" }),
});
