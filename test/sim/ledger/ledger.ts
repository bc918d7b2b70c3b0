import { refuse } from "#base";
import { type Address, defineActor, type EffectStep } from "../../../runtime/index.ts";

/**
 * The simulated entity: a sum, and one row for every change applied to it, so that a lost or repeated change can be
 * seen. It uses everything the runtime offers: timers, messages, effects, broadcasts, range deletes, rows on demand.
 */
interface State {
  total: number;
  applied: number;
  scratch: number;
}

type Event =
  | { readonly type: "added"; readonly id: string; readonly amount: number }
  | { readonly type: "sent"; readonly id: string; readonly amount: number; readonly to: Address }
  | { readonly type: "received"; readonly id: string; readonly amount: number }
  | { readonly type: "reminded"; readonly id: string; readonly dueMs: number }
  | { readonly type: "fired"; readonly id: string }
  | { readonly type: "scratched"; readonly id: string }
  | { readonly type: "announced"; readonly id: string }
  | { readonly type: "called"; readonly id: string; readonly dueMs: number }
  | { readonly type: "told"; readonly id: string; readonly attempt: number };

type Command =
  | { readonly type: "add"; readonly id: string; readonly amount: number }
  | { readonly type: "send"; readonly id: string; readonly amount: number; readonly to: Address }
  | { readonly type: "receive"; readonly id: string; readonly amount: number }
  | { readonly type: "remind"; readonly id: string; readonly delayMs: number }
  | { readonly type: "fire"; readonly id: string }
  | { readonly type: "scratch"; readonly id: string }
  | { readonly type: "announce"; readonly id: string }
  | { readonly type: "call"; readonly id: string; readonly delayMs: number }
  | { readonly type: "step"; readonly step: EffectStep }
  | { readonly type: "read" }
  | { readonly type: "audit" };

const lastApplied = (state: State) => ({ collection: "applied", key: [state.applied] });
const everything = (collection: string) => ({ collection, limit: 100_000 });

export const ledger = defineActor<State, Command, Event>({
  kind: "ledger",
  placement: "key",
  empty: () => ({ total: 0, applied: 0, scratch: 0 }),
  resident: ["sum"],
  restore: (state, row) => Object.assign(state, row.value),
  decide: (state, command, context) => {
    switch (command.type) {
      case "add":
        // Some have to wait for a row first: commands after them wait too.
        if (command.id.endsWith("5")) context.row(lastApplied(state));
        return { events: [{ ...command, type: "added" }] };
      case "send":
        if (command.amount < 0) return refuse("INVALID_ARGUMENT", "a negative amount is not sent");
        return { events: [{ ...command, type: "sent" }], awaitDelivery: command.id.endsWith("0") };
      case "receive":
        return { events: [{ ...command, type: "received" }] };
      case "remind":
        return { events: [{ type: "reminded", id: command.id, dueMs: context.now + command.delayMs }] };
      case "fire":
        return { events: [{ type: "fired", id: command.id }] };
      case "scratch":
        return { events: [{ type: "scratched", id: command.id }] };
      case "announce":
        return { events: [{ type: "announced", id: command.id }] };
      case "call":
        return { events: [{ type: "called", id: command.id, dueMs: context.now + command.delayMs }] };
      case "step": {
        const { type, id, attempt } = command.step;
        return type === "begin" ? { events: [], answer: id } : { events: [{ type: "told", id, attempt }] };
      }
      case "read":
        return { events: [] };
      case "audit": {
        context.prefetch(["applied", "scratch"].map(everything));
        return { events: [] };
      }
    }
  },
  apply: (state, event, rows) => {
    const applied = (kind: string, id: string, amount: number, extra: object = {}) => {
      state.total += amount;
      state.applied++;
      rows.put("applied", [state.applied], { kind, id, amount, atMs: rows.now, ...extra });
      rows.put("sum", [], { total: state.total, applied: state.applied, scratch: state.scratch });
    };
    switch (event.type) {
      case "added":
        return applied("add", event.id, event.amount);
      case "sent":
        rows.send(event.to, { id: event.id, amount: event.amount });
        return applied("send", event.id, -event.amount);
      case "received":
        return applied("receive", event.id, event.amount);
      case "reminded":
        rows.setTimer(event.id, event.dueMs);
        return applied("remind", event.id, 0, { dueMs: event.dueMs });
      case "fired":
        return applied("fire", event.id, 0);
      case "scratched":
        // Only the newest line is kept: everything before it is deleted as a range.
        state.scratch++;
        rows.deletePrefix("scratch", ["line"]);
        rows.put("scratch", ["line", state.scratch], { id: event.id });
        return applied("scratch", event.id, 0);
      case "announced":
        rows.broadcast("announced", event.id);
        return applied("announce", event.id, 0);
      case "called":
        rows.effect(event.id, { kind: "call", dueMs: event.dueMs, body: `${event.id} ${event.dueMs}` });
        return applied("call", event.id, 0, { dueMs: event.dueMs });
      case "told":
        return applied("told", event.id, 0);
    }
  },
  onMessage: (message) => ({ type: "receive", ...(message as { id: string; amount: number }) }),
  onTimer: (id) => ({ type: "fire", id }),
  onEffect: (step) => ({ type: "step", step }),
  methods: {
    change: {
      command: (request) => request as Command,
      respond: (state) => ({ applied: state.applied, total: state.total }),
    },
    read: {
      command: () => ({ type: "read" }),
      respond: (state) => ({ applied: state.applied, total: state.total }),
    },
    audit: {
      command: () => ({ type: "audit" }),
      respond: (state, _events, _command, context) => ({
        total: state.total,
        applied: context.range(everything("applied"))!.map((row) => row.value),
        scratch: context.range(everything("scratch"))!.map((row) => row.value),
        scratched: state.scratch,
      }),
    },
  },
});

export interface AppliedRow {
  readonly kind: "add" | "send" | "receive" | "remind" | "fire" | "scratch" | "announce" | "call" | "told";
  readonly id: string;
  readonly amount: number;
  readonly atMs: number;
  readonly dueMs?: number;
}

export interface Audit {
  readonly total: number;
  readonly applied: readonly AppliedRow[];
  readonly scratch: readonly { readonly id: string }[];
  readonly scratched: number;
}
