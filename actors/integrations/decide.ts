import type { Context, Decision } from "#runtime";
import { decideRecord, type RecordCommand } from "../kit/decide.ts";
import { deletedRows, integrationResource, messageOf, type State } from "./record.ts";
import type { Event } from "./state.ts";

export function decide(state: State, command: RecordCommand, context: Context): Decision<Event> {
  // Also one that is deleted is shown: deliveries name it.
  if (command.type === "get_record" && state.deleted.some(({ id }) => id === command.id)) {
    const deleted = context.get(deletedRows, [command.id]);
    if (deleted) return { events: [], answer: messageOf(deleted, state) };
  }
  return decideRecord(integrationResource, state, command, context);
}
