import { openCursor, sealCursor } from "#actors";
import { isRefusal, RefusalError } from "#base";
import type { Capability } from "./capabilities.ts";

type Listed = Pick<Capability, "id" | "mode">;

export interface ListRequest {
  readonly page_size: number;
  readonly page_token: string;
  readonly offset: number;
  readonly include_disabled: boolean;
  readonly include_degraded: boolean;
  readonly include_missing_dependency: boolean;
}

/** One page of the catalogue: what is active, and what else was asked for. The secret is asked for only where it is needed. */
export async function listCapabilities(
  all: readonly Listed[],
  request: ListRequest,
  { scope, secret }: { scope: readonly string[]; secret: () => Promise<string> },
): Promise<unknown> {
  const modes = new Set<string>(["active"]);
  if (request.include_disabled) modes.add("disabled");
  if (request.include_degraded) modes.add("degraded");
  if (request.include_missing_dependency) modes.add("unwired");
  const matching = all.filter(({ mode }) => modes.has(mode));

  const sealed = ["capabilities", ...scope, ...modes];
  const start =
    request.page_token === ""
      ? request.offset
      : after(matching, idOf(await secret(), sealed, request.page_token));
  const capabilities = matching.slice(start, start + request.page_size);
  const more = start + capabilities.length < matching.length;
  return {
    capabilities,
    next_page_token: more ? sealCursor(await secret(), sealed, [capabilities.at(-1)!.id]) : "",
    total: matching.length,
  };
}

function idOf(secret: string, scope: readonly string[], token: string): string {
  const position = openCursor(secret, scope, token);
  if (isRefusal(position)) throw new RefusalError(position);
  return position[0] as string;
}

/** The list is in order of id, and settings may have changed what is in it since. */
function after(matching: readonly Listed[], last: string): number {
  const index = matching.findIndex(({ id }) => id > last);
  return index < 0 ? matching.length : index;
}
