import { RefusalError, refuse } from "#base";
import type { PipelineParts, Stage } from "./stage.ts";

export const currentApiVersion = "2024-01-01";
export const minimumApiVersion = "2024-01-01";

/** Negotiates `Api-Version`. The echo goes only with answers that succeed. */
export function apiVersion(_parts: PipelineParts): Stage {
  return {
    name: "api-version",
    enter(call) {
      const asked = call.headers.get("api-version");
      if (asked !== undefined && asked !== currentApiVersion) check(asked);
      call.apiVersion = asked ?? currentApiVersion;
      call.responseHeaders.set("api-version", call.apiVersion);
    },
    leave(call, ending) {
      if (ending.refusal !== undefined || ending.thrown !== undefined)
        call.responseHeaders.delete("api-version");
    },
  };
}

function check(asked: string): void {
  if (!datePattern.test(asked) || Number.isNaN(Date.parse(`${asked}T00:00:00Z`)))
    throw refused("Api-Version is not a date such as 2024-01-01");
  if (asked < minimumApiVersion)
    throw refused(`Api-Version ${asked} is older than ${minimumApiVersion}, the oldest that is served`);
  if (asked > currentApiVersion)
    throw refused(`Api-Version ${asked} is newer than ${currentApiVersion}, the newest that is served`);
}

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

function refused(detail: string): RefusalError {
  return new RefusalError(refuse("INVALID_ARGUMENT", detail));
}
