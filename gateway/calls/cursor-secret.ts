import { cursorSecretOf } from "#actors";
import type { Asker } from "#runtime";
import type { Call } from "./call.ts";
import { callerOf } from "./caller.ts";

/** What seals the cursors of lists that the gateway answers itself: the tenant's own, kept with its data. */
export function cursorSecretFor(asker: Asker): (call: Call) => Promise<string> {
  return (call) => cursorSecretOf({ asker, caller: callerOf(call), deadlineMs: call.deadlineMs });
}
