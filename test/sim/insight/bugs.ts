import type { SlotReport } from "../../../actors/health/report/state.ts";
import { type Delivery, openRows, positionRows } from "../../../actors/webhooks/record.ts";
import type { Changed, State } from "../../../actors/webhooks/state.ts";
import type { AnyActorDefinition, RowWriter } from "../../../runtime/index.ts";
import type { PlantedBug } from "../planted.ts";

/** Bugs of endpoints and of reports. */
export const insightBugs: readonly PlantedBug[] = [
  {
    name: "the cursor of an endpoint is not in the commit of its deliveries",
    breakActor: of("webhook", (actor) => ({
      ...actor,
      apply(state, event, rows) {
        const isTaken = ((event as Changed).puts?.length ?? 0) > 0;
        actor.apply(state, event, isTaken ? withoutPosition(rows) : rows);
      },
    })),
  },
  {
    name: "the deliveries are not in the commit that moves the cursor",
    breakActor: of("webhook", (actor) => ({
      ...actor,
      restore(state, row) {
        const isOpen = row.collection === openRows;
        if (!isOpen || (row.value as Delivery).attempts > 0) actor.restore(state, row);
      },
    })),
  },
  {
    name: "deliveries of a subject do not wait for each other",
    breakActor: of("webhook", (actor) => ({
      ...actor,
      decide(state, command, context) {
        const given = command as { readonly type: string; readonly record: object };
        if (given.type !== "create") return actor.decide(state, command, context);
        return actor.decide(state, { ...given, record: { ...given.record, ordering: "none" } }, context);
      },
    })),
  },
  {
    name: "an attempt that was interrupted is taken for a delivery",
    breakActor: of("webhook", (actor) => ({
      ...actor,
      restore(state, row) {
        actor.restore(state, row);
        const { line } = state as State;
        for (const one of line.values()) if (one.state === "sending") line.remove(one.id);
      },
    })),
  },
  {
    name: "the second offer of a report is taken",
    breakActor: of("health", (actor) => ({
      ...actor,
      decide(state, command, context) {
        const { type, ...offered } = command as { readonly type: string } & SlotReport;
        if (type !== "offer") return actor.decide(state, command, context);
        return { events: [{ type: "offered", ...offered }], answer: { report: offered.report } };
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

function withoutPosition(rows: RowWriter): RowWriter {
  return new Proxy(rows, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (name !== "put") return method;
      return (collection: unknown, ...rest: unknown[]) =>
        collection === positionRows ? undefined : method(collection, ...rest);
    },
  });
}
