import { type AnyActorDefinition, defineActor } from "#runtime";
import { answering } from "../../kit/methods.ts";
import { endAllSessions, type SessionMessage } from "../record.ts";
import { type Command, decide } from "./decide.ts";
import { apply, empty, resident, restore } from "./state.ts";

export const sessionListActor: AnyActorDefinition = defineActor({
  kind: endAllSessions.kind,
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  methods: { [endAllSessions.name]: answering(endAllSessions, (): Command => ({ type: "end_all" })) },
  onMessage: (message: SessionMessage): Command => message,
});
