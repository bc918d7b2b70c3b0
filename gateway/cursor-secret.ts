import { cursorSecretOf } from "#actors";
import { systemTenantId } from "#base";
import type { Asker } from "#runtime";
import type { Call } from "./call.ts";

/** What seals the cursors of lists that the gateway answers itself: the tenant's own, kept with its data. */
export function cursorSecretFor(asker: Asker): (call: Call) => Promise<string> {
  return (call) =>
    cursorSecretOf({
      asker,
      caller: {
        tenant: call.tenant ?? systemTenantId,
        subject: call.principal?.subject ?? "anonymous",
        requestId: call.requestId,
        environmentMode: "any",
        platform: false,
      },
      deadlineMs: call.deadlineMs,
    });
}
