import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import { type Event, objectRows, type State, type StreamPurge } from "./stream.ts";

/** Of a deleted tenant: objects first, some at a time, then all rows. A stream with a legal hold stays, and is asked again later. */
export function purge(
  { definition, head }: State,
  { tenant, runId, id }: StreamPurge,
  context: Context,
): Decision<Event> {
  if (definition && head.hold) return { events: [] };
  const found = definition ? context.scan(objectRows, { limit: limits.purgeStepMax }) : [];
  if (found.length === 0) return { events: [{ type: "purged", tenant, runId, id }], frees: true };
  const objects = found.map(({ value }) => value);
  return { events: [{ type: "objects_purged", objects }], frees: true };
}

export function purgeOn(state: State, context: Context): Decision<Event> {
  if (!state.definition) return { events: [] };
  const { tenant, runId, id } = state.definition;
  return purge(state, { type: "purge", tenant, runId, id }, context);
}
