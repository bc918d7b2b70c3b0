import { limits, RefusalError } from "#base";
import { checkEnvironment } from "../../kit/environment.ts";
import type { CallContext } from "../../module.ts";
import { look } from "../connection/methods.ts";
import type { Connection } from "../connection/record.ts";
import { recordOf } from "./open.ts";

/** What never changes of a connection, from its first session until it is deleted; its id is never used again. */
type FixedPart = Pick<Connection, "id" | "providerKey" | "providerConfigId" | "environment">;

/** The fixed parts of connections that this thread was asked to execute over: each is read once. */
export class KnownConnections {
  readonly #known = new Map<string, FixedPart>();

  /** Throws a RefusalError. A connection that was deleted may be known here still: it refuses the execution itself. */
  async of(connectionId: string, call: CallContext): Promise<FixedPart> {
    const name = `${call.caller.tenant}/${connectionId}`;
    const known = this.#known.get(name);
    if (known !== undefined) {
      const foreign = checkEnvironment(known.environment, call.caller);
      if (foreign) throw new RefusalError(foreign);
      return known;
    }
    const { id, providerKey, providerConfigId, environment } = await recordOf(connectionId, look, call);
    if (this.#known.size >= limits.connectionsKnownMax) this.#known.clear();
    const fixed = { id, providerKey, providerConfigId, environment };
    this.#known.set(name, fixed);
    return fixed;
  }
}
