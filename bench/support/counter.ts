import { type AnyActorDefinition, type Ask, defineActor } from "#runtime";

interface Counter {
  count: number;
}

type CounterCommand =
  | { type: "add" }
  | { type: "read" }
  | { type: "ring"; id: string; dueMs: number }
  | { type: "rung"; id: string }
  | { type: "fill"; from: number; rows: number }
  | { type: "enqueue" };
type CounterEvent =
  | { type: "added"; at: number }
  | { type: "set"; id: string; dueMs: number }
  | { type: "rung" }
  | { type: "filled"; from: number; rows: number }
  | { type: "enqueued"; id: string };

/** How late each timer named `…@due` was handled, in order of arrival. */
export const late: number[] = [];

/** The smallest entity that does something: a number, one row, timers. It measures the runtime around it. */
export const counter: AnyActorDefinition = defineActor<Counter, CounterCommand, CounterEvent>({
  kind: "counter",
  placement: "key",
  empty: () => ({ count: 0 }),
  resident: ["count"],
  restore(state, row) {
    state.count = row.value as number;
  },
  decide(state, command, context) {
    switch (command.type) {
      case "add":
        return { events: [{ type: "added", at: state.count + 1 }] };
      case "read":
        return { events: [] };
      case "ring":
        return { events: [{ type: "set", id: command.id, dueMs: command.dueMs }] };
      case "rung":
        late.push(context.now - Number(command.id.slice(command.id.indexOf("@") + 1)));
        return { events: [{ type: "rung" }] };
      case "fill":
        return { events: [{ type: "filled", from: command.from, rows: command.rows }] };
      case "enqueue":
        return { events: [{ type: "enqueued", id: context.newId() }] };
    }
  },
  apply(state, event, rows) {
    switch (event.type) {
      case "set":
        rows.setTimer(event.id, event.dueMs);
        return;
      case "filled":
        for (let i = 0; i < event.rows; i++) rows.put("rows", [event.from + i], "a row of one entity");
        return;
      case "enqueued":
        state.count++;
        for (const collection of ["items", "line", "bodies", "flows"])
          rows.put(collection, [state.count, event.id], itemRow(event.id));
        rows.put("count", [], state.count);
        rows.publish("enqueued", event.id, { item_id: event.id });
        return;
      case "added":
      case "rung":
        state.count++;
        rows.put("count", [], state.count);
    }
  },
  methods: {
    "Counter.Add": { command: () => ({ type: "add" }), respond: (state) => ({ count: state.count }) },
    "Counter.Enqueue": {
      command: () => ({ type: "enqueue" }),
      respond: (state) => itemRow(String(state.count)),
    },
    "Counter.Read": { command: () => ({ type: "read" }), respond: (state) => ({ count: state.count }) },
    "Counter.Fill": {
      command: (request) => ({ type: "fill", ...(request as { from: number; rows: number }) }),
      respond: () => ({}),
    },
    "Counter.Ring": {
      command: (request) => ({ type: "ring", ...(request as { id: string; dueMs: number }) }),
      respond: () => ({}),
    },
  },
  onTimer: (id) => ({ type: "rung", id }),
});

/** About 200 bytes, like a row of a real module. */
function itemRow(id: string) {
  return {
    item_id: id,
    pool_id: "01HZX5K3J8Q2W4E6R8T0Y2U4I6",
    state: "ready",
    priority: 3,
    enqueued_at: 1_763_190_000_000,
    due_at: 1_763_190_030_000,
    attempts: 0,
    flow_key: "customer-4711",
    labels: { region: "eu", tier: "gold" },
  };
}

const caller = {
  tenant: "bench",
  subject: "bench",
  owner: "bench",
  principalKind: "user",
  requestId: "r",
  environmentMode: "any",
  platform: false,
} as const;

export function counterAsk(method: string, key: string, request: unknown = {}): Ask {
  return {
    to: { kind: "counter", tenant: "bench", key },
    method,
    request,
    caller,
    deadlineMs: Number.MAX_SAFE_INTEGER,
  };
}
