import { type RefusalError, refusalError } from "#base";
import type { PipelineParts, Stage } from "./stage.ts";

export const currentApiVersion = "2024-01-01";
export const minimumApiVersion = "2024-01-01";

/** So many digits of the contract's SHA-256 name it. */
export const contractIdLength = 12;

/**
 * Negotiates `Api-Version`. The echo goes only with answers that succeed. A client that was made from another contract, which it
 * names in `X-Contract`, is told which one is served.
 */
export function apiVersion({ contractId }: Pick<PipelineParts, "contractId">): Stage {
  return {
    name: "api-version",
    enter(call) {
      const known = call.headers.get("x-contract");
      if (known !== undefined && contractId !== undefined && known !== contractId)
        call.responseHeaders.set("x-contract", contractId);
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
  return refusalError("INVALID_ARGUMENT", detail);
}
