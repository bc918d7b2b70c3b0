import type { Event as QueueEvent, State as QueueState } from "../../../actors/queues/state.ts";
import type { RouterView } from "../../../actors/shared/router.ts";
import type { AnyActorDefinition, Context, Decision, RowWriter } from "../../../runtime/index.ts";
import type { PlantedBug } from "../planted.ts";

/** Bugs of the modules: each wraps what a module decides or writes. */
export const moduleBugs: readonly PlantedBug[] = [
  {
    name: "the lease fence is not checked",
    breakActor: deciding("queue", (decide, state, command, context) => {
      if (!("entries" in command)) return decide(command, context);
      const { leases } = state as QueueState;
      const entries = (command.entries as Settle[]).map((entry) => ({
        ...entry,
        token: leases.get(entry.id)?.lease?.token ?? entry.token,
      }));
      return decide({ ...command, entries }, context);
    }),
  },
  {
    name: "a recipient's slot is not given back when a lease expires",
    breakActor: deciding("queue", (decide, _state, command, context) => {
      const decision = decide(command, context);
      if (command.type !== "tick" || !("twins" in decision)) return decision;
      const router = (decision.twins!.router ?? []) as { type: string }[];
      return { ...decision, twins: { router: router.filter(({ type }) => type !== "leases_changed") } };
    }),
  },
  {
    name: "one lease too many of a concurrency group",
    breakActor: deciding("queue", (decide, _state, command, context) =>
      decide(
        command,
        changed(context, { twin: (kind: string) => widened(kind, context.twin<RouterView>(kind)) }),
      ),
    ),
  },
  {
    name: "leases and delays end early",
    breakActor: deciding("queue", (decide, _state, command, context) =>
      decide(command, command.type === "tick" ? changed(context, { now: context.now + 700 }) : context),
    ),
  },
  {
    name: "the row of a lease outlives the lease",
    breakActor: writing("queue", (rows) => ({
      delete: (collection, key) => {
        if (collection !== "lease") rows.delete(collection, key);
      },
    })),
  },
  {
    name: "a throttle is not stored",
    breakActor: writing("queue", (rows) => ({
      put: (collection, key, value) => {
        if (collection !== "group" || key[0] !== "throttle") rows.put(collection, key, value);
      },
    })),
  },
  {
    name: "an admission key is leaked: its group is never forgotten",
    breakActor: applying("queue", (apply, event) => {
      const { groups } = event as Extract<QueueEvent, { type: "changed" }>;
      const kept = groups?.filter(([hold, group]) => group !== null || !hold.startsWith("concurrency:"));
      apply(kept ? { ...(event as object), groups: kept } : event);
    }),
  },
  {
    name: "a release is not published",
    breakActor: writing("queue", (rows) => ({
      publish: (kind, subject, payload) => {
        if (kind !== "queue_item.released") rows.publish(kind, subject, payload);
      },
    })),
  },
  {
    name: "a reservation is never given back",
    breakActor: deciding("router", (decide, _state, command, context) =>
      command.type === "timer" ? { events: [] } : decide(command, context),
    ),
  },
  {
    name: "a decision is recorded with the wrong version of the table",
    breakActor: applying("router", (apply, event) => {
      const routed = event as { type: string; record?: readonly unknown[] };
      apply(
        routed.type === "routed"
          ? { ...routed, record: routed.record!.with(1, Number(routed.record![1]) - 1) }
          : event,
      );
    }),
  },
  {
    name: "an outcome is not stored",
    breakActor: writing("router", (rows) => ({
      put: (collection, key, value) => {
        if (collection !== "outcomes") rows.put(collection, key, value);
      },
    })),
  },
];

interface Settle {
  readonly id: string;
  readonly token: string;
}

type Command = { readonly type: string; readonly entries?: readonly unknown[] };
type Break = (actor: AnyActorDefinition) => AnyActorDefinition;

function deciding(
  kind: string,
  instead: (
    decide: (command: Command, context: Context) => Decision<unknown>,
    state: unknown,
    command: Command,
    context: Context,
  ) => Decision<unknown>,
): Break {
  return (actor) => {
    if (actor.kind !== kind) return actor;
    return {
      ...actor,
      decide: (state, command, context) =>
        instead((given, within) => actor.decide(state, given, within), state, command as Command, context),
    };
  };
}

function applying(kind: string, instead: (apply: (event: unknown) => void, event: unknown) => void): Break {
  return (actor) => {
    if (actor.kind !== kind) return actor;
    return {
      ...actor,
      apply: (state, event, rows) => instead((given) => actor.apply(state, given, rows), event),
    };
  };
}

function writing(kind: string, instead: (rows: RowWriter) => Partial<RowWriter>): Break {
  return (actor) => {
    if (actor.kind !== kind) return actor;
    return {
      ...actor,
      apply: (state, event, rows) => actor.apply(state, event, changed(rows, instead(rows))),
    };
  };
}

/** The same object but for some of its members. */
function changed<T extends object>(original: T, members: object): T {
  return new Proxy(original, {
    get: (target, name) => {
      if (name in members) return members[name as keyof typeof members];
      const value: unknown = target[name as keyof T];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function widened(kind: string, router: RouterView): RouterView {
  const { admission } = router.config ?? {};
  if (kind !== "router" || admission === undefined) return router;
  const concurrency = admission.concurrency.map((control) => ({ ...control, limit: control.limit + 1 }));
  return changed(router, { config: { ...router.config, admission: { ...admission, concurrency } } });
}
