import { LiveStream } from "../../../actors/workflow-streams/stream/handlers/live-stream.ts";
import type { State } from "../../../actors/workflow-streams/stream/record.ts";
import type { AnyActorDefinition } from "../../../runtime/index.ts";
import { type PlantedBug, replace } from "../planted.ts";

type Command = { readonly type: string; readonly [name: string]: unknown };

/** Bugs of the streams and of their subscriptions. */
export const streamsBugs: readonly PlantedBug[] = [
  {
    name: "duplicates at the boundary are sent",
    plant: () =>
      replace(LiveStream.prototype, "after", (after, [sequence], self) =>
        after(sequence > 0 && sequence < self.latest ? sequence - 1 : sequence),
      ),
  },
  {
    name: "a gap between a reader and the live records is not repaired",
    plant: () =>
      replace(
        LiveStream.prototype,
        "after",
        (after, [sequence], self) => after(sequence) ?? after(self.latest - 1),
      ),
  },
  {
    name: "a reader that retention has passed is not told",
    breakActor: deciding("read", (state, command) => ({
      state,
      command: { ...command, after_sequence: Math.max(command.after_sequence as number, state.head.floor) },
    })),
  },
  {
    name: "rows are deleted before the floor is published",
    faults: { crowded: true },
    breakActor(actor) {
      const broken = new WeakSet<State>();
      const deleting = applying("floor_moved", (state, { to }, rows) => {
        rows.deleteRange("chunks", [0], [(to as number) + 1]);
        broken.add(state);
      });
      // The floor never moves, so the next step would come at once, again and again: it comes with the next append.
      const once = applying("trim_due", (state, event, _rows, apply) =>
        apply(broken.has(state) ? { type: "trim_due" } : event),
      );
      return once(deleting(actor));
    },
  },
  {
    name: "retention goes on under a hold",
    breakActor: deciding("trim", (state, command) => {
      const { hold: _, ...head } = state.head;
      return { state: { ...state, head }, command };
    }),
  },
  {
    name: "an acknowledgement goes back",
    breakActor: deciding("acknowledge", (state, command) => ({
      state: { ...state, consumers: new Map() },
      command,
    })),
  },
  {
    name: "a producer's repeat is appended again",
    breakActor: applying("appended", (_state, event, _rows, apply) => {
      const { producer: _, ...rest } = event;
      apply(rest);
    }),
  },
  {
    name: "an append is taken after the close",
    breakActor: deciding("append", (state, command) => {
      const { closedAt: _, ...head } = state.head;
      return { state: { ...state, head }, command };
    }),
  },
  {
    name: "the floor goes back when an owner is replaced",
    breakActor: (actor) =>
      actor.kind !== "stream"
        ? actor
        : {
            ...actor,
            restore(state, row) {
              actor.restore(state, row);
              const { head } = state as State;
              head.floor = Math.max(0, head.floor - 5);
            },
          },
  },
];

type Rows = Parameters<AnyActorDefinition["apply"]>[2];

function deciding(
  type: string,
  instead: (state: State, command: Command) => { readonly state: State; readonly command: Command },
): NonNullable<PlantedBug["breakActor"]> {
  return (actor) =>
    actor.kind !== "stream"
      ? actor
      : {
          ...actor,
          decide(state, command, context) {
            if ((command as Command).type !== type) return actor.decide(state, command, context);
            const changed = instead(state as State, command as Command);
            return actor.decide(changed.state, changed.command, context);
          },
        };
}

function applying(
  type: string,
  instead: (state: State, event: Command, rows: Rows, apply: (event: unknown) => void) => void,
): NonNullable<PlantedBug["breakActor"]> {
  return (actor) =>
    actor.kind !== "stream"
      ? actor
      : {
          ...actor,
          apply(state, event, rows) {
            if ((event as Command).type !== type) return actor.apply(state, event, rows);
            instead(state as State, event as Command, rows, (one) => actor.apply(state, one, rows));
          },
        };
}
