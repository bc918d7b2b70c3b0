import type { EntityMethod } from "#runtime";
import { method } from "../../kit/ask.ts";
import { answering } from "../../kit/methods.ts";
import type { Command, ShardSums, UnitCommand } from "./decide.ts";
import type { Event, State } from "./state.ts";

/** Handlers make the commands: they have the secret that unit keys and receipts are made with. */
export const askUnit = method<UnitCommand, unknown>("experiment_units", "Do");
export const sumUnits = method<object, ShardSums>("experiment_units", "Sums");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [askUnit.name]: answering(askUnit, (command) => command),
  [sumUnits.name]: answering(sumUnits, () => ({ type: "sums" })),
};
