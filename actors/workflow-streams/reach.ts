import { type Refusal, refuse } from "#base";
import type { Context } from "#runtime";
import { checkEnvironment } from "../kit/environment.ts";
import type { Act, State } from "./stream.ts";

/** What every command of a caller carries. */
export interface Asked {
  readonly runId: string;
  /** Of the caller; absent: a module asks, which nobody narrows. */
  readonly roles?: readonly string[];
}

/** Whether the caller may do this to this stream: it is of that run, in an environment it may see, and has a role for it. */
export function reach(
  state: State,
  { runId, roles }: Asked,
  act: Act | undefined,
  context: Context,
): Refusal | undefined {
  const { definition } = state;
  if (definition === undefined || definition.runId !== runId)
    return refuse("NOT_FOUND", "there is no such stream in this run");
  const hidden = checkEnvironment(definition.environment, context.caller);
  if (hidden) return hidden;
  const wanted = act === undefined ? [] : definition.roles[act];
  if (wanted.length === 0 || roles === undefined || roles.some((role) => wanted.includes(role)))
    return undefined;
  return refuse(
    "PERMISSION_DENIED",
    `the stream's definition asks for one of the roles ${wanted.join(", ")} to ${act}`,
    {
      reason: "STREAM_ROLE",
    },
  );
}
