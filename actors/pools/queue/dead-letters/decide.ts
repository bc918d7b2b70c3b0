import { isRefusal, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { stepForward } from "../admission/line.ts";
import type { Cause } from "../rows/change.ts";
import { type Item, touchedItem } from "../rows/item.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";
import { type Purge, purge } from "./purge.ts";
import { redrive } from "./redrive.ts";

export type DeadLetterCommand =
  | { readonly type: "retry" | "quarantine" | "unquarantine"; readonly ids: readonly string[] }
  | Purge;

/** What became of one named item: `null`, or why not. */
export type NamedResult = Refusal | null;

export function decideDeadLetters(
  state: State,
  command: DeadLetterCommand,
  context: Context,
): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const refused = reachPool(unit.router, context);
  if (refused) return refused;
  switch (command.type) {
    case "retry":
    case "quarantine":
    case "unquarantine": {
      const results = named(unit, command);
      stepForward(unit);
      return unit.decidedWith(results);
    }
    case "purge":
      return purge(unit, command);
  }
}

function named(
  unit: UnitOfWork,
  command: Extract<DeadLetterCommand, { ids: readonly string[] }>,
): NamedResult[] {
  return command.ids.map((id) => nameOne(unit, command.type, id));
}

function nameOne(unit: UnitOfWork, type: "retry" | "quarantine" | "unquarantine", id: string): NamedResult {
  const item = unit.item(id);
  if (item === undefined) return null;
  if (item?.state !== "dead") return refuse("NOT_FOUND", `there is no dead letter ${id}`);
  switch (type) {
    case "retry": {
      if (item.quarantined) return refuse("STATE_CONFLICT", "it is quarantined", { reason: "QUARANTINED" });
      const retried = redrive(unit, item);
      return isRefusal(retried) ? retried : null;
    }
    case "quarantine":
      return item.quarantined ? null : mark(unit, item, true, "quarantined");
    case "unquarantine":
      return item.quarantined ? mark(unit, item, false, "unquarantined") : null;
  }
}

function mark(unit: UnitOfWork, item: Item, quarantined: boolean, cause: Cause): null {
  const marked = touchedItem(item, unit.now);
  marked.quarantined = quarantined;
  unit.change(item, marked, cause);
  return null;
}
