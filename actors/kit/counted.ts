import type { AnyActorDefinition } from "#runtime";

/**
 * The same entity, with what becomes of it seen: what it decides and writes stays as it is. Seen when it is decided, so a
 * commit that is lost with its thread may be counted again.
 */
export function counted<State, Event>(
  definition: AnyActorDefinition,
  count: (state: State, event: Event) => void,
): AnyActorDefinition {
  return {
    ...definition,
    apply(state, event, rows) {
      count(state as State, event as Event);
      definition.apply(state, event, rows);
    },
  };
}
