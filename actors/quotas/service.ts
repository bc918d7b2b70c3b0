import type { EntityMethod } from "#runtime";
import type { QuotaNote, QuotaRelease, QuotaReservation } from "../shared/quota.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

export const methods: Readonly<Record<string, Method>> = {
  "Quota.Get": answered(({ operation }: { operation: string }) => ({ type: "get", operation })),
  "Quota.Reserve": answered((reservation: QuotaReservation) => ({ type: "reserve", reservation })),
  "Quota.Release": answered((release: QuotaRelease) => ({ type: "release", release })),
  "Quota.Note": answered((note: QuotaNote) => ({ type: "note", note })),
};

function answered<Request>(make: (request: Request) => Command): Method {
  return {
    command: (request) => make(request as Request),
    respond: (_state, _events, _command, _context, answer) => answer ?? {},
  };
}
