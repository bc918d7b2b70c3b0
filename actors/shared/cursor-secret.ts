import { isRefusal, RefusalError } from "#base";
import type { Asker, Caller } from "#runtime";
import { directoryOf } from "./directory.ts";

/** What `Directory.CursorSecret` answers. It never leaves the process but to nodes of the same installation. */
export interface CursorSecret {
  readonly secret: string;
}

/**
 * An entity seals the cursors of its lists with a secret of its own. What no entity lists alone (events, capabilities, groups
 * of all pools) is sealed with the one that the tenant's directory keeps: the same on every thread and node, and after a
 * restart, with nothing for an operator to set.
 */
export async function cursorSecretOf(call: {
  readonly asker: Asker;
  readonly caller: Caller;
  readonly deadlineMs: number;
}): Promise<string> {
  const { asker, caller, deadlineMs } = call;
  const to = directoryOf(caller.tenant, "pool");
  const answer = await asker.ask({ to, method: "Directory.CursorSecret", request: {}, caller, deadlineMs });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return (answer.response as CursorSecret).secret;
}
