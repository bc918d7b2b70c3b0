import type { EntityMethod } from "#runtime";
import { answering } from "../kit/methods.ts";
import type { Command } from "./decide.ts";
import {
  awaitRefresh,
  endSession,
  leaseRefresh,
  openSession,
  refreshed,
  refreshFailed,
  startSession,
} from "./record.ts";
import type { Event, State } from "./state.ts";

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [startSession.name]: answering(startSession, (given): Command => ({ type: "start", given })),
  [openSession.name]: answering(openSession, (): Command => ({ type: "open" })),
  [leaseRefresh.name]: answering(leaseRefresh, (given): Command => ({ type: "lease", ...given })),
  [refreshed.name]: answering(refreshed, (given): Command => ({ type: "refreshed", ...given })),
  [refreshFailed.name]: answering(refreshFailed, (given): Command => ({ type: "refresh_failed", ...given })),
  [awaitRefresh.name]: answering(awaitRefresh, (): Command => ({ type: "await_refresh" })),
  [endSession.name]: answering(endSession, (given): Command => ({ type: "end", ...given })),
};
