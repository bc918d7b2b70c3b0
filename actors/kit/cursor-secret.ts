import { type Asking, ask } from "./ask.ts";
import { directoryOf } from "./directory.ts";

/** What `Directory.CursorSecret` answers. It never leaves the process but to nodes of the same installation. */
interface CursorSecret {
  readonly secret: string;
}

/**
 * An entity seals the cursors of its lists with a secret of its own. What no entity lists alone (events, capabilities, groups
 * of all pools) is sealed with the one that the tenant's directory keeps: the same on every thread and node, and after a
 * restart, with nothing for an operator to set.
 */
export async function cursorSecretOf(call: Asking): Promise<string> {
  const to = directoryOf(call.caller.tenant, "pool");
  const { secret } = await ask<CursorSecret>(call, { to, method: "Directory.CursorSecret", request: {} });
  return secret;
}
