import type { EntityMethod } from "#runtime";
import { answered } from "../../kit/methods.ts";
import type { Command, UnitCommand } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** Doors make the commands: they have the secret that unit keys and receipts are made with. */
export const methods: Readonly<Record<string, Method>> = {
  "ExperimentUnits.Do": answered((request) => request as unknown as UnitCommand),
  "ExperimentUnits.Sums": answered(() => ({ type: "sums" })),
};
