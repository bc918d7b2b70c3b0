import type { Orchestration } from "../../../actors/module.ts";
import { pools } from "../../../actors/pools/index.ts";
import type { QueueJob, QueueJobsEvent } from "../../../actors/pools/queue/jobs/job.ts";
import type { Cause } from "../../../actors/pools/queue/rows/change.ts";
import { inMemory } from "../../../actors/pools/queue/rows/changed.ts";
import { dueSorts } from "../../../actors/pools/queue/rows/due.ts";
import type { Event as QueueEvent, State as QueueState } from "../../../actors/pools/queue/state.ts";
import type { RouterView } from "../../../actors/pools/router.ts";
import type { Asker } from "../../../runtime/index.ts";
import { Parking } from "../../../runtime/thread/parking.ts";
import { Thread } from "../../../runtime/thread/thread.ts";
import { type PlantedBug, replace } from "../planted.ts";
import { applying, changed, deciding, except, writing } from "./breaking.ts";
import { forgettingBugs } from "./forgetting-bugs.ts";
import { streamBugs } from "./stream-bugs.ts";
import { watchBugs } from "./watch-bugs.ts";

/** Bugs of the modules: each wraps what a module decides or writes. */
const moduleBugs: readonly PlantedBug[] = [
  {
    name: "a long poll that was answered is counted for ever",
    plant: () => replace(Parking.prototype, "left", () => undefined),
  },
  {
    name: "a long poll that its caller gave up is never answered",
    plant: () =>
      replace(Thread.prototype, "post", (post, [ask, reply]) =>
        post(ask, (answer) => {
          if (!ask.signal?.aborted) reply(answer);
        }),
      ),
  },
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
    breakActor: writing("queue", (rows) => except(rows, "lease")),
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
    name: "the timer of a throttle is not stored",
    breakActor: writing("queue", (rows) => ({
      put: (collection, key, value) => {
        if (collection !== "due" || key[1] !== dueSorts.indexOf("throttle")) rows.put(collection, key, value);
      },
    })),
  },
  {
    name: "an admission key is leaked: its group is never forgotten",
    breakActor: applying("queue", (apply, event) => {
      const { groups } = event as Extract<QueueEvent, { type: "changed" }>;
      const kept = groups?.filter(
        ([groupName, group]) => group !== null || !groupName.startsWith("concurrency:"),
      );
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
  {
    name: "a drain leaves its items in their groups",
    breakActor: applying("queue", (apply, event) => {
      apply(happens(event as QueueEvent, "drained") ? { ...(event as object), groups: [] } : event);
    }),
  },
  {
    name: "a purged dead letter stays in the order of failures",
    breakActor: applying("queue", (apply, event, rows) => {
      apply(event, happens(event as QueueEvent, "purged") ? changed(rows, except(rows, "failed")) : rows);
    }),
  },
  {
    name: "a purged dead letter leaves its history behind",
    breakActor: applying("queue", (apply, event, rows) => {
      apply(event, happens(event as QueueEvent, "purged") ? changed(rows, except(rows, "history")) : rows);
    }),
  },
  {
    name: "a job repeats a page",
    breakActor: applying("queue", (apply, event) => {
      const { type, jobs } = event as Partial<QueueJobsEvent>;
      apply(type === "jobs_changed" ? { ...(event as object), jobs: jobs!.map(fromTheStart) } : event);
    }),
  },
  {
    name: "a large payload is not stored",
    breakActor: writing("queue", (rows) => ({
      put: (collection, key, value) => {
        if (collection !== "body") rows.put(collection, key, value);
      },
    })),
  },
  {
    name: "a clear is answered and not done",
    breakActor: deciding("queue", (decide, _state, command, context) => {
      const decision = decide(command, context);
      return command.type === "clear_group" && "events" in decision ? { events: [] } : decision;
    }),
  },
  {
    name: "a round of work does not tell the router what it took",
    breakActor: deciding("queue", (decide, _state, command, context) => {
      const decision = decide(command, context);
      return command.type === "work" && "events" in decision ? { ...decision, twins: {} } : decision;
    }),
  },
  {
    name: "a redirected item leaves its key behind",
    plant: () =>
      replace(
        pools.orchestrations as Record<string, Orchestration>,
        "QueueService.Enqueue",
        (enqueue, [request, call]) => {
          const ask: Asker["ask"] = ({ idempotency, ...asked }) => {
            const { redirected_in } = asked.request as { redirected_in?: string };
            return call.asker.ask(
              redirected_in === undefined && idempotency ? { ...asked, idempotency } : asked,
            );
          };
          return enqueue(request, { ...call, asker: { ...call.asker, ask } });
        },
      ),
  },
  {
    name: "an extension is answered and not done",
    breakActor: deciding("queue", (decide, _state, command, context) => {
      const decision = decide(command, context);
      const extends_ = command.entries?.every(
        (entry) => (entry as { outcome?: string }).outcome === "extend",
      );
      return command.type === "settle" && extends_ && "events" in decision ? { events: [] } : decision;
    }),
  },
  {
    name: "a silent recipient does not go offline",
    breakActor: deciding("router", (decide, _state, command, context) => {
      const { type, id } = command as { type: string; id?: string };
      return type === "timer" && id!.startsWith("heartbeat:") ? { events: [] } : decide(command, context);
    }),
  },
  {
    name: "an answer goes on changing with the queue",
    breakActor: (actor) => {
      const enqueue = actor.methods["QueueService.Enqueue"];
      if (enqueue === undefined) return actor;
      const respond: typeof enqueue.respond = (state, ...rest) => ({
        ...(enqueue.respond(state, ...rest) as object),
        counts: (state as QueueState).counts,
      });
      return { ...actor, methods: { ...actor.methods, "QueueService.Enqueue": { ...enqueue, respond } } };
    },
  },
  {
    name: "recent items are forgotten at a restart",
    breakActor: writing("queue", (rows) => ({
      put: (collection, key, value) => {
        const isStats = collection === "meta" && key[0] === "stats";
        rows.put(collection as string, key, isStats ? (value as unknown[]).with(recentCountAt, 0) : value);
      },
    })),
  },
];

export const routingBugs: readonly PlantedBug[] = [
  ...moduleBugs,
  ...streamBugs,
  ...forgettingBugs,
  ...watchBugs,
];

/** The index of the number of recent items in the stats of a queue. */
const recentCountAt = 14;

function happens(event: QueueEvent, cause: Cause): boolean {
  return event.type === "changed" && [...event[inMemory]!.values()].some((change) => change.cause === cause);
}

interface Settle {
  readonly id: string;
  readonly token: string;
}

function fromTheStart(job: QueueJob): QueueJob {
  return { ...job, cursor: "" };
}

function widened(kind: string, router: RouterView): RouterView {
  const { admission } = router.config ?? {};
  if (kind !== "router" || admission === undefined) return router;
  const concurrency = admission.concurrency.map((control) => ({ ...control, limit: control.limit + 1 }));
  return changed(router, { config: { ...router.config, admission: { ...admission, concurrency } } });
}
