import type { Broadcast, SequenceRow, State } from "../../../actors/topics/record.ts";
import type { AnyActorDefinition, Range, RowKey, Rows, StoredRow } from "../../../runtime/index.ts";
import type { PlantedBug } from "../planted.ts";
import { played } from "./played.ts";

type Command = { readonly type: string; readonly [name: string]: unknown };
type Decided = { readonly events: readonly Command[] };
type Context = Parameters<AnyActorDefinition["decide"]>[2];
type Decide = (state: State, command: Command, context: Context) => unknown;

/** Bugs of topics, audiences and attempts. */
export const notifyBugs: readonly PlantedBug[] = [
  {
    name: "the cursor of a broadcast is not in the commit of its messages",
    faults: { crowded: true },
    breakActor: of("topic", (actor) => ({
      ...actor,
      restore(state, row) {
        actor.restore(state, row);
        const { active } = state as State;
        for (const [id, broadcast] of active)
          if (broadcast.state === "expanding") active.set(id, { ...broadcast, cursor: 0 });
      },
    })),
  },
  {
    name: "a member that leaves after the cut-off is lost",
    breakActor: deciding("remove_members", (decide, state, ...rest) =>
      decide(withoutBroadcasts(state), ...rest),
    ),
  },
  {
    name: "a member that changes its context after the cut-off is lost",
    breakActor: deciding("add_members", (decide, state, ...rest) =>
      decide(withoutBroadcasts(state), ...rest),
    ),
  },
  {
    name: "members of a deleted topic are lost to its broadcasts",
    breakActor: onTimer("drop", (decide, state, ...rest) => decide(withoutBroadcasts(state), ...rest)),
  },
  {
    name: "rows of members that left are cleaned before a broadcast has come to them",
    breakActor: onTimer("clean", (decide, state, ...rest) => decide(withoutBroadcasts(state), ...rest)),
  },
  {
    name: "a member that left before the cut-off is reached",
    breakActor: onTimer("step", (decide, state, command, context) =>
      decide(
        state,
        command,
        withRows(context, ({ leftSeq: _, ...row }) => row),
      ),
    ),
  },
  {
    name: "a member that joins after the cut-off is reached",
    breakActor: deciding("broadcast", (decide, state, command, context) => {
      const decided = decide(state, command, context) as Decided;
      const events = decided.events?.map((event) => {
        if (event.type !== "broadcast_accepted") return event;
        const broadcast = event.broadcast as Broadcast;
        return { ...event, broadcast: { ...broadcast, cutoff: broadcast.cutoff + 5 } };
      });
      return events ? { ...decided, events } : decided;
    }),
  },
  {
    name: "the context keys of a member are forgotten",
    breakActor: onTimer("step", (decide, state, command, context) =>
      decide(
        state,
        command,
        withRows(context, (row) => ({ ...row, contextKeys: [] })),
      ),
    ),
  },
  {
    name: "an attempt begins without its mark",
    plant: () => playing((run) => ({ ...run, begin: async () => undefined })),
  },
  {
    name: "an attempt that was interrupted is taken for one that never began",
    plant: () => playing((run) => ({ ...run, begun: false })),
  },
  {
    name: "a grant is spent twice",
    faults: { clock: false, skewMs: 0 },
    breakActor: of("audience", (actor) => ({
      ...actor,
      decide(state, command, context) {
        const given = command as Command;
        if (given.type !== "pacer_granted") return actor.decide(state, command, context);
        const slots = (given.slots as object[]).flatMap((slot) => [slot, slot]);
        return actor.decide(state, { ...given, slots }, context);
      },
    })),
  },
  {
    name: "an audience does not count the members of a part",
    breakActor: of("audience", (actor) => ({
      ...actor,
      apply(state, event, rows) {
        const given = event as Command;
        if (given.type === "fanned" && given.members === 1 && rows.now % 5 === 0) return;
        actor.apply(state, event, rows);
      },
    })),
  },
];

function of(
  kind: string,
  broken: (actor: AnyActorDefinition) => AnyActorDefinition,
): NonNullable<PlantedBug["breakActor"]> {
  return (actor) => (actor.kind === kind ? broken(actor) : actor);
}

function deciding(
  type: string,
  instead: (decide: Decide, ...args: Parameters<Decide>) => unknown,
  fits: (command: Command) => boolean = () => true,
): NonNullable<PlantedBug["breakActor"]> {
  return of("topic", (actor) => ({
    ...actor,
    decide(state, command, context) {
      const given = command as Command;
      if (given.type !== type || !fits(given)) return actor.decide(state, command, context);
      return instead(actor.decide as Decide, state as State, given, context) as ReturnType<
        AnyActorDefinition["decide"]
      >;
    },
  }));
}

function onTimer(name: string, instead: (decide: Decide, ...args: Parameters<Decide>) => unknown) {
  return deciding("timer", instead, ({ id }) => (id as string).startsWith(`${name}:`));
}

function withoutBroadcasts(state: State): State {
  return { ...state, active: new Map() };
}

function withRows(context: Context, change: (row: SequenceRow) => object): Context {
  const scan = (rows: Rows<SequenceRow, RowKey>, range: Range) =>
    context
      .scan(rows, range)
      .map(({ collection, key, value }): StoredRow => ({ collection, key, value: change(value) }));
  return new Proxy(context, {
    get(target, name) {
      if (name === "scan") return scan;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function playing(run: typeof played.run): () => void {
  const before = played.run;
  played.run = run;
  return () => {
    played.run = before;
  };
}
