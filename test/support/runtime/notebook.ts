import { assert, refuse, type TuplePart } from "#base";
import { type AnyActorDefinition, defineActor } from "../../../runtime/actor.ts";

/** An entity for the runtime's own tests: lines in a book, each a row. It uses everything an entity can do. */
interface Notebook {
  name: string;
  lines: number;
  sum: number;
  fired: string[];
  messages: number;
}

export type NotebookCommand =
  | {
      type: "add";
      amount: number;
      text?: string;
      delivered?: boolean;
      send?: string;
      careful?: boolean;
      publish?: boolean;
    }
  | { type: "read"; spend?: number }
  | { type: "line"; number: number }
  | { type: "tail"; limit: number; reverse?: boolean }
  | { type: "clear" }
  | { type: "alarm"; id: string; dueMs: number }
  | { type: "unalarm"; id: string }
  | { type: "fired"; id: string }
  | { type: "received"; amount: number; careful: boolean }
  | { type: "await"; sum: number; untilMs: number; since?: number; watches?: true }
  | { type: "break"; where: "decide" | "apply" | "respond" }
  | { type: "announce"; topic: string }
  | { type: "unreadable" }
  | { type: "both"; amount: number };

type NotebookEvent =
  | { type: "added"; number: number; amount: number; text: string; id: string }
  | { type: "sent"; to: string; amount: number; careful: boolean }
  | { type: "published"; amount: number }
  | { type: "cleared" }
  | { type: "alarmed"; id: string; dueMs: number }
  | { type: "unalarmed"; id: string }
  | { type: "fired"; id: string; lateMs: number }
  | { type: "received"; amount: number }
  | { type: "announced"; topic: string }
  | { type: "broken" };

interface NotebookRequest {
  readonly command: NotebookCommand;
}

const always = (request: unknown) => {
  const { command } = request as NotebookRequest;
  if (command.type === "unreadable") throw new Error("not a command");
  return command;
};

export const notebook: AnyActorDefinition = defineActor<Notebook, NotebookCommand, NotebookEvent>({
  kind: "notebook",
  placement: "key",
  twins: ["cover"],
  empty: (address) => ({ name: address.key, lines: 0, sum: 0, fired: [], messages: 0 }),
  resident: ["head", "fired"],
  restore(state, row) {
    if (row.collection === "head") Object.assign(state, row.value);
    else state.fired.push(String(row.key[1]));
  },
  decide(state, command, context) {
    switch (command.type) {
      case "add": {
        if (command.amount < 0) return refuse("INVALID_ARGUMENT", "amounts are not negative");
        const text = command.text ?? "";
        const events: NotebookEvent[] = [
          { type: "added", number: state.lines + 1, amount: command.amount, text, id: context.newId() },
        ];
        if (command.send !== undefined)
          events.push({
            type: "sent",
            to: command.send,
            amount: command.amount,
            careful: command.careful === true,
          });
        if (command.publish === true) events.push({ type: "published", amount: command.amount });
        return { events, awaitDelivery: command.delivered === true };
      }
      case "read":
        context.spend(command.spend ?? 0);
        return { events: [] };
      case "unreadable":
        return { events: [] };
      case "line": {
        const ref = { collection: "lines", key: [command.number] };
        context.row(ref);
        return { events: [] };
      }
      case "tail": {
        const ref = { collection: "lines", limit: command.limit, reverse: command.reverse ?? true };
        const lines = context.range(ref);
        if (lines === undefined) return { events: [] };
        assert(
          lines.every(({ value }) => value !== null),
          "a line says something",
        );
        return { events: [] };
      }
      case "clear":
        return { events: [{ type: "cleared" }] };
      case "alarm":
        return { events: [{ type: "alarmed", id: command.id, dueMs: command.dueMs }] };
      case "unalarm":
        return { events: [{ type: "unalarmed", id: command.id }] };
      case "fired":
        return { events: [{ type: "fired", id: command.id, lateMs: 0 }] };
      case "received": {
        const ref = { collection: "lines", key: [command.amount] };
        if (command.careful) context.row(ref);
        return { events: [{ type: "received", amount: command.amount }] };
      }
      case "await":
        if (state.sum >= command.sum || context.expired) return { events: [] };
        // It remembers the sum at which it began to wait.
        return {
          park: {
            untilMs: command.untilMs,
            ...(command.watches && { watches: true }),
            command: { since: state.sum, ...command },
          },
        };
      case "break":
        if (command.where === "decide") throw new Error("decide broke");
        return { events: [{ type: "broken" }] };
      case "announce":
        return { events: [{ type: "announced", topic: command.topic }] };
      case "both":
        return {
          events: [{ type: "received", amount: command.amount }],
          twins: { cover: [{ type: "titled", title: `sum ${state.sum + command.amount}` }] },
        };
    }
  },
  apply(state, event, rows) {
    switch (event.type) {
      case "added":
        state.lines = event.number;
        state.sum += event.amount;
        rows.put("lines", [event.number], { amount: event.amount, text: event.text, id: event.id });
        break;
      case "sent":
        rows.send(
          { kind: "notebook", tenant: "t", key: event.to },
          { amount: event.amount, careful: event.careful },
        );
        return;
      case "published":
        rows.publish("line.added", state.name, { amount: event.amount });
        return;
      case "cleared":
        rows.deletePrefix("lines", []);
        state.lines = 0;
        state.sum = 0;
        rows.put("lines", [0], { amount: 0, text: "cleared", id: "" });
        break;
      case "alarmed":
        rows.setTimer(event.id, event.dueMs);
        return;
      case "unalarmed":
        rows.clearTimer(event.id);
        return;
      case "fired":
        state.fired.push(event.id);
        rows.put("fired", [state.fired.length, event.id], rows.now);
        return;
      case "received":
        state.sum += event.amount;
        state.messages++;
        break;
      case "announced":
        rows.broadcast(event.topic, { from: state.name });
        return;
      case "broken":
        state.sum = -1;
        rows.put("head", [], { lines: -1 });
        throw new Error("apply broke");
    }
    rows.put("head", [], { lines: state.lines, sum: state.sum, messages: state.messages });
  },
  methods: {
    "Notebook.Do": {
      command: always,
      respond(state, events, command, context) {
        if (command.type === "line") return context.row({ collection: "lines", key: [command.number] });
        if (command.type === "tail")
          return context
            .range({ collection: "lines", limit: command.limit, reverse: command.reverse ?? true })
            ?.map((row) => row.key[0] as TuplePart);
        const [first] = events;
        return {
          name: state.name,
          lines: state.lines,
          sum: state.sum,
          messages: state.messages,
          fired: state.fired,
          ...(first?.type === "added" ? { id: first.id } : {}),
          ...(command.type === "await" && command.since !== undefined ? { since: command.since } : {}),
        };
      },
    },
    "Notebook.Confirm": {
      command: always,
      respond: (state) => ({ sum: state.sum }),
      confirmed: true,
    },
    "Notebook.Break": {
      command: always,
      respond() {
        throw new Error("respond broke");
      },
    },
  },
  onMessage: (message) => ({ type: "received", ...(message as { amount: number; careful: boolean }) }),
  onTimer: (timerId) =>
    timerId === "break" ? { type: "break", where: "decide" } : { type: "fired", id: timerId },
  wake: (state, parked) =>
    parked.flatMap((command, index) => (command.type === "await" && state.sum >= command.sum ? [index] : [])),
});

interface Cover {
  title: string;
}

export const cover: AnyActorDefinition = defineActor<
  Cover,
  { type: "read" },
  { type: "titled"; title: string }
>({
  kind: "cover",
  placement: "key",
  empty: () => ({ title: "" }),
  resident: ["title"],
  restore: (state, row) => {
    state.title = row.value as string;
  },
  decide: () => ({ events: [] }),
  apply(state, event, rows) {
    state.title = event.title;
    rows.put("title", [], event.title);
  },
  methods: {
    "Cover.Read": {
      command: () => ({ type: "read" }),
      respond: (state, _events, _command, context) => ({
        title: state.title,
        sum: context.twin<Notebook>("notebook").sum,
      }),
    },
  },
});
