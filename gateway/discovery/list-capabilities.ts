import { createHash } from "node:crypto";
import { RefusalError, refuse } from "#base";
import type { Capability } from "./capabilities.ts";

export interface ListRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly include_disabled: boolean;
  readonly include_degraded: boolean;
  readonly include_missing_dependency: boolean;
}

/** One page of the catalogue: what is active, and what else was asked for. */
export function listCapabilities(
  all: readonly Capability[],
  request: ListRequest,
  scope: readonly string[],
): unknown {
  const modes = new Set<string>(["active"]);
  if (request.include_disabled) modes.add("disabled");
  if (request.include_degraded) modes.add("degraded");
  if (request.include_missing_dependency) modes.add("unwired");
  const matching = all.filter(({ mode }) => modes.has(mode));

  const seal = sealOf([...scope, ...modes]);
  const start = request.page_token === "" ? request.offset : after(matching, request.page_token, seal);
  const capabilities = matching.slice(start, start + request.page_size);
  const more = start + capabilities.length < matching.length;
  return {
    capabilities,
    next_page_token: more ? seal(capabilities.at(-1)!.id) : "",
    total: matching.length,
  };
}

/**
 * Binds a position to the list it comes from. Every thread makes the same seal without a shared secret: whoever forges
 * one only gets what the list shows them anyway.
 */
function sealOf(scope: readonly string[]): (id: string) => string {
  return (id) => {
    const mark = createHash("sha256")
      .update(JSON.stringify([...scope, id]))
      .digest()
      .subarray(0, 16);
    return Buffer.concat([mark, Buffer.from(id)]).toString("base64url");
  };
}

function after(matching: readonly Capability[], token: string, seal: (id: string) => string): number {
  const index = matching.findIndex(({ id }) => seal(id) === token);
  if (index >= 0) return index + 1;
  const reason = "is not a cursor of this list";
  throw new RefusalError(
    refuse("INVALID_ARGUMENT", `page_token ${reason}`, { fields: [{ field: "page_token", reason }] }),
  );
}
