import { makeDirectory } from "../../../actors/directory/index.ts";
import { meterActor } from "../../../actors/health/meter/service.ts";
import { pools } from "../../../actors/pools/index.ts";
import { poolDirectory } from "../../../actors/pools/pool/directory.ts";
import { derivedGroup } from "../../../actors/pools/queue/memory/derived.ts";
import { Rooms } from "../../../actors/pools/queue/reads/room.ts";
import { waitOf } from "../../../actors/pools/queue/reads/wait.ts";
import { groupFromRow, nameOfGroup } from "../../../actors/pools/queue/rows/group.ts";
import type { HistoryEntry } from "../../../actors/pools/queue/rows/history.ts";
import { type Body, type Item, isWaiting } from "../../../actors/pools/queue/rows/item.ts";
import { isPaused, type State as QueueState } from "../../../actors/pools/queue/state.ts";
import type { State as RouterState } from "../../../actors/pools/router/state.ts";
import type { RouterView } from "../../../actors/pools/router.ts";
import type { AnyActorDefinition, Context } from "../../../runtime/index.ts";
import { liveItems, queueProblems, slotsInUse, storedBodies } from "../../support/queue-check.ts";
import { progressProblems } from "./progress.ts";

export interface QueueAudit {
  /** Contradictions between rows, counters and indexes. */
  readonly problems: readonly string[];
  readonly items: readonly Item[];
  readonly bodies: readonly (readonly [id: string, body: Body])[];
  readonly histories: readonly (readonly [id: string, entry: HistoryEntry])[];
  readonly paused: boolean;
  /** The wait reason that each waiting item reports. */
  readonly waits: readonly (readonly [id: string, reason: string])[];
}

export interface RouterAudit {
  readonly holds: readonly string[];
  /** [bucket, id] and the packed record. */
  readonly routings: readonly (readonly [id: string, record: readonly unknown[]])[];
  readonly outcomes: readonly string[];
  readonly recipients: readonly {
    readonly id: string;
    readonly inFlight: number;
    readonly capacity: number;
    readonly offline: boolean;
    readonly free: boolean;
  }[];
}

type Report = (claim: string) => void;

/**
 * The real modules, each with one more method that returns its whole state, and a check of slots before every command.
 */
export function watchedActors(report: Report): AnyActorDefinition[] {
  const actors = [...[makeDirectory([poolDirectory]), pools].flatMap((module) => module.actors), meterActor];
  return actors.map((actor) => {
    if (actor.kind === "queue") return withAudit(watched(actor, report), queueCollections, auditQueue);
    if (actor.kind === "router")
      return withAudit(actor, ["routings", "outcomes"], auditRouter as Audit<unknown>);
    return actor;
  });
}

const queueCollections = [
  "item",
  "done",
  "dead",
  "quarantined",
  "failed",
  "history",
  "lease",
  "ready",
  "parked",
  "due",
  "fired",
  "group",
  "body",
  "retain",
  "dedup",
  "meta",
  "class",
];

type Audit<State> = (state: State, context: Context) => unknown;
const auditCommand = { type: "~audit" };
const whole = (collection: string) => ({ collection, limit: 100_000 });

function withAudit(
  actor: AnyActorDefinition,
  collections: readonly string[],
  audit: Audit<never>,
): AnyActorDefinition {
  return {
    ...actor,
    decide: (state, command, context) => {
      if (command !== auditCommand) return actor.decide(state, command, context);
      context.prefetch(collections.map(whole));
      return { events: [] };
    },
    methods: {
      ...actor.methods,
      audit: {
        command: () => auditCommand,
        respond: (state, _events, _command, context) => audit(state as never, context),
      },
    },
  };
}

function auditQueue(state: QueueState, context: Context): QueueAudit {
  const stored = (collection: string) => context.range(whole(collection))!;
  const items = liveItems({ state, stored });
  const router = context.twin<RouterView>("router");
  const waiting = items.filter((item) => isWaiting(item.state));
  const rooms = new Rooms(state, router, context.now);
  return {
    problems: queueProblems({ state, stored }),
    items,
    bodies: storedBodies({ state, stored }),
    histories: stored("history").map(({ key, value }) => [key[0] as string, value as HistoryEntry]),
    paused: isPaused(state, context.now),
    waits: waiting.map((item) => {
      const groupName = nameOfGroup("throttle", item.groups.throttle);
      const row = stored("group").find(({ key }) => `${key[0]}:${key[1]}` === groupName);
      const throttled = derivedGroup(state, groupName, row ? groupFromRow(row.value) : null);
      const around = { throttled, ahead: 0, exact: false };
      return [item.id, waitOf(state, router, item, around, context.now, rooms)?.reason ?? "none"];
    }),
  };
}

function auditRouter(state: RouterState, context: Context): RouterAudit {
  return {
    holds: [...state.holds.keys()],
    routings: context
      .range(whole("routings"))!
      .map(({ key, value }) => [key[1] as string, value as readonly unknown[]]),
    outcomes: context.range(whole("outcomes"))!.map(({ key }) => key[1] as string),
    recipients: state.sorted.map(({ id, inFlight, capacity, status, health, offline }) => ({
      id,
      inFlight,
      capacity,
      offline,
      free: status === "active" && health.state === "healthy" && !offline && capacity === 0,
    })),
  };
}

/**
 * Between two commands slots equal leases, in the queue and in its twin, no recipient holds more than allowed, and every lease
 * has its own progress.
 */
function watched(actor: AnyActorDefinition, report: Report): AnyActorDefinition {
  return {
    ...actor,
    decide: (state, command, context) => {
      for (const problem of slotProblems(
        state as QueueState,
        context.twin<RouterState & RouterView>("router"),
      ))
        report(problem);
      for (const problem of progressProblems((state as QueueState).leases.values())) report(problem);
      return actor.decide(state, command, context);
    },
  };
}

function* slotProblems(queue: QueueState, router: RouterState): Generator<string> {
  const byRecipient = new Map<string, number>();
  const byGroup = new Map<string, number>();
  const count = (totals: Map<string, number>, key: string, by: number) =>
    totals.set(key, (totals.get(key) ?? 0) + by);
  for (const { lease, cost, groups } of queue.leases.values()) {
    count(byRecipient, lease!.recipient, cost);
    for (const { id, cost } of groups.concurrency) count(byGroup, id, cost);
  }
  const limit = router.config.admission?.concurrency[0]?.limit ?? Number.MAX_SAFE_INTEGER;
  for (const [id, used] of byGroup)
    if (used > limit) yield `${used} slots of ${id} are in use, ${limit} allowed`;
  const inUse = slotsInUse(queue);
  if (!same(inUse, byGroup)) yield `slots in use are ${text(inUse)}, those of the leases ${text(byGroup)}`;
  const held = new Map<string, number>();
  const inFlight = new Map<string, number>();
  for (const [id, { recipientId, cost }] of router.holds) {
    if (id.startsWith("leases:")) held.set(recipientId, cost);
    count(inFlight, recipientId, cost);
  }
  if (!same(held, byRecipient))
    yield `the router's holds are ${text(held)}, the queue's leases ${text(byRecipient)}`;
  for (const { id, inFlight: said, capacity } of router.recipients.values()) {
    if (said !== (inFlight.get(id) ?? 0)) yield `${id} has ${said} in flight, its holds say otherwise`;
    if (capacity > 0 && said > capacity) yield `${id} has ${said} in flight, its capacity is ${capacity}`;
  }
}

function text(totals: ReadonlyMap<string, number>): string {
  return [...totals].map(([key, total]) => `${key} ${total}`).join(", ") || "none";
}

function same(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
