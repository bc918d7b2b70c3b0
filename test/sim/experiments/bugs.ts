import { type Event, type State, scoreRows } from "../../../actors/experiments/units/state.ts";
import type { AnyActorDefinition } from "../../../runtime/index.ts";
import type { PlantedBug } from "../planted.ts";

type Changed = Partial<Pick<AnyActorDefinition, "decide" | "apply" | "beforeCommit">>;

/** Bugs of experiments and of their unit shards. */
export const experimentsBugs: readonly PlantedBug[] = [
  {
    name: "a pause is answered before the unit shards know of it",
    breakActor: breaking("experiment", ({ decide }) => ({
      decide: (...given) => ({ ...decide(...given), awaitDelivery: false }),
    })),
  },
  {
    name: "a unit shard decides by a snapshot that is too old",
    breakActor: units(({ decide }) => ({
      decide: (state, command, context) => decide({ ...(state as State), required: 0 }, command, context),
    })),
  },
  {
    name: "an exposure is stored a second late",
    breakActor: units(({ apply }) => ({
      apply(state, event, rows) {
        const made = event as Event;
        if (made.type !== "put" || made.before) return apply(state, made, rows);
        apply(state, { ...made, after: { ...made.after, exposedAt: made.after.exposedAt + 1_000 } }, rows);
      },
    })),
  },
  {
    name: "a repeated score counts again",
    breakActor: units(({ decide }) => ({
      decide: (state, command, context) =>
        decide(
          state,
          command,
          Object.create(context, {
            get: {
              value: (...[rows, key]: Parameters<typeof context.get>) =>
                rows === scoreRows ? null : context.get(rows, key),
            },
            prefetch: { value: (...refs: Parameters<typeof context.prefetch>) => context.prefetch(...refs) },
          }),
        ),
    })),
  },
  {
    name: "sums are not in the commit of their units",
    breakActor: units(() => ({ beforeCommit: () => {} })),
  },
  {
    name: "a deleted unit stays in the sums",
    breakActor: units(({ apply }) => ({
      apply(state, event, rows) {
        if ((event as Event).type !== "removed") return apply(state, event, rows);
        const { key } = event as Extract<Event, { type: "removed" }>;
        rows.delete("units", [key]);
        (state as State).recent.delete(key);
        rows.deletePrefix("scores", [key]);
      },
    })),
  },
];

function units(change: (actor: AnyActorDefinition) => Changed): NonNullable<PlantedBug["breakActor"]> {
  return breaking("experiment_units", change);
}

function breaking(
  kind: string,
  change: (actor: AnyActorDefinition) => Changed,
): NonNullable<PlantedBug["breakActor"]> {
  return (actor) => (actor.kind === kind ? { ...actor, ...change(actor) } : actor);
}
