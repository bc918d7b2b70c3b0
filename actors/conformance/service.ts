import type { Address, EntityMethod } from "#runtime";
import { method } from "../kit/ask.ts";
import { answeredMethods, answering } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import type { Began, Begin, Command, End, Explain } from "./decide.ts";
import type { State } from "./record.ts";
import type { Event } from "./state.ts";

export const begin = method<Begin, Began>("conformance", "Begin");
export const end = method<End, Message>("conformance", "End");
export const explain = method<Explain, Message>("conformance", "Explain");

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...answeredMethods<Command>({
    "ConformanceService.ListReports": ({ environment_id, ...request }) => ({
      type: "list_records",
      request: { ...request, environment: environment_id },
    }),
    "ConformanceService.GetReport": (request) => ({ ...request, type: "get" }),
  }),
  [begin.name]: answering(begin, (request) => ({ ...request, type: "begin" })),
  [end.name]: answering(end, (request) => ({ ...request, type: "end" })),
  [explain.name]: answering(explain, (request) => ({ ...request, type: "explain" })),
};

export function conformanceOf(tenant: string): Address {
  return { kind: "conformance", tenant, key: "" };
}
