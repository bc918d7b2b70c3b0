import { refuse } from "#base";
import type { EffectStep, RowWriter, StoredRow } from "../../../runtime/index.ts";
import { defineActor } from "../../../runtime/index.ts";

/** An entity that requests effects and keeps their results. */
interface State {
  readonly results: Map<string, unknown>;
  cancelled: boolean;
}

export type ErrandCommand =
  | {
      readonly type: "send";
      readonly id: string;
      readonly dueMs?: number;
      readonly lane?: string;
      readonly body?: unknown;
    }
  | { readonly type: "cancel"; readonly id: string }
  | { readonly type: "forbid" }
  | { readonly type: "results" }
  | { readonly type: "step"; readonly step: EffectStep };

type Event =
  | {
      readonly type: "sent";
      readonly id: string;
      readonly dueMs: number;
      readonly lane?: string;
      readonly body: unknown;
    }
  | { readonly type: "cancelled"; readonly id: string }
  | { readonly type: "forbidden" }
  | { readonly type: "ended"; readonly id: string; readonly result: unknown };

export const errand = defineActor<State, ErrandCommand, Event>({
  kind: "errand",
  placement: "key",
  empty: () => ({ results: new Map(), cancelled: false }),
  resident: ["results"],
  restore: (state, { key, value }: StoredRow) => void state.results.set(key[0] as string, value),
  decide(state, command, context) {
    switch (command.type) {
      case "send": {
        const { id, dueMs = context.now, lane, body = null } = command;
        return { events: [{ type: "sent", id, dueMs, body, ...(lane && { lane }) }] };
      }
      case "cancel":
        return { events: [{ type: "cancelled", id: command.id }] };
      case "forbid":
        return { events: [{ type: "forbidden" }] };
      case "results":
        return { events: [] };
      case "step": {
        const { step } = command;
        if (step.type === "begin")
          return state.cancelled
            ? refuse("FAILED_PRECONDITION", "not any more")
            : { events: [], answer: { told: step.id } };
        return { events: [{ type: "ended", id: step.id, result: step.result }] };
      }
    }
  },
  apply,
  methods: {
    "Errand.Do": {
      command: (request) => (request as { command: ErrandCommand }).command,
      respond: (state) => Object.fromEntries(state.results),
    },
  },
  onEffect: (step) => ({ type: "step", step }),
});

function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "sent":
      rows.effect(event.id, {
        kind: "call",
        dueMs: event.dueMs,
        body: event.body,
        ...(event.lane && { lane: event.lane }),
      });
      return;
    case "cancelled":
      rows.endEffect(event.id);
      return;
    case "forbidden":
      state.cancelled = true;
      return;
    case "ended":
      state.results.set(event.id, event.result);
      rows.put("results", [event.id], event.result);
      return;
  }
}
