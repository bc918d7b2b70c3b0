import { after, type PageRequest, pageOf } from "#actors";
import { orThrow } from "#base";
import type { Capability } from "./capabilities.ts";

type Listed = Pick<Capability, "id" | "mode">;

export interface ListRequest extends PageRequest {
  readonly include_disabled: boolean;
  readonly include_degraded: boolean;
  readonly include_missing_dependency: boolean;
}

/** One page of the catalogue, which is in order of id: what is active, and what else was asked for. */
export function listCapabilities(
  all: readonly Listed[],
  request: ListRequest,
  seenFrom: readonly string[],
): object {
  const modes = new Set<string>(["active"]);
  if (request.include_disabled) modes.add("disabled");
  if (request.include_degraded) modes.add("degraded");
  if (request.include_missing_dependency) modes.add("unwired");
  const matching = all.filter(({ mode }) => modes.has(mode));
  const page = orThrow(
    pageOf(
      request,
      {
        scope: ["capabilities", ...seenFrom, ...modes],
        shape: ["string"],
        positionOf: ({ id }: Listed) => [id],
        read: (bounds) => after(matching, bounds, ({ id }, [last]) => id > last!),
      },
      (capability) => capability,
    ),
  );
  const { values, ...rest } = page;
  return { capabilities: values, ...rest };
}
