import type { EntityMethod } from "#runtime";
import { answering } from "../kit/methods.ts";
import { getQuota, noteQuota, releaseQuota, reserveQuota } from "../kit/quota.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [getQuota.name]: answering(getQuota, ({ operation }) => ({ type: "get", operation })),
  [reserveQuota.name]: answering(reserveQuota, (reservation) => ({ type: "reserve", reservation })),
  [releaseQuota.name]: answering(releaseQuota, (release) => ({ type: "release", release })),
  [noteQuota.name]: answering(noteQuota, (note) => ({ type: "note", note })),
};
