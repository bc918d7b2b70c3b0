import type { EntityMethod } from "#runtime";
import { answered } from "../kit/methods.ts";
import type { QuotaNote, QuotaRelease, QuotaReservation } from "../kit/quota.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "Quota.Get": answered(({ operation }) => ({ type: "get", operation: operation as string })),
  "Quota.Reserve": answered((request) => ({
    type: "reserve",
    reservation: request as never as QuotaReservation,
  })),
  "Quota.Release": answered((request) => ({ type: "release", release: request as never as QuotaRelease })),
  "Quota.Note": answered((request) => ({ type: "note", note: request as never as QuotaNote })),
};
